// SPDX-License-Identifier: Apache-2.0
// A block is labelled once more; its components are found again by their first pixels.
#include <vector>

#include "blocks/check.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "regions/label_writer.hpp"

namespace skerry {
namespace {

using namespace blocks;

[[noreturn]] void refuse_labels() {
  refuse(
      "given: the labels are not those of this block; make them by labels_of_block() for the same pixels, place and "
      "options that label_block() had");
}

// The label in the whole image of each component of the block, which are in the order of their first pixels.
void check_labels_of(const std::vector<labelled_run>& runs, const label_request& block, const block_place& place,
                     const block_labels& given) {
  const i64 height = block.image.size.height;
  u64 known = 0;
  for (const labelled_run& run : runs) {
    if (run.label <= known) continue;
    const i64 z = place.z + run.row / height, y = place.y + run.row % height;
    const auto first = static_cast<u64>((z * place.whole.height + y) * place.whole.width + place.x + run.begin);
    if (known == given.first.size() || given.first[known] != first || given.label[known] > given.count) refuse_labels();
    ++known;
  }
  if (known != given.first.size()) refuse_labels();
}

}  // namespace

void emit_block(engine& on, const label_request& block, const block_place& place, const block_labels& given,
                const mutable_image& labels) {
  check_image("image", block.image);
  static_cast<void>(check_place(block.image.size, place));
  check_block({block.image, block.options, {}}, place);
  check_labels(block.image, labels);
  check_count(given.count, labels.type);
  if (given.label.size() != given.first.size()) refuse_labels();
  std::vector<labelled_run> runs;
  label_runs(on, block.image, within_block(block, place).options, runs);
  check_labels_of(runs, block, place, given);

  const extent& size = labels.size;
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y) regions::write_run(labels, placed_run{z, y, y + 1, 0, size.width}, u64{0});
  for (const labelled_run& run : runs) {
    const i64 z = run.row / size.height, y = run.row % size.height;
    regions::write_run(labels, placed_run{z, y, y + 1, run.begin, run.end}, given.label[run.label - 1]);
  }
}

}  // namespace skerry

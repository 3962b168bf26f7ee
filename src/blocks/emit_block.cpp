// SPDX-License-Identifier: Apache-2.0
// A block is labelled once more; its components are found again by their first pixels.
#include <vector>

#include "blocks/check.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "regions/label_writer.hpp"

namespace skerry {

void emit_block(engine& on, const label_request& block, const block_place& place, const block_labels& given,
                const mutable_image& labels) {
  using namespace blocks;
  check_image("image", block.image);
  static_cast<void>(check_place(block.image.size, place));
  check_block({block.image, block.options, {}}, place);
  check_labels(block.image, labels);
  check_count(given.count, labels.type);
  const extent& size = labels.size;
  std::vector<labelled_run> runs;
  label_runs(on, block.image, within_block(block, place).options, runs);
  check_labels_of("given", runs, size, place, given);

  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y) regions::write_run(labels, placed_run{z, y, y + 1, 0, size.width}, u64{0});
  for (const labelled_run& run : runs) {
    const i64 z = run.row / size.height, y = run.row % size.height;
    regions::write_run(labels, placed_run{z, y, y + 1, run.begin, run.end}, given.label[run.label - 1]);
  }
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// When all blocks are joined, every component is final: the order of first pixels is that of the labels.
#include <algorithm>
#include <string>
#include <utility>

#include "blocks/check.hpp"
#include "blocks/joined.hpp"
#include "engine/image_checks.hpp"
#include "label/select.hpp"

namespace skerry {
namespace {

using namespace blocks;

void check_selection(const selection& keep) {
  if (keep.fill_holes)
    refuse(
        "keep: fill_holes is not a choice of components; label the background of all blocks by label_background(), and "
        "the blocks that fill_block() makes");
  if (keep.min_area > keep.max_area)
    refuse("keep: min_area " + std::to_string(keep.min_area) + " is above max_area " + std::to_string(keep.max_area));
}

// Labels of the components, and of the parts of them that began in other blocks.
block_labels labels_of(const piece::state& all, const std::vector<u32>& label_of_row) {
  block_labels labels;
  const std::vector<u64>& first = all.closed.first;
  labels.first.reserve(first.size() + all.closed_aliases.size());
  labels.label.reserve(labels.first.capacity());
  const auto label_of = [&](u64 owner) {
    return u64{
        label_of_row[static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), owner) - first.begin())]};
  };
  std::size_t row = 0;
  const auto add_rows_before = [&](u64 end) {
    for (; row < first.size() && first[row] < end; ++row) {
      labels.first.push_back(first[row]);
      labels.label.push_back(label_of_row[row]);
    }
  };
  for (const alias& part : all.closed_aliases) {
    add_rows_before(part.first);
    labels.first.push_back(part.first);
    labels.label.push_back(label_of(part.owner));
  }
  add_rows_before(~u64{0});
  return labels;
}

}  // namespace

numbering number(std::span<const piece> pieces, const selection& keep) {
  check_selection(keep);
  piece whole = joined_whole(pieces, "image");
  piece::state& all = whole.inside();
  if (all.closed.size() > UINT32_MAX)
    refuse("pieces: " + std::to_string(all.closed.size()) + " components are more than 2^32 - 1");

  numbering made;
  made.whole = all.whole;
  std::vector<u32> label_of_row, order;
  const label_stages::image_border border{all.whole, all.asked.periodic()};
  const u64 count = label_stages::choose(keep, border, all.closed.rows.components, label_of_row, order);
  made.labels = labels_of(all, label_of_row);
  made.labels.count = count;
  made.table = std::move(all.closed.rows);
  made.table.rank = all.whole.rank;
  made.table.has_moments = all.asked.has(question::moments);
  made.table.has_intensities = all.asked.has(question::intensities | question::real_intensities);
  label_stages::keep_chosen(label_of_row, count, made.table);
  return made;
}

block_labels labels_of_block(const numbering& of, const block_place& place, const extent& size) {
  if (place.whole != of.whole)
    refuse("place: whole " + text_of(place.whole) + " is not the size of the numbered image, " + text_of(of.whole));
  const box block = check_place(size, place);
  const block_labels& all = of.labels;
  block_labels part;
  part.count = all.count;
  auto from = all.first.begin();
  for (i64 z = block.begin[0]; z < block.end[0]; ++z)
    for (i64 y = block.begin[1]; y < block.end[1]; ++y) {
      const i64 row = (z * of.whole.height + y) * of.whole.width;
      from = std::lower_bound(from, all.first.end(), static_cast<u64>(row + block.begin[2]));
      for (; from != all.first.end() && *from < static_cast<u64>(row + block.end[2]); ++from) {
        part.first.push_back(*from);
        part.label.push_back(all.label[static_cast<std::size_t>(from - all.first.begin())]);
      }
    }
  return part;
}

}  // namespace skerry

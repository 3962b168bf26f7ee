// SPDX-License-Identifier: Apache-2.0
#include "blocks/check.hpp"

#include <string>

#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "label/select.hpp"

namespace skerry::blocks {

box check_place(const extent& block, const block_place& place) {
  check_extent("place: whole", place.whole);
  if (block.rank != place.whole.rank)
    refuse("place: rank " + std::to_string(place.whole.rank) + " of the whole image is not that of the block, " +
           std::to_string(block.rank));
  if (block.pixels() == 0) refuse("block: size " + text_of(block) + " has no pixels");
  const i64 origin[3] = {place.z, place.y, place.x};
  const i64 sides[3] = {block.depth, block.height, block.width};
  const i64 room[3] = {place.whole.depth, place.whole.height, place.whole.width};
  box placed;
  for (int axis = 0; axis < 3; ++axis) {
    if (origin[axis] < 0 || origin[axis] > room[axis] - sides[axis])
      refuse("place: a block of " + text_of(block) + " at (" + std::to_string(place.z) + ", " +
             std::to_string(place.y) + ", " + std::to_string(place.x) + ") is not within the whole image of " +
             text_of(place.whole));
    placed.begin[axis] = origin[axis];
    placed.end[axis] = origin[axis] + sides[axis];
  }
  return placed;
}

void check_block(const label_request& block, const block_place& place) {
  check_options(block.image, block.options);
  const label_options& options = block.options;
  if (label_stages::selects(options.selection) || options.selection.fill_holes)
    refuse("selection: a block cannot know which components stay; give the selection to number()");
  if (options.order != pixel_order::row_major) refuse("order: blocks are numbered in row_major order only");
  image_view whole = block.image;
  whole.size = place.whole;
  measure_options features = block.features;
  if (features.intensity.data != nullptr) features.intensity.size = place.whole;
  check_features(whole, features, "whole image");
}

label_request within_block(const label_request& block, const block_place& place) {
  label_request alone = block;
  periodic_axes& periodic = alone.options.periodic;
  const extent &size = block.image.size, &whole = place.whole;
  periodic.z = periodic.z && size.depth == whole.depth;
  periodic.y = periodic.y && size.height == whole.height;
  periodic.x = periodic.x && size.width == whole.width;
  return alone;
}

void check_labels_of(const char* name, const std::vector<labelled_run>& runs, const extent& block,
                     const block_place& place, const block_labels& given) {
  u64 known = 0;
  bool right = given.label.size() == given.first.size();
  for (const labelled_run& run : runs) {
    if (!right || run.label <= known) continue;  // labels are in the order of first pixels
    const i64 z = place.z + run.row / block.height, y = place.y + run.row % block.height;
    const auto first = static_cast<u64>((z * place.whole.height + y) * place.whole.width + place.x + run.begin);
    right = known < given.first.size() && given.first[known] == first && given.label[known] <= given.count;
    ++known;
  }
  if (!right || known != given.first.size())
    refuse(std::string(name) +
           ": the labels are not those of this block; make them by labels_of_block() for the same pixels, place and "
           "options that the first pass had");
}

}  // namespace skerry::blocks

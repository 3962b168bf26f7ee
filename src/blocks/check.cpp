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

void check_same(const char* name, const piece::state& a, const piece::state& b) {
  if (a.whole != b.whole)
    refuse(std::string(name) + ": pieces are of images of different sizes, " + text_of(a.whole) + " and " +
           text_of(b.whole));
  if (a.asked != b.asked)
    refuse(std::string(name) +
           ": pieces were labelled with different connectivity, foreground, joining, pixel type or features");
}

}  // namespace skerry::blocks

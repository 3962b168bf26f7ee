// SPDX-License-Identifier: Apache-2.0
#include "blocks/halo.hpp"

#include <algorithm>
#include <string>

#include "engine/image_checks.hpp"

namespace skerry::blocks {
namespace {

extent size_of(const box& of, int rank) {
  const i64 height = of.end[1] - of.begin[1], width = of.end[2] - of.begin[2];
  return rank == 3 ? extent{of.end[0] - of.begin[0], height, width} : extent{height, width};
}

}  // namespace

box block_in_halo(const extent& labels, const extent& whole, const box& placed, i64 halo) {
  const i64 room[3] = {whole.depth, whole.height, whole.width};
  const i64 sides[3] = {labels.depth, labels.height, labels.width};
  box part{};
  for (int axis = 0; axis < 3; ++axis) {
    const i64 reach = axis < 3 - whole.rank ? 0 : halo;
    const i64 before = std::min(reach, placed.begin[axis]), after = std::min(reach, room[axis] - placed.end[axis]);
    part.begin[axis] = before;
    part.end[axis] = before + placed.end[axis] - placed.begin[axis];
    if (sides[axis] != part.end[axis] + after)
      refuse("labels: size " + text_of(labels) + " is not that of the block, " + text_of(size_of(placed, whole.rank)) +
             ", and a halo of " + std::to_string(halo) + " pixels on all sides on which the image goes on");
  }
  return part;
}

image_view without_halo(const image_view& labels, const box& block) {
  image_view view = labels;
  view.size = size_of(block, labels.size.rank);
  view.data = static_cast<const std::byte*>(view.data) + block.begin[0] * view.strides.z +
              block.begin[1] * view.strides.y + block.begin[2] * view.strides.x;
  return view;
}

}  // namespace skerry::blocks

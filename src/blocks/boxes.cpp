// SPDX-License-Identifier: Apache-2.0
#include "blocks/boxes.hpp"

#include <iterator>
#include <string>

#include "engine/image_checks.hpp"

namespace skerry::blocks {
namespace {

u64 cell_key(i64 z, i64 y, i64 x) {
  // Sides are below 2^31 and boxes have pixels, but three such numbers do not fit 64 bits: a hash, which may collide.
  u64 key = static_cast<u64>(z) * 0x9e3779b97f4a7c15u;
  key = (key ^ key >> 29) + static_cast<u64>(y) * 0xbf58476d1ce4e5b9u;
  return (key ^ key >> 32) + static_cast<u64>(x) * 0x94d049bb133111ebu;
}

u64 common(i64 begin, i64 end, i64 other_begin, i64 other_end) {
  const i64 pixels = std::min(end, other_end) - std::max(begin, other_begin);
  return pixels > 0 ? static_cast<u64>(pixels) : 0;
}

}  // namespace

u64 box::pixels() const {
  u64 product = 1;
  for (int axis = 0; axis < 3; ++axis) product *= static_cast<u64>(end[axis] - begin[axis]);
  return product;
}

bool box::overlaps(const box& other) const {
  for (int axis = 0; axis < 3; ++axis)
    if (begin[axis] >= other.end[axis] || other.begin[axis] >= end[axis]) return false;
  return true;
}

neighbours::neighbours(const extent& whole, int connectivity, const periodic_axes& periodic)
    : whole_(whole), periodic_(periodic), axes_(axes_of(connectivity)) {}

box_index::box_index(const std::vector<box>& boxes) : boxes_(&boxes) {
  if (boxes.empty()) return;
  around_ = boxes.front();
  for (const box& b : boxes)
    for (int axis = 0; axis < 3; ++axis) {
      around_.begin[axis] = std::min(around_.begin[axis], b.begin[axis]);
      around_.end[axis] = std::max(around_.end[axis], b.end[axis]);
      cell_[axis] = std::max(cell_[axis], b.end[axis] - b.begin[axis]);
    }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const box& b = boxes[i];
    in_cell_[cell_key(b.begin[0] / cell_[0], b.begin[1] / cell_[1], b.begin[2] / cell_[2])].push_back(i);
  }
}

// A box that overlaps the place begins in the place's cells, or at most one cell before them. Visits may repeat when cells
// collide; they are stopped by visit() returning true.
template <class Visit>
void box_index::each_near(const box& place, Visit visit) const {
  if (boxes_->empty() || !around_.overlaps(place)) return;
  i64 low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = std::max(place.begin[axis], around_.begin[axis]) / cell_[axis] - 1;
    high[axis] = (std::min(place.end[axis], around_.end[axis]) - 1) / cell_[axis];
  }
  for (i64 z = low[0]; z <= high[0]; ++z)
    for (i64 y = low[1]; y <= high[1]; ++y)
      for (i64 x = low[2]; x <= high[2]; ++x) {
        const auto found = in_cell_.find(cell_key(z, y, x));
        if (found == in_cell_.end()) continue;
        for (const std::size_t i : found->second) {
          const box& b = (*boxes_)[i];
          const bool begins_here =
              b.begin[0] / cell_[0] == z && b.begin[1] / cell_[1] == y && b.begin[2] / cell_[2] == x;
          if (begins_here && visit(b)) return;
        }
      }
}

bool box_index::overlaps(const box& other) const {
  bool found = false;
  each_near(other, [&](const box& b) { return found = b.overlaps(other); });
  return found;
}

std::vector<box> box_index::near(const box& place, box& cells) const {
  for (int axis = 0; axis < 3; ++axis) {
    cells.begin[axis] = place.begin[axis] / cell_[axis] * cell_[axis];
    cells.end[axis] = ((place.end[axis] - 1) / cell_[axis] + 1) * cell_[axis];
  }
  std::vector<box> found;
  each_near(cells, [&](const box& b) {
    found.push_back(b);
    return false;
  });
  return found;
}

u64 box_coverage::covered(const stretch& pixels) {
  const box place{{pixels.z, pixels.y, pixels.begin}, {pixels.z + 1, pixels.y + 1, pixels.end}};
  if (!index_.around().overlaps(place)) return 0;
  bool within = true;
  for (int axis = 0; axis < 3; ++axis)
    within = within && cells_.begin[axis] <= place.begin[axis] && place.end[axis] <= cells_.end[axis];
  if (!within) near_ = index_.near(place, cells_);
  u64 sum = 0;
  for (const box& b : near_) {
    const bool has_row = b.begin[0] <= pixels.z && pixels.z < b.end[0] && b.begin[1] <= pixels.y && pixels.y < b.end[1];
    if (has_row) sum += common(b.begin[2], b.end[2], pixels.begin, pixels.end);
  }
  return sum;
}

std::vector<box> joined_boxes(const std::vector<box>& a, const std::vector<box>& b) {
  const box_index index(a);
  for (const box& other : b)
    if (index.overlaps(other))
      refuse("join: a block at (" + std::to_string(other.begin[0]) + ", " + std::to_string(other.begin[1]) + ", " +
             std::to_string(other.begin[2]) + ") is in both pieces, or overlaps one of the other");
  std::vector<box> all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

u64 pixels_of(const std::vector<box>& boxes) {
  u64 sum = 0;
  for (const box& b : boxes) sum += b.pixels();
  return sum;
}

}  // namespace skerry::blocks

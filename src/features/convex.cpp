// SPDX-License-Identifier: Apache-2.0
// Hulls by monotone chains [Andrew1979], exact in integers. The left side of a hull is a convex function of y, and so is the
// right side with its sign turned; both are one code.
#include "features/convex.hpp"

#include <algorithm>

#include "core/exact_number.hpp"

namespace skerry::features {
namespace {

// A corner of a side: the value is x on the left, -x on the right.
struct side_point {
  i64 y, value;
};
using hull_side = std::vector<side_point>;

// Whether b lies on or above the line from a to c, where y ascends.
bool is_no_corner(const side_point& a, const side_point& b, const side_point& c) {
  return wide{b.y - a.y} * (c.value - a.value) <= wide{b.value - a.value} * (c.y - a.y);
}

void append(hull_side& side, const side_point& next) {
  if (!side.empty() && side.back().y == next.y) {  // a half row between two rows
    if (side.back().value <= next.value) return;
    side.pop_back();
  }
  while (side.size() >= 2 && is_no_corner(side[side.size() - 2], side.back(), next)) side.pop_back();
  side.push_back(next);
}

// `sign` is 1 for the left side, -1 for the right one.
hull_side side_of(std::span<const plane_row> rows, i64 sign) {
  hull_side side;
  for (const plane_row& row : rows) {
    const i64 value = sign > 0 ? 2 * row.begin : -2 * (row.end - 1);
    append(side, {2 * row.y - 1, value});
    append(side, {2 * row.y, value - 1});
    append(side, {2 * row.y + 1, value});
  }
  return side;
}

i64 divided_up(wide value, wide divisor) {
  const wide quotient = value / divisor;
  return static_cast<i64>(quotient + (value % divisor > 0 ? 1 : 0));
}

// Walks down a side.
class side_walker {
 public:
  explicit side_walker(const hull_side& side) : side_(side) {}
  // The first pixel of row y that is not outside of the side; rows ascend.
  i64 first_pixel(i64 y) {
    while (side_[at_ + 1].y < 2 * y) ++at_;
    const side_point &a = side_[at_], &b = side_[at_ + 1];
    const wide height = b.y - a.y;
    return divided_up(wide{a.value} * height + wide{b.value - a.value} * (2 * y - a.y), 2 * height);
  }

 private:
  const hull_side& side_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<hull_point> hull_of(std::span<const plane_row> rows) {
  const hull_side left = side_of(rows, 1);
  hull_side right = side_of(rows, -1);
  std::reverse(right.begin(), right.end());
  std::vector<hull_point> corners;
  for (const side_point& corner : left) corners.push_back({corner.y, corner.value});
  for (const side_point& corner : right) {
    const hull_point point = {corner.y, -corner.value};
    if (point != corners.back() && point != corners.front()) corners.push_back(point);
  }
  return corners;
}

std::vector<plane_row> rows_in_hull(std::span<const plane_row> rows) {
  const hull_side left = side_of(rows, 1), right = side_of(rows, -1);
  side_walker from_left(left), from_right(right);
  std::vector<plane_row> inside;
  for (i64 y = rows.front().y; y <= rows.back().y; ++y) {
    const plane_row row = {y, from_left.first_pixel(y), 1 - from_right.first_pixel(y)};
    if (row.begin < row.end) inside.push_back(row);
  }
  return inside;
}

}  // namespace skerry::features

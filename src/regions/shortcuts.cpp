// SPDX-License-Identifier: Apache-2.0
#include "regions/shortcuts.hpp"

#include <algorithm>

#include "regions/outline_arcs.hpp"

namespace skerry::regions {
namespace {

i64 squared_length(const corner& a, const corner& b) {
  const i64 x = i64{b.x} - a.x, y = i64{b.y} - a.y;
  return x * x + y * y;  // below 2^63: coordinates are 0 to 2^31 - 1
}

// Positive where c is on the right of the way from a to b as y points down.
wide turn(const corner& a, const corner& b, const corner& c) {
  return static_cast<wide>(i64{b.x} - a.x) * (i64{c.y} - a.y) - static_cast<wide>(i64{b.y} - a.y) * (i64{c.x} - a.x);
}

int turn_sign(const corner& a, const corner& b, const corner& c) {
  const wide value = turn(a, b, c);
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// The squared distance from a line of a length that is not 0, times the square of that.
unsigned_wide scaled_distance(const corner& a, const corner& b, i64 length, const corner& p) {
  const wide along =
      static_cast<wide>(i64{p.x} - a.x) * (i64{b.x} - a.x) + static_cast<wide>(i64{p.y} - a.y) * (i64{b.y} - a.y);
  if (along <= 0) return static_cast<unsigned_wide>(squared_length(a, p)) * static_cast<u64>(length);
  if (along >= length) return static_cast<unsigned_wide>(squared_length(b, p)) * static_cast<u64>(length);
  const unsigned_wide across = magnitude_of(turn(a, b, p));
  return across * across;
}

// Whether c, which is on the endless line through a and b, is on it between them, but no end.
bool is_inside(const corner& a, const corner& b, const corner& c) {
  return c != a && c != b && std::min(a.x, b.x) <= c.x && c.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= c.y &&
         c.y <= std::max(a.y, b.y);
}

}  // namespace

farthest_point find_farthest(std::span<const corner> points) {
  const corner &a = points.front(), &b = points.back();
  const i64 length = std::max<i64>(1, squared_length(a, b));
  std::size_t farthest = 1;
  unsigned_wide most = scaled_distance(a, b, length, points[1]);
  for (std::size_t i = 2; i + 1 < points.size(); ++i) {
    const unsigned_wide distance = scaled_distance(a, b, length, points[i]);
    if (distance > most || (distance == most && raster_before(points[i], points[farthest]))) {
      most = distance;
      farthest = i;
    }
  }
  return {farthest, static_cast<double>(most) / static_cast<double>(length)};
}

bool lines_touch(const corner& a, const corner& b, const corner& c, const corner& d) {
  const int c_side = turn_sign(a, b, c), d_side = turn_sign(a, b, d);
  if (c_side * d_side > 0) return false;
  const int a_side = turn_sign(c, d, a), b_side = turn_sign(c, d, b);
  if (c_side * d_side < 0 && a_side * b_side < 0) return true;
  if ((c_side == 0 && is_inside(a, b, c)) || (d_side == 0 && is_inside(a, b, d))) return true;
  if ((a_side == 0 && is_inside(c, d, a)) || (b_side == 0 && is_inside(c, d, b))) return true;
  return a != b && ((a == c && b == d) || (a == d && b == c));
}

bool lies_between(const corner& point, std::span<const corner> points) {
  bool inside = false;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const corner &a = points[i], &b = points[i + 1];  // points of an arc follow each other in a row or a column
    if (a.x > point.x && (a.y <= point.y) != (b.y <= point.y)) inside = !inside;
  }
  const corner &from = points.back(), &to = points.front();
  if ((from.y <= point.y) == (to.y <= point.y)) return inside;
  const bool down = from.y < to.y;
  const int side = turn_sign(down ? from : to, down ? to : from, point);
  return side > 0 ? !inside : inside;  // the line down is on the right hand side of the point
}

}  // namespace skerry::regions

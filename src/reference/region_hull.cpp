// SPDX-License-Identifier: Apache-2.0
// Convex hulls of a region: all points, gift wrapping, and every pixel of the box asked whether it is inside. Points are doubled.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "reference/region_points.hpp"

namespace skerry::reference {
namespace {

struct lattice_point {
  i64 y, x;
  friend bool operator==(const lattice_point&, const lattice_point&) = default;
};
using lattice_points = std::vector<lattice_point>;

// Above 0 where c lies to one side of the line from a to b, below 0 on the other side.
i64 turn(const lattice_point& a, const lattice_point& b, const lattice_point& c) {
  return (b.y - a.y) * (c.x - a.x) - (b.x - a.x) * (c.y - a.y);
}

i64 square(const lattice_point& a, const lattice_point& b) {
  return (a.y - b.y) * (a.y - b.y) + (a.x - b.x) * (a.x - b.x);
}

// Each pixel as the middles of its four sides.
lattice_points diamonds(const lattice_points& pixels) {
  lattice_points points;
  for (const lattice_point& pixel : pixels)
    for (const i64 step : {-1, 1}) {
      points.push_back({2 * pixel.y + step, 2 * pixel.x});
      points.push_back({2 * pixel.y, 2 * pixel.x + step});
    }
  return points;
}

lattice_points gift_wrapped(const lattice_points& points) {
  const auto before = [](const lattice_point& a, const lattice_point& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; };
  const lattice_point first = *std::min_element(points.begin(), points.end(), before);
  lattice_points hull = {first};
  while (true) {
    const lattice_point from = hull.back();
    lattice_point next = points.front() == from ? points.back() : points.front();
    for (const lattice_point& point : points) {
      const i64 side = turn(from, next, point);
      if (side > 0 || (side == 0 && square(from, point) > square(from, next))) next = point;
    }
    if (next == first) return hull;
    hull.push_back(next);
  }
}

lattice_points convex_pixels(const region_points& of) {
  lattice_points pixels;
  for (const region_point& pixel : of.pixels) pixels.push_back({pixel.at[1], pixel.at[2]});
  const lattice_points hull = gift_wrapped(diamonds(pixels));
  lattice_points inside;
  for (i64 y = of.low[1]; y <= of.high[1]; ++y)
    for (i64 x = of.low[2]; x <= of.high[2]; ++x) {
      bool in = true;
      for (std::size_t k = 0; k < hull.size(); ++k)
        in = in && turn(hull[k], hull[(k + 1) % hull.size()], {2 * y, 2 * x}) <= 0;
      if (in) inside.push_back({y, x});
    }
  return inside;
}

struct corner {
  real y, x;
};
real distance_of(const corner& a, const corner& b) { return std::hypot(a.y - b.y, a.x - b.x); }

std::vector<corner> corners_of(const region_points& of) {
  std::vector<corner> corners;
  for (const lattice_point& point : gift_wrapped(diamonds(convex_pixels(of))))
    corners.push_back({static_cast<real>(point.y) / 2 * of.spacing[1], static_cast<real>(point.x) / 2 * of.spacing[2]});
  return corners;
}

real widest(const std::vector<corner>& corners) {
  real most = 0;
  for (const corner& a : corners)
    for (const corner& b : corners) most = std::max(most, distance_of(a, b));
  return most;
}

// How far the corners reach along a direction of length 1.
real reach(const std::vector<corner>& corners, real y, real x) {
  constexpr real infinite = std::numeric_limits<real>::infinity();
  real least = infinite, most = -infinite;
  for (const corner& each : corners) {
    least = std::min(least, each.y * y + each.x * x);
    most = std::max(most, each.y * y + each.x * x);
  }
  return most - least;
}

// A rectangle around the corners, on one of their sides.
struct rectangle {
  real across, length, width, orientation;
};

rectangle rectangle_on(const std::vector<corner>& corners, const corner& a, const corner& b) {
  const real length = distance_of(a, b), y = (b.y - a.y) / length, x = (b.x - a.x) / length;
  const real along = reach(corners, y, x), across = reach(corners, -x, y);
  constexpr real pi = std::numbers::pi_v<real>;
  real angle = along >= across ? std::atan2(x, y) : std::atan2(y, -x);
  if (angle > pi / 2) angle -= pi;
  if (angle <= -pi / 2) angle += pi;
  return {across, std::max(along, across), std::min(along, across), angle};
}

// The rectangle of the least value.
template <class Value>
rectangle least_rectangle(const std::vector<corner>& corners, Value value) {
  rectangle least = rectangle_on(corners, corners.back(), corners.front());
  for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
    const rectangle next = rectangle_on(corners, corners[k], corners[k + 1]);
    if (value(next) < value(least)) least = next;
  }
  return least;
}

struct circle {
  real radius;
  corner centre;
};

// The least circle through two or three corners that holds all.
circle least_circle(const std::vector<corner>& corners) {
  circle least = {std::numeric_limits<real>::infinity(), {0, 0}};
  const auto try_centre = [&](real y, real x) {
    real radius = 0;
    for (const corner& each : corners) radius = std::max(radius, distance_of(each, {y, x}));
    if (radius < least.radius) least = {radius, {y, x}};
  };
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const corner &a = corners[i], &b = corners[j];
      try_centre((a.y + b.y) / 2, (a.x + b.x) / 2);
      for (std::size_t k = 0; k < j; ++k) {
        const corner& c = corners[k];
        const real by = b.y - a.y, bx = b.x - a.x, cy = c.y - a.y, cx = c.x - a.x, twice = 2 * (by * cx - bx * cy);
        if (twice == 0) continue;
        const real b2 = by * by + bx * bx, c2 = cy * cy + cx * cx;
        try_centre(a.y + (b2 * cx - c2 * bx) / twice, a.x + (by * c2 - cy * b2) / twice);
      }
    }
  return least;
}

}  // namespace

bool hull_column(const region_points& of, const column_name& name, real& value) {
  if (of.rank == 3) return solid_hull_column(of, name, value);
  const auto is = [&](const char* stem) { return name.stem == stem; };
  if (is("area_convex")) return value = static_cast<real>(convex_pixels(of).size()) * of.content(), true;
  if (is("solidity"))
    return value = static_cast<real>(of.pixels.size()) / static_cast<real>(convex_pixels(of).size()), true;
  if (is("feret_diameter_max")) return value = widest(corners_of(of)), true;
  const auto across = [](const rectangle& r) { return r.across; };
  const auto area = [](const rectangle& r) { return r.length * r.width; };
  if (is("feret_diameter_min")) return value = least_rectangle(corners_of(of), across).across, true;
  if (name.stem.compare(0, 17, "minimum_rectangle") == 0) {
    const rectangle least = least_rectangle(corners_of(of), area);
    value = is("minimum_rectangle_area")     ? area(least)
            : is("minimum_rectangle_length") ? least.length
            : is("minimum_rectangle_width")  ? least.width
                                             : least.orientation;
    return true;
  }
  if (name.stem.compare(0, 15, "bounding_circle") != 0) return false;
  const circle least = least_circle(corners_of(of));
  value = is("bounding_circle_radius") ? least.radius : name.numbers[0] == 0 ? least.centre.y : least.centre.x;
  return true;
}

}  // namespace skerry::reference

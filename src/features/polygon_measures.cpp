// SPDX-License-Identifier: Apache-2.0
// Widths, rectangle and circle of a convex polygon. Every pair of a side and a corner is looked at: the hull of a disc of
// pixels has fewer corners than the square of the cube root of its diameter times four.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/convex.hpp"

namespace skerry::features {
namespace {

struct place {
  double y, x;
};

double distance(const place& a, const place& b) { return std::hypot(a.y - b.y, a.x - b.x); }

double largest_distance(const std::vector<place>& corners) {
  double square = 0;
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double y = corners[i].y - corners[j].y, x = corners[i].x - corners[j].x;
      square = std::max(square, y * y + x * x);
    }
  return std::sqrt(square);
}

// What a polygon measures across and along one of its sides.
struct side_measures {
  double across, along;
};

side_measures measured_from(const std::vector<place>& corners, const place& from, const place& to) {
  const double length = distance(from, to), y = (to.y - from.y) / length, x = (to.x - from.x) / length;
  double least_across = 0, most_across = 0, least_along = 0, most_along = 0;
  for (const place& corner : corners) {
    const double down = corner.y - from.y, right = corner.x - from.x;
    const double across = y * right - x * down, along = y * down + x * right;
    least_across = std::min(least_across, across);
    most_across = std::max(most_across, across);
    least_along = std::min(least_along, along);
    most_along = std::max(most_along, along);
  }
  return {most_across - least_across, most_along - least_along};
}

// Angle of a line from the axis of rows, above -pi/2, at most pi/2.
double angle_of(double y, double x) {
  constexpr double half = std::numbers::pi / 2;
  const double angle = std::atan2(x, y);
  if (angle > half) return angle - std::numbers::pi;
  return angle <= -half ? angle + std::numbers::pi : angle;
}

void measure_sides(const std::vector<place>& corners, polygon_measures& to) {
  double least_area = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const place &from = corners[i], &next = corners[(i + 1) % corners.size()];
    const side_measures side = measured_from(corners, from, next);
    if (i == 0 || side.across < to.narrowest) to.narrowest = side.across;
    const double area = side.across * side.along;
    if (i != 0 && area >= least_area) continue;
    least_area = area;
    to.length = std::max(side.across, side.along);
    to.width = std::min(side.across, side.along);
    const double y = next.y - from.y, x = next.x - from.x;
    to.orientation = side.along >= side.across ? angle_of(y, x) : angle_of(-x, y);
  }
}

struct circle {
  place centre;
  double radius;
  [[nodiscard]] bool holds(const place& point) const {
    constexpr double rounding = 1e-12;
    return distance(centre, point) <= radius * (1 + rounding);
  }
};

circle circle_of(const place& a, const place& b) {
  const place centre = {(a.y + b.y) / 2, (a.x + b.x) / 2};
  return {centre, std::max(distance(centre, a), distance(centre, b))};
}

circle circle_of(const place& a, const place& b, const place& c) {
  const double by = b.y - a.y, bx = b.x - a.x, cy = c.y - a.y, cx = c.x - a.x;
  const double twice = 2 * (by * cx - bx * cy);
  if (twice == 0) {  // on a line, as rounded: two of them are far enough apart
    const circle of_two[] = {circle_of(a, b), circle_of(a, c), circle_of(b, c)};
    return *std::max_element(std::begin(of_two), std::end(of_two),
                             [](const circle& p, const circle& q) { return p.radius < q.radius; });
  }
  const double b2 = by * by + bx * bx, c2 = cy * cy + cx * cx;
  const place centre = {a.y + (b2 * cx - c2 * bx) / twice, a.x + (by * c2 - cy * b2) / twice};
  return {centre, std::max({distance(centre, a), distance(centre, b), distance(centre, c)})};
}

// Incremental: a point outside of the circle of those before it lies on the circle that holds it too [Welzl1991].
circle least_circle(const std::vector<place>& points) {
  circle least = {points[0], 0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (least.holds(points[i])) continue;
    least = {points[i], 0};
    for (std::size_t j = 0; j < i; ++j) {
      if (least.holds(points[j])) continue;
      least = circle_of(points[i], points[j]);
      for (std::size_t k = 0; k < j; ++k)
        if (!least.holds(points[k])) least = circle_of(points[i], points[j], points[k]);
    }
  }
  return least;
}

}  // namespace

polygon_measures measures_of(std::span<const hull_point> corners, double spacing_y, double spacing_x) {
  std::vector<place> places;
  for (const hull_point& corner : corners)
    places.push_back({static_cast<double>(corner.y) / 2 * spacing_y, static_cast<double>(corner.x) / 2 * spacing_x});
  polygon_measures measures;
  measures.widest = largest_distance(places);
  measure_sides(places, measures);
  const circle least = least_circle(places);
  measures.radius = least.radius;
  measures.centre[0] = least.centre.y;
  measures.centre[1] = least.centre.x;
  return measures;
}

}  // namespace skerry::features

// SPDX-License-Identifier: Apache-2.0
// Group "basic": what follows from area, box and sums of coordinates.
#include <cmath>
#include <numbers>

#include "core/derived.hpp"
#include "features/groups.hpp"

namespace skerry::features {
namespace {

i64 label(const column_source& from, std::size_t row, int) { return static_cast<i64>(from.frame.table->labels[row]); }

i64 num_pixels(const column_source& from, std::size_t row, int) {
  return static_cast<i64>(from.frame.region(row).area);
}

i64 bbox(const column_source& from, std::size_t row, int place) {
  return static_cast<i64>(side_of_box(from.frame.region(row), from.frame.size.rank, place));
}

i64 touches_border(const column_source& from, std::size_t row, int) {
  const extent& size = from.frame.size;
  const geometry& g = from.frame.region(row);
  const i64 sides[3] = {size.depth, size.height, size.width};
  for (int axis = 3 - size.rank; axis < 3; ++axis)
    if (g.min[axis] == 0 || g.max[axis] == sides[axis] - 1) return 1;
  return 0;
}

double area(const column_source& from, std::size_t row, int) {
  return static_cast<double>(from.frame.region(row).area) * from.frame.pixel();
}

double box_pixels(const column_source& from, std::size_t row) {
  const geometry& g = from.frame.region(row);
  double pixels = 1;  // exact: at most 2^40
  for (int axis = 0; axis < 3; ++axis) pixels *= static_cast<double>(i64{g.max[axis]} - g.min[axis] + 1);
  return pixels;
}

double area_bbox(const column_source& from, std::size_t row, int) { return box_pixels(from, row) * from.frame.pixel(); }

double extent_of_box(const column_source& from, std::size_t row, int) {
  return static_cast<double>(from.frame.region(row).area) / box_pixels(from, row);
}

double equivalent_diameter_area(const column_source& from, std::size_t row, int) {
  const int rank = from.frame.size.rank;
  return std::pow(2 * rank * area(from, row, 0) / std::numbers::pi, 1.0 / rank);
}

double centroid(const column_source& from, std::size_t row, int place) {
  const int rank = from.frame.size.rank;
  return centroid_along(from.frame.region(row), rank, place) * from.frame.spacing[axis_of(rank, place)];
}

double centroid_local(const column_source& from, std::size_t row, int place) {
  const std::size_t axis = axis_of(from.frame.size.rank, place);
  const geometry& g = from.frame.region(row);
  const u64 sum = g.sum[axis] - g.area * static_cast<u64>(g.min[axis]);
  return static_cast<double>(sum) / static_cast<double>(g.area) * from.frame.spacing[axis];
}

constexpr feature_column basic_columns[] = {
    {"label", label},
    {"num_pixels", num_pixels},
    {"area", area},
    {"bbox", bbox, column_shape::box},
    {"area_bbox", area_bbox},
    {"extent", extent_of_box},
    {"equivalent_diameter_area", equivalent_diameter_area, column_shape::single, needs_many_axes},
    {"centroid", centroid, column_shape::per_axis},
    {"centroid_local", centroid_local, column_shape::per_axis},
    {"touches_border", touches_border},
};

}  // namespace

const feature_group basic_group = {.name = "basic", .columns = basic_columns};

}  // namespace skerry::features

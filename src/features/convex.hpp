// SPDX-License-Identifier: Apache-2.0
// Convex hulls of regions of a plane, whose pixels are diamonds as in scikit-image's convex_hull_image: a pixel reaches half
// a pixel up, down, left and right. Coordinates of points are twice those of pixels, and integers.
#pragma once
#include <span>
#include <vector>

#include "features/region_lists.hpp"

namespace skerry::features {

struct hull_point {
  i64 y, x;
  friend bool operator==(const hull_point&, const hull_point&) = default;
};

// Pixels [begin, end) of row y, the outermost ones of a region there.
struct plane_row {
  i64 y, begin, end;
};

// The corners of the hull of these rows, which ascend: down its left side, then up its right side.
[[nodiscard]] std::vector<hull_point> hull_of(std::span<const plane_row> rows);

// The rows of the pixels whose centres lie in the hull or on it: those of scikit-image's image_convex.
[[nodiscard]] std::vector<plane_row> rows_in_hull(std::span<const plane_row> rows);

// Of a convex polygon, in units of the spacing of pixels.
struct polygon_measures {
  double widest = 0, narrowest = 0;               // largest and least distance of two parallel lines around it
  double length = 0, width = 0, orientation = 0;  // of the rectangle of least area around it
  double radius = 0, centre[2] = {0, 0};          // of the least circle around it; (y, x)
};
[[nodiscard]] polygon_measures measures_of(std::span<const hull_point> corners, double spacing_y, double spacing_x);

}  // namespace skerry::features

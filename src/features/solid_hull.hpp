// SPDX-License-Identifier: Apache-2.0
// Convex hulls of regions of a volume, whose pixels are octahedra as in scikit-image's convex_hull_image: a pixel reaches half a
// pixel along each axis. Coordinates of points are twice those of pixels, and integers.
#pragma once
#include <span>
#include <vector>

#include "core/portable.hpp"

namespace skerry::features {

struct solid_point {
  i64 z, y, x;
  friend bool operator==(const solid_point&, const solid_point&) = default;
};

// Pixels [begin, end) of row (z, y), the outermost ones of a region there.
struct solid_row {
  i64 z, y, begin, end;
};

struct solid_measures {
  i64 pixels = 0;     // whose centres lie in the hull or on it: those of scikit-image's image_convex
  double widest = 0;  // the largest distance of two corners of the hull of all these pixels
};

// Of the hull of these rows, which are in raster order; `spacing` along z, y, x.
[[nodiscard]] solid_measures measures_of(std::span<const solid_row> rows, const double (&spacing)[3]);

}  // namespace skerry::features

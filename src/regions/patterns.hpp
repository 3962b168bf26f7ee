// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/portable.hpp"

namespace skerry::regions {

// What the neighbours of a region's pixels add up to in a plane, where all that is not of the region is outside. Counts stay the
// same when axes are exchanged: measure.cpp does so for images whose columns are contiguous, and turns none of these back.
struct plane_patterns {
  i64 euler;                  // corners less edges plus faces of the union of closed pixels
  i64 straight, slanted;      // lines along rows and columns, and along diagonals, that enter the region
  i64 side, diagonal, mixed;  // border pixels by the length that they stand for: 1, sqrt 2, (1 + sqrt 2) / 2
};

// The same in a volume.
struct volume_patterns {
  i64 euler;     // corners less edges plus faces less cells of the union of closed pixels
  i64 faces[3];  // of pixels, to what is outside, across z, y, x
};

}  // namespace skerry::regions

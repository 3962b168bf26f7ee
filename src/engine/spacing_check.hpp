// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "skerry/error.hpp"
#include "skerry/measure.hpp"

namespace skerry {

// Throws invalid_argument unless the sides of a pixel, of an image of that rank, are lengths.
inline void check_spacing(const pixel_spacing& spacing, int rank) {
  for (const double side : {rank == 3 ? spacing.z : 1.0, spacing.y, spacing.x})
    if (!(side > 0 && std::isfinite(side))) throw invalid_argument("spacing: must be finite and above 0");
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Lengths and angles of a component's ellipse or ellipsoid: of equal second moments, as scikit-image defines them.
#pragma once
#include <cstddef>

#include "core/derived.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// What a step along each axis measures: z, y, x. Pixels have 1.
struct axis_scale {
  double of[3] = {1, 1, 1};
};

/// Sum of the products of the distances to the centroid along axes a and b, times the area; exact.
[[nodiscard]] inline wide central_moment(const feature_table& table, std::size_t row, std::size_t a, std::size_t b) {
  return central_moment(table.components[row], table.moments[row], a, b);
}

/// Lengths are in the units of the scale; with {1, 1, 1} they have the bits of the columns in pixels. The table needs
/// moments; eccentricity and orientation are of rank 2.
[[nodiscard]] double axis_major_length(const feature_table& table, std::size_t row, const axis_scale& scale);
[[nodiscard]] double axis_minor_length(const feature_table& table, std::size_t row, const axis_scale& scale);
[[nodiscard]] double eccentricity(const feature_table& table, std::size_t row, const axis_scale& scale);
/// Angle from the rows' axis to the major axis, counter-clockwise, in radians.
[[nodiscard]] double orientation(const feature_table& table, std::size_t row, const axis_scale& scale);

}  // namespace skerry

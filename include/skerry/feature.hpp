// SPDX-License-Identifier: Apache-2.0
// What is known of one component, as exact integers. Plain data, shared by every engine; src/core/feature.hpp says how
// partial results join, and feature_table (measure.hpp) turns them into the columns that users know.
#pragma once
#include <cstdint>

namespace skerry {

/// A 128-bit two's-complement integer, so that sums never overflow.
struct wide_integer {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend constexpr bool operator==(const wide_integer&, const wide_integer&) = default;
};

/// Axes of coordinates: 0 is z (the slice), 1 is y (the row), 2 is x (the column).
struct geometry {
  std::uint64_t area = 0;                                   // pixels
  std::uint64_t sum[3] = {0, 0, 0};                         // of coordinates
  std::int32_t min[3] = {INT32_MAX, INT32_MAX, INT32_MAX};  // inclusive
  std::int32_t max[3] = {INT32_MIN, INT32_MIN, INT32_MIN};  // inclusive
  friend constexpr bool operator==(const geometry&, const geometry&) = default;
};

/// Sums of products of coordinates, about the image's origin.
struct second_moments {
  wide_integer zz, zy, zx, yy, yx, xx;
  friend constexpr bool operator==(const second_moments&, const second_moments&) = default;
};

/// Bits of `intensity::non_finite`.
enum : std::uint64_t { intensity_has_nan = 1, intensity_has_plus_infinity = 2, intensity_has_minus_infinity = 4 };

/// Sums of intensities, in units of the table's `sum_exponent` and `square_exponent`: exact for integer images, and for
/// float images a fixed-point sum that does not depend on any order (docs/journey.md, "measure").
struct intensity {
  double min = 1.0 / 0.0;  // of the pixels that are not NaN
  double max = -1.0 / 0.0;
  wide_integer sum;              // of the finite pixels
  wide_integer squares;          // of the finite pixels
  std::uint64_t non_finite = 0;  // as wide as its neighbours: rows have no padding
  friend constexpr bool operator==(const intensity&, const intensity&) = default;
};

/// Units of the sums of `intensity`: powers of two. 0 and 0 for integers.
struct intensity_scale {
  std::int32_t sum_exponent = 0;
  std::int32_t square_exponent = 0;
  friend constexpr bool operator==(const intensity_scale&, const intensity_scale&) = default;
};

}  // namespace skerry

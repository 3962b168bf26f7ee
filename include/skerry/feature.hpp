// SPDX-License-Identifier: Apache-2.0
// The record of one component, in exact integers. Plain data, shared by every engine; src/core/feature.hpp says how
// partial results join, and feature_table (measure.hpp) turns them into the columns that users know.
#pragma once
#include <cstdint>
#include <string>

#include "skerry/image.hpp"

namespace skerry {

/// A 128-bit two's-complement integer, so that sums never overflow.
struct wide_integer {
#ifdef __SIZEOF_INT128__
  __extension__ using int128 = __int128;
  __extension__ using unsigned_int128 = unsigned __int128;
  explicit constexpr operator int128() const {
    return static_cast<int128>(static_cast<unsigned_int128>(high) << 64 | low);
  }
#endif
  /// The nearest double; of two equally near ones the even one.
  [[nodiscard]] explicit operator double() const;
  /// Decimal digits, with a sign below 0.
  [[nodiscard]] std::string to_string() const;

  std::uint64_t low = 0;   // the lower 64 bits
  std::uint64_t high = 0;  // the upper 64 bits, with the sign
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
  wide_integer zz, zy, zx, yy, yx, xx;  // of each two of the coordinates z, y, x
  friend constexpr bool operator==(const second_moments&, const second_moments&) = default;
};

/// Intensities of a component in an image of integers of up to 32 bits: exact.
struct intensity {
  double min = 1.0 / 0.0;   // of the pixels
  double max = -1.0 / 0.0;  // the same
  wide_integer sum;         // the same
  wide_integer squares;     // sum of their squares
  friend constexpr bool operator==(const intensity&, const intensity&) = default;
};

/// Bits of `real_intensity::non_finite`.
enum : std::uint64_t { intensity_has_nan = 1, intensity_has_plus_infinity = 2, intensity_has_minus_infinity = 4 };

/// Intensities of a component in an image of floats or of 64-bit integers. The row follows from the component's own pixels,
/// in any order: it is the same bits on every engine, and however the component was cut into parts and joined.
///
/// Magnitudes are split into digits of 25 bits on a grid of powers of two that is the same for all numbers; bin k counts units
/// of 2^(unit + 25 k), where the highest bin holds the leading bit of the component's largest magnitude (of its square, for
/// `squares`). Digits below bin 0 are cut off. All bins are 0 when the component has an infinite pixel.
struct real_intensity {
  static constexpr int bins = 5;  // digits of 25 bits that are kept
  double min = 1.0 / 0.0;         // of the pixels that are not NaN; -0.0 is below 0.0; 64-bit integers are rounded
  double max = -1.0 / 0.0;        // the same
  std::int64_t sum[bins] = {0, 0, 0, 0, 0};       // of the finite pixels
  std::uint64_t squares[bins] = {0, 0, 0, 0, 0};  // of the finite pixels
  std::uint64_t non_finite = 0;                   // as wide as its neighbours: rows have no padding
  friend constexpr bool operator==(const real_intensity&, const real_intensity&) = default;
};

/// True when the intensities of an image of this type are rows of `real_intensity`, false when they are rows of `intensity`.
[[nodiscard]] constexpr bool sums_reals(dtype type) {
  return type == dtype::f16 || type == dtype::f32 || type == dtype::f64 || type == dtype::i64 || type == dtype::u64;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// What one thread makes of pixels that are floats or integers of 64 bits: their range, which says what bins are kept, and then
// their digits in these bins.
//
// Method  core/real_intensity.hpp. Shifts of the device give 0 past the end of a word: a digit is the bits of a mantissa shifted
//         up or down, without a branch.
#pragma once
#include "core/real_intensity.hpp"
#include "engine/cuda/intensity_image.cuh"
#include "engine/cuda/join_rows.cuh"

namespace skerry {

// ---- range ----------------------------------------------------------------------------------------

struct range_part {
  double min = 1.0 / 0.0, max = -1.0 / 0.0;
  u64 non_finite = 0;
};

__device__ inline void join(range_part& a, const range_part& b, join_alone with) {
  a.min = lesser(a.min, b.min);
  a.max = greater(a.max, b.max);
  with.flags(a.non_finite, b.non_finite);
}
__device__ inline void join(real_intensity& row, const range_part& part, join_at_once with) {
  with.least(row.min, part.min);
  with.most(row.max, part.max);
  with.flags(row.non_finite, part.non_finite);
}

__device__ inline void add_pixel(range_part& to, double value) {
  if (value != value) {
    to.non_finite |= intensity_has_nan;
    return;
  }
  if (value - value != 0) to.non_finite |= value > 0 ? intensity_has_plus_infinity : intensity_has_minus_infinity;
  to.min = lesser(to.min, value);
  to.max = greater(to.max, value);
}

// ---- digits ---------------------------------------------------------------------------------------

__device__ inline u32 shifted_up_or_out(u32 bits, i32 by) {
  u32 result;
  asm("shl.b32 %0, %1, %2;" : "=r"(result) : "r"(bits), "r"(by));
  return result;
}
__device__ inline u64 shifted_down_or_out(u64 bits, i32 by) {
  u64 result;
  asm("shr.b64 %0, %1, %2;" : "=l"(result) : "l"(bits), "r"(by));
  return result;
}

// As digit(), for mantissas of up to 64 bits.
__device__ inline u32 digit_on_device(u64 mantissa, i32 shift) {
  return (shifted_up_or_out(static_cast<u32>(mantissa), shift) |
          static_cast<u32>(shifted_down_or_out(mantissa, -shift))) &
         static_cast<u32>(digit_mask);
}

struct digit_part {
  i64 sum[bins_kept] = {};
  u64 squares[bins_kept] = {};
};

template <class To, class With>
__device__ void join(To& to, const digit_part& part, With with) {
#pragma unroll
  for (i32 k = 0; k < bins_kept; ++k) {
    with.sum(to.sum[k], part.sum[k]);
    with.sum(to.squares[k], part.squares[k]);
  }
}

// Where the lowest digits of a row are.
struct kept_units {
  i32 sum, square;

  [[nodiscard]] __device__ static kept_units of(const real_intensity& row) {
    const kept_bins bins = kept_bins::up_to(largest_exponent(row.min, row.max));
    return {bins.sum_unit(), bins.square_unit()};
  }
};

// `Narrow`: squares of mantissas fit 64 bits, as those of floats of at most 32 do.
template <bool Narrow>
struct digits_of_image {
  intensity_image image;

  __device__ void add_pixel(digit_part& to, kept_units units, i64 z, i64 y, i64 x) const {
    const real_parts number = parts_at(z, y, x);
    const i32 shift = number.exponent - units.sum, square_shift = 2 * number.exponent - units.square;
#pragma unroll
    for (i32 k = 0; k < bins_kept; ++k) {
      const i64 sum = digit_on_device(number.mantissa, shift - k * bin_bits);
      to.sum[k] += number.negative ? -sum : sum;
      to.squares[k] += digit_of_square(number.mantissa, square_shift - k * bin_bits);
    }
  }

 private:
  // NaN and infinities have no digits.
  [[nodiscard]] __device__ real_parts parts_at(i64 z, i64 y, i64 x) const {
    if constexpr (Narrow) {
      const auto value = static_cast<float>(image.at(z, y, x));
      return value - value == 0 ? parts_of(value) : real_parts{};
    } else {
      const char* const place = image.place(z, y, x);
      if (image.type == dtype::u64) return parts_of(intensity_image::read<u64>(place));
      if (image.type == dtype::i64) return parts_of(intensity_image::read<i64>(place));
      const auto value = intensity_image::read<double>(place);
      return value - value == 0 ? parts_of(value) : real_parts{};
    }
  }
  __device__ static u64 digit_of_square(u64 mantissa, i32 shift) {
    if constexpr (Narrow) return digit_on_device(u64{static_cast<u32>(mantissa)} * static_cast<u32>(mantissa), shift);
    else return digit(static_cast<unsigned_wide>(mantissa) * mantissa, shift);
  }
};

}  // namespace skerry

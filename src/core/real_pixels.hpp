// SPDX-License-Identifier: Apache-2.0
// Pixels of one component, one after the other, to its row of real intensities: what a thread of the CPU does. Two passes: the
// range first, which says what bins are kept, then the digits.
#pragma once
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/real_intensity.hpp"

namespace skerry {

/// The least and the largest of some pixels that are not NaN.
template <class Pixel>
class real_range {
 public:
  void add(Pixel pixel) {
    if constexpr (is_float) {
      const order at = order_of_bits(same_bits<order>(pixel));
      const bool number = !std::isnan(pixel);
      nan_ |= !number;
      least_ = number && at < least_ ? at : least_;
      most_ = number && at > most_ ? at : most_;
    } else {
      least_ = pixel < least_ ? pixel : least_;
      most_ = pixel > most_ ? pixel : most_;
    }
  }
  [[nodiscard]] double min() const { return least_ > most_ ? infinity : value_of(least_); }
  [[nodiscard]] double max() const { return least_ > most_ ? -infinity : value_of(most_); }
  [[nodiscard]] u64 non_finite() const {
    return (nan_ ? u64{intensity_has_nan} : 0) | (max() == infinity ? u64{intensity_has_plus_infinity} : 0) |
           (min() == -infinity && least_ <= most_ ? u64{intensity_has_minus_infinity} : 0);
  }

 private:
  static constexpr bool is_float = std::is_floating_point_v<Pixel>;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  // Floats as integers of the same order.
  using order = std::conditional_t<!is_float, Pixel, std::conditional_t<sizeof(Pixel) == 4, i32, i64>>;

  static order order_of_bits(order bits) { return bits < 0 ? bits ^ std::numeric_limits<order>::max() : bits; }
  static double value_of(order at) {
    if constexpr (is_float) return static_cast<double>(same_bits<Pixel>(order_of_bits(at)));
    else return static_cast<double>(at);
  }

  order least_ = std::numeric_limits<order>::max(), most_ = std::numeric_limits<order>::lowest();
  bool nan_ = false;
};

/// Adds digits to a row whose range holds the pixels.
template <class Pixel>
class digit_adder {
 public:
  explicit digit_adder(const real_intensity& row)
      : sum_unit_(kept_bins::of(row).sum_unit()), square_unit_(kept_bins::of(row).square_unit()),
        none_(largest_exponent(row.min, row.max) > 2000) {}

  /// There is an infinity: nothing else counts.
  [[nodiscard]] bool none() const { return none_; }

  void add(real_intensity& row, Pixel pixel) const {
    if constexpr (std::is_floating_point_v<Pixel>)
      if (std::isnan(pixel)) return;
    const real_parts number = parts_of(pixel);
    const place at = place::of(number.exponent - sum_unit_, 63);
    const u64 mantissa = number.mantissa >> at.cut, sign = number.negative ? ~u64{0} : 0;
    for (i32 k = 0; k < digits_of_sum; ++k) {
      const u64 digit = digit_of(mantissa, k, at.shift);
      row.sum[bin(at.lowest + k)] += static_cast<i64>((digit ^ sign) - sign);
    }
    const place square_at = place::of(2 * number.exponent - square_unit_, 8 * sizeof(square_type) - 1);
    const square_type square = static_cast<square_type>(number.mantissa) * number.mantissa >> square_at.cut;
    for (i32 k = 0; k < digits_of_square; ++k)
      row.squares[bin(square_at.lowest + k)] += digit_of(square, k, square_at.shift);
  }

 private:
  static constexpr int mantissa_bits = std::is_floating_point_v<Pixel> ? std::numeric_limits<Pixel>::digits : 64;
  static constexpr i32 digits_for(int bits) { return (bits + 2 * bin_bits - 2) / bin_bits; }
  static constexpr i32 digits_of_sum = digits_for(mantissa_bits);
  static constexpr i32 digits_of_square =
      digits_for(2 * mantissa_bits) < bins_kept ? digits_for(2 * mantissa_bits) : bins_kept;
  using square_type = std::conditional_t<2 * mantissa_bits <= 64, u64, unsigned_wide>;

  // Where the lowest bit of a mantissa lies: `shift` bits into a bin, or `cut` bits below the lowest one.
  struct place {
    i32 lowest, shift, cut;
    static place of(i32 bits, i32 most_cut) {
      if (bits < 0) return {0, 0, -bits < most_cut ? -bits : most_cut};
      return {bits / bin_bits, bits % bin_bits, 0};
    }
  };
  // Higher digits are 0, since the range holds the pixel.
  static i32 bin(i32 k) { return k < bins_kept ? k : bins_kept - 1; }

  template <class Mantissa>
  static u64 digit_of(Mantissa mantissa, i32 k, i32 shift) {
    if (k == 0) return static_cast<u64>(mantissa) << shift & digit_mask;
    const i32 down = k * bin_bits - shift;
    constexpr auto bits = static_cast<i32>(8 * sizeof(Mantissa));
    return down < bits ? static_cast<u64>(mantissa >> down) & digit_mask : 0;
  }

  i32 sum_unit_, square_unit_;
  bool none_;
};

}  // namespace skerry

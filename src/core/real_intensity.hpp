// SPDX-License-Identifier: Apache-2.0
// One pixel's share of its component's intensity where pixels are floats or integers of 64 bits: reproducible sums, which
// know neither the order of pixels nor how a component was cut into parts.
//
// Method  Every magnitude is a row of digits of 25 bits on a grid that is the same for all numbers; bin k adds up digit k of
//         each pixel, as integers. A component keeps five bins, the highest of which has the leading bit of its largest
//         magnitude; digits below are cut off. When a larger pixel comes, bins move down and the lowest are dropped: what
//         is kept is what would have been kept from the start. So digits of 100 bits or more below the largest magnitude
//         count, and of squares 99 [Demmel2015, Ahrens2020; docs/decisions/0027].
#pragma once
#include <cmath>
#include <cstring>

#include "core/exact_number.hpp"
#include "core/feature.hpp"

namespace skerry {

inline constexpr int bin_bits = 25, bins_kept = real_intensity::bins;
inline constexpr u64 digit_mask = (u64{1} << bin_bits) - 1;

/// Pixels of an image whose bins cannot overflow.
inline constexpr i64 most_pixels_of_real_sums = i64{1} << (63 - bin_bits);

// ---- numbers ------------------------------------------------------------------------------------------------------

/// The magnitude of a finite number is mantissa · 2^exponent.
struct real_parts {
  u64 mantissa;
  i32 exponent;
  bool negative;
};

template <class To, class From>
SKERRY_BOTH To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

SKERRY_BOTH inline real_parts parts_of(double value) {
  const u64 bits = same_bits<u64>(value), fraction = bits & ((u64{1} << 52) - 1);
  const auto power = static_cast<i32>(bits >> 52 & 0x7ff);
  return power == 0 ? real_parts{fraction, -1074, bits >> 63 != 0}
                    : real_parts{fraction | u64{1} << 52, power - 1075, bits >> 63 != 0};
}
SKERRY_BOTH inline real_parts parts_of(float value) {
  const u32 bits = same_bits<u32>(value), fraction = bits & ((u32{1} << 23) - 1);
  const auto power = static_cast<i32>(bits >> 23 & 0xff);
  return power == 0 ? real_parts{fraction, -149, bits >> 31 != 0}
                    : real_parts{fraction | u32{1} << 23, power - 150, bits >> 31 != 0};
}
SKERRY_BOTH inline real_parts parts_of(u64 value) { return {value, 0, false}; }
SKERRY_BOTH inline real_parts parts_of(i64 value) {
  return {value < 0 ? -static_cast<u64>(value) : static_cast<u64>(value), 0, value < 0};
}

// ---- ranges -------------------------------------------------------------------------------------------------------

/// Orders doubles as their values, and -0.0 before 0.0.
SKERRY_BOTH inline i64 order_of(double value) {
  const i64 bits = same_bits<i64>(value);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}
SKERRY_BOTH inline double lesser(double a, double b) { return order_of(b) < order_of(a) ? b : a; }
SKERRY_BOTH inline double greater(double a, double b) { return order_of(b) > order_of(a) ? b : a; }

/// The exponent of a component's largest magnitude: below those of all numbers when there is none, above when it is infinite.
SKERRY_BOTH inline i32 largest_exponent(double min, double max) {
  constexpr i32 of_nothing = -1100, of_infinity = 4000;
  if (!(min <= max)) return of_nothing;
  const double low = fabs(min), high = fabs(max), most = low > high ? low : high;
  const u64 bits = same_bits<u64>(most);
  const auto power = static_cast<i32>(bits >> 52);
  if (power == 0x7ff) return of_infinity;
  if (power != 0) return power - 1023;
  return most == 0 ? of_nothing : ilogb(most);
}

/// Which bins a component keeps: the numbers of the highest, on the grid.
struct kept_bins {
  i32 sum, squares;

  [[nodiscard]] SKERRY_BOTH static kept_bins up_to(i32 exponent) {
    constexpr i32 offset = 200;  // bins below 0, so that division rounds down
    return {(exponent + offset * bin_bits) / bin_bits - offset,
            (2 * exponent + 1 + offset * bin_bits) / bin_bits - offset};
  }
  [[nodiscard]] SKERRY_BOTH static kept_bins of(const real_intensity& row) {
    return up_to(largest_exponent(row.min, row.max));
  }
  // The unit of the lowest bin is two to this power.
  [[nodiscard]] SKERRY_BOTH i32 sum_unit() const { return (sum - bins_kept + 1) * bin_bits; }
  [[nodiscard]] SKERRY_BOTH i32 square_unit() const { return (squares - bins_kept + 1) * bin_bits; }
};

// ---- bins ---------------------------------------------------------------------------------------------------------

/// Moves bins down by `steps`; the lowest are dropped. By distances that the compiler knows: a device keeps in registers only
/// what is not looked up by a number.
template <class Sum>
SKERRY_BOTH void move_down(Sum (&bins)[bins_kept], i32 steps) {
  if (steps == 0) return;
  const auto move = [&](i32 by) {
    for (i32 k = 0; k < bins_kept; ++k) bins[k] = k + by < bins_kept ? bins[k + by] : 0;
  };
  if ((steps & 1) != 0) move(1);
  if ((steps & 2) != 0) move(2);
  if ((steps & 4) != 0) move(4);
  if (steps >= 8) move(8);
}

/// Joins bins whose highest is `steps` above that of the sum, or below it where that is negative. Sums that other threads join
/// to at the same time cannot move: there it is never above.
template <class Sum, class Join>
SKERRY_BOTH void join_moved(Sum (&bins)[bins_kept], const Sum (&part)[bins_kept], i32 steps, Join with) {
  if (steps > 0) move_down(bins, steps);
  Sum moved[bins_kept];
  for (i32 k = 0; k < bins_kept; ++k) moved[k] = part[k];
  if (steps < 0) move_down(moved, -steps);
  for (i32 k = 0; k < bins_kept; ++k) with.sum(bins[k], moved[k]);
}

/// Joins the bins of a part to those of a row, which have been kept for the ranges `to` and `from`.
template <class Join>
SKERRY_BOTH void join_bins(real_intensity& row, kept_bins to, const real_intensity& part, kept_bins from, Join with) {
  join_moved(row.sum, part.sum, from.sum - to.sum, with);
  join_moved(row.squares, part.squares, from.squares - to.squares, with);
}

/// Widens the range of a row.
SKERRY_BOTH inline void widen(real_intensity& row, double min, double max) {
  const kept_bins was = kept_bins::of(row);
  row.min = lesser(row.min, min);
  row.max = greater(row.max, max);
  const kept_bins now = kept_bins::of(row);
  move_down(row.sum, now.sum - was.sum);
  move_down(row.squares, now.squares - was.squares);
}

/// What a component keeps grows with its range: the joined row keeps what the one of the two does that keeps the higher bins.
SKERRY_BOTH inline void join(real_intensity& a, const real_intensity& b, join_alone with) {
  const kept_bins to = kept_bins::of(a), from = kept_bins::of(b);
  a.min = lesser(a.min, b.min);
  a.max = greater(a.max, b.max);
  join_bins(a, to, b, from, with);
  with.flags(a.non_finite, b.non_finite);
}

/// Digit of mantissa · 2^shift in the bin of units 2^0; 0 where the mantissa does not reach.
SKERRY_BOTH inline u64 digit(u64 mantissa, i32 shift) {
  if (shift >= 0) return shift < bin_bits ? mantissa << shift & digit_mask : 0;
  return shift > -64 ? mantissa >> -shift & digit_mask : 0;
}
SKERRY_BOTH inline u64 digit(unsigned_wide mantissa, i32 shift) {
  if (shift >= 0) return shift < bin_bits ? static_cast<u64>(mantissa) << shift & digit_mask : 0;
  return shift > -128 ? static_cast<u64>(mantissa >> -shift) & digit_mask : 0;
}

/// Adds the digits of `count` equal numbers to a row whose range holds them.
SKERRY_BOTH inline void add_digits(real_intensity& row, const real_parts& number, u64 count) {
  const kept_bins to = kept_bins::of(row);
  const i32 shift = number.exponent - to.sum_unit(), square_shift = 2 * number.exponent - to.square_unit();
  const auto square = static_cast<unsigned_wide>(number.mantissa) * number.mantissa;
  for (i32 k = 0; k < bins_kept; ++k) {
    const u64 sum = digit(number.mantissa, shift - k * bin_bits) * count;
    row.sum[k] += static_cast<i64>(number.negative ? -sum : sum);
    row.squares[k] += digit(square, square_shift - k * bin_bits) * count;
  }
}

/// The intensities of `count` pixels of one value, which may be infinite but not NaN, of a component that reaches to `farthest`.
SKERRY_BOTH inline real_intensity real_intensity_of(double value, u64 count, double farthest) {
  real_intensity row;
  row.min = lesser(value, farthest);
  row.max = greater(value, farthest);
  if (value - value != 0) row.non_finite = value > 0 ? intensity_has_plus_infinity : intensity_has_minus_infinity;
  else add_digits(row, parts_of(value), count);
  return row;
}
SKERRY_BOTH inline real_intensity real_intensity_of(double value, u64 count) {
  return real_intensity_of(value, count, value);
}

// ---- totals -------------------------------------------------------------------------------------------------------

struct exact_sum {
  natural<3> magnitude;
  bool negative = false;
};

/// What bins hold, in units of the lowest.
SKERRY_BOTH inline exact_sum total_of(const i64 (&bins)[bins_kept]) {
  unsigned_wide low = 0;  // 125 bits
  wide carry = 0;
  for (i32 k = 0; k < bins_kept; ++k) {
    carry += bins[k];
    low |= static_cast<unsigned_wide>(static_cast<u64>(carry) & digit_mask) << (k * bin_bits);
    carry >>= bin_bits;
  }
  constexpr int room = 128 - bins_kept * bin_bits;
  low |= static_cast<unsigned_wide>(carry) << (128 - room);
  auto high = static_cast<u64>(carry >> room);
  const bool negative = carry < 0;
  if (negative) {
    low = -low;
    high = ~high + (low == 0 ? 1 : 0);
  }
  return {{{static_cast<u64>(low), static_cast<u64>(low >> 64), high}}, negative};
}

SKERRY_BOTH inline natural<3> total_of(const u64 (&bins)[bins_kept]) {
  natural<3> total;
  for (i32 k = 0; k < bins_kept; ++k) {
    const natural<3> part = shifted_up<3>(natural<1>{{bins[k]}}, k * bin_bits);
    u64 carry = 0;
    for (int word = 0; word < 3; ++word) {
      const unsigned_wide sum = static_cast<unsigned_wide>(total.words[word]) + part.words[word] + carry;
      total.words[word] = static_cast<u64>(sum);
      carry = static_cast<u64>(sum >> 64);
    }
  }
  return total;
}

}  // namespace skerry

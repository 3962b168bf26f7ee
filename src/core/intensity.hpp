// SPDX-License-Identifier: Apache-2.0
// One pixel's share of its component's intensity: the same integers on every engine, in any order.
#pragma once
#include <cmath>

#include "core/feature.hpp"

namespace skerry {

// Integers are summed as they are. Floats are rounded to multiples of a power of two that is far below the largest of
// them, because integer sums know no order.
inline constexpr int intensity_fraction_bits = 62;

/// The scale for floats whose largest finite magnitude is `largest`.
SKERRY_BOTH inline intensity_scale scale_of_floats_up_to(double largest) {
  if (largest == 0) return {};
  const int above = ilogb(largest) + 1;  // |value| < 2^above
  return {above - intensity_fraction_bits, 2 * above - intensity_fraction_bits};
}

SKERRY_BOTH inline void add_integer(intensity& part, i64 value) {
  const u64 magnitude = static_cast<u64>(value < 0 ? -value : value);
  const auto real = static_cast<double>(value);
  part.min = real < part.min ? real : part.min;
  part.max = real > part.max ? real : part.max;
  add(part.sum, wide_from(value));
  add(part.squares, wide_product(magnitude, magnitude));
}

/// Sums of integers of at most 16 bits, up to 2^31 of them: native ones are enough.
struct narrow_sums {
  i32 min = INT32_MAX, max = INT32_MIN;
  i64 sum = 0;
  u64 squares = 0;

  SKERRY_BOTH void add(i32 value) {
    min = value < min ? value : min;
    max = value > max ? value : max;
    sum += value;
    squares += static_cast<u64>(i64{value} * value);
  }
  /// Of at least one value.
  SKERRY_BOTH void add_to(intensity& part) const {
    part.min = min < part.min ? min : part.min;
    part.max = max > part.max ? max : part.max;
    skerry::add(part.sum, wide_from(sum));
    skerry::add(part.squares, {squares, 0});
  }
};

SKERRY_BOTH inline void add_float(intensity& part, double pixel, const intensity_scale& scale) {
  const double value = pixel + 0.0;  // -0.0 becomes 0.0
  if (value != value) {
    part.non_finite |= intensity_has_nan;
    return;
  }
  part.min = value < part.min ? value : part.min;
  part.max = value > part.max ? value : part.max;
  if (value - value != 0) {
    part.non_finite |= value > 0 ? intensity_has_plus_infinity : intensity_has_minus_infinity;
    return;
  }
  if (value == 0) return;
  constexpr int bits = intensity_fraction_bits;
  const double share = ldexp(value, -(scale.sum_exponent + bits));  // below 1
  const double square = share * share;
  add(part.sum, wide_from(static_cast<i64>(nearbyint(ldexp(share, bits)))));
  add(part.squares, wide_from(static_cast<i64>(nearbyint(ldexp(square, bits)))));
}

}  // namespace skerry

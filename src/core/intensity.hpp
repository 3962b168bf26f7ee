// SPDX-License-Identifier: Apache-2.0
// One pixel's share of its component's intensity, where pixels are integers of at most 32 bits.
#pragma once
#include "core/feature.hpp"

namespace skerry {

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

}  // namespace skerry

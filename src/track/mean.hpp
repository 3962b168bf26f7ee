// SPDX-License-Identifier: Apache-2.0
// The running mean of a pixel, as every engine keeps it: frame_threshold::background().
#pragma once
#include <cmath>
#include <limits>

#include "core/portable.hpp"
#include "skerry/track.hpp"

namespace skerry::track_steps {

inline constexpr int mean_fraction_bits = 8;

// Differences from the mean that are still background.
struct mean_limits {
  i32 low, high;
  int adaptation;

  static mean_limits of(const frame_threshold& how) {
    using side = frame_threshold::side;
    // Differences are whole, so they are above the limit exactly when they are above the whole part of it.
    const auto limit = static_cast<i32>(std::floor(how.difference * (1 << mean_fraction_bits)));
    return {how.where == side::bright ? std::numeric_limits<i32>::min() : -limit,
            how.where == side::dark ? std::numeric_limits<i32>::max() : limit, how.adaptation};
  }
};

template <class Pixel>
SKERRY_BOTH i32 in_mean_units(Pixel value, bool truth) {
  return (truth ? static_cast<i32>(value != 0) : static_cast<i32>(value)) * (1 << mean_fraction_bits);
}

// Whether the pixel is foreground; then the mean follows it.
SKERRY_BOTH inline u8 step_mean(i32 value, const mean_limits& limits, i32& mean) {
  const i32 difference = value - mean;
  mean += difference >> limits.adaptation;
  return static_cast<u8>(difference < limits.low) | static_cast<u8>(difference > limits.high);
}

}  // namespace skerry::track_steps

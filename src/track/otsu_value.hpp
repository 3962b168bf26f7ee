// SPDX-License-Identifier: Apache-2.0
// Which double Otsu's method takes for a pixel, and when each value has a bin of its own: the same on every engine.
#pragma once
#include <cmath>
#include <type_traits>

#include "core/float16.hpp"
#include "core/portable.hpp"

namespace skerry::track_steps {

inline constexpr u32 otsu_most_bins = 65536;

/// The pixel's value. An integer of 64 bits that no double holds becomes the next double above it, so that no pixel is
/// above the threshold of an image of one value.
template <class Number>
SKERRY_BOTH double otsu_value(Number number) {
  if constexpr (std::is_same_v<Number, f16>) {
    return static_cast<double>(number_of(number));
  } else if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
    const auto nearest = static_cast<double>(number);
    constexpr double beyond = std::is_signed_v<Number> ? 0x1p63 : 0x1p64;
    const bool is_below = nearest < beyond && static_cast<Number>(nearest) < number;
    return is_below ? nextafter(nearest, beyond) : nearest;
  } else {
    return static_cast<double>(number);
  }
}

/// For whole values from `least` to `most`. Below 2^53 each is a double.
SKERRY_BOTH inline bool has_bin_per_value(double least, double most) {
  return most - least < otsu_most_bins && least > -0x1p53 && most < 0x1p53;
}

/// Whether a pixel is above a threshold that was found for its image, or at most that; both exact, and NaN is neither.
template <class Number>
SKERRY_BOTH bool is_above(Number number, double threshold) {
  if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
    constexpr double beyond = std::is_signed_v<Number> ? 0x1p63 : 0x1p64;
    return threshold < beyond && number > static_cast<Number>(floor(threshold));
  } else {
    return otsu_value(number) > threshold;
  }
}
template <class Number>
SKERRY_BOTH bool is_at_most(Number number, double threshold) {
  if constexpr (std::is_integral_v<Number>) return !is_above(number, threshold);
  else return otsu_value(number) <= threshold;
}

}  // namespace skerry::track_steps

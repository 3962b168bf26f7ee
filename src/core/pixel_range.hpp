// SPDX-License-Identifier: Apache-2.0
// The foreground rule as a closed range of a pixel type. Worked out on the host, once per call; applied by every engine.
#pragma once
#include <cmath>
#include <limits>

#include "core/portable.hpp"
#include "skerry/label.hpp"

namespace skerry {

/// Values low <= v <= high, or those outside; NaN is in neither. A range with low > high holds nothing.
template <class Pixel>
struct pixel_range {
  Pixel low = 1, high = 0;
  bool inside = true;

  [[nodiscard]] SKERRY_BOTH bool holds(Pixel value) const {
    return inside ? low <= value && value <= high : value < low || value > high;
  }
};

/// The values of a pixel type that a rule takes for foreground.
template <class Pixel>
pixel_range<Pixel> range_of(const foreground& rule) {
  using limits = std::numeric_limits<Pixel>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (rule.kind == foreground::rule::nonzero) return {0, 0, false};
  if (rule.kind == foreground::rule::above && rule.low == infinity) return {};
  const double least = rule.kind == foreground::rule::above ? std::nextafter(rule.low, infinity) : rule.low;
  double most = infinity;
  if (rule.kind == foreground::rule::within) most = rule.high;
  if constexpr (limits::is_integer) {
    const double low = std::ceil(least), high = std::floor(most);
    constexpr auto lowest = static_cast<double>(limits::lowest()), highest = static_cast<double>(limits::max());
    if (!(low <= high) || low > highest || high < lowest) return {};
    return {low <= lowest ? limits::lowest() : static_cast<Pixel>(low),
            high >= highest ? limits::max() : static_cast<Pixel>(high), true};
  } else {
    auto low = static_cast<Pixel>(least), high = static_cast<Pixel>(most);
    if (static_cast<double>(low) < least) low = std::nextafter(low, limits::infinity());
    if (static_cast<double>(high) > most) high = std::nextafter(high, -limits::infinity());
    if (!(low <= high)) return {};
    return {low, high, true};
  }
}

/// What a rule makes of pixels that can only be 0 or 1.
struct truth_rule {
  bool zero, one;

  [[nodiscard]] static truth_rule of(const foreground& rule) {
    const pixel_range<u8> range = range_of<u8>(rule);
    return {range.holds(0), range.holds(1)};
  }
};

}  // namespace skerry

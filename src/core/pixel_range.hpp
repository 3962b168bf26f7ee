// SPDX-License-Identifier: Apache-2.0
// The foreground rule as a closed range of a pixel type. Worked out on the host, once per call; applied by every engine.
#pragma once
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/float16.hpp"
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

/// The same of binary16, by keys in the order of its numbers: low and high are keys of numbers, so NaN is in no range.
template <>
struct pixel_range<f16> {
  i32 low = 1, high = 0;
  bool inside = true;

  [[nodiscard]] SKERRY_BOTH bool holds(f16 value) const {
    const i32 key = f16_key(value);
    const bool is_number = f16_key_of_minus_infinity <= key && key <= f16_key_of_infinity;
    return inside ? low <= key && key <= high : is_number && (key < low || key > high);
  }
};

// The values that are not low + high: an integer that is no double where high is not 0.
template <class Pixel>
pixel_range<Pixel> whole_range_except(double low, double high) {
  using limits = std::numeric_limits<Pixel>;
  constexpr double beyond = 0x1p65;
  const bool is_whole = low == std::floor(low) && high == std::floor(high) && std::abs(low) < beyond;
  const __int128 value = is_whole ? static_cast<__int128>(low) + static_cast<__int128>(high) : 0;
  if (!is_whole || value < limits::lowest() || value > limits::max()) return {limits::lowest(), limits::max(), true};
  return {static_cast<Pixel>(value), static_cast<Pixel>(value), false};
}

// Whole numbers are compared with the rule as integers: a double holds those of 64 bits only up to 2^53.
template <class Pixel>
pixel_range<Pixel> whole_range_of(const foreground& rule) {
  using limits = std::numeric_limits<Pixel>;
  constexpr auto half_of_beyond = static_cast<Pixel>(limits::max() / 2 + 1);
  constexpr auto lowest = static_cast<double>(limits::lowest()), half = static_cast<double>(half_of_beyond);
  constexpr double beyond = 2 * half;  // the largest value and 1; all of these are exact
  if (rule.kind == foreground::rule::except) return whole_range_except<Pixel>(rule.low, rule.high);
  const bool above = rule.kind == foreground::rule::above;
  const double low = above ? std::floor(rule.low) : std::ceil(rule.low);
  const double high =
      rule.kind == foreground::rule::within ? std::floor(rule.high) : std::numeric_limits<double>::infinity();
  if (!(low < beyond) || high < lowest) return {};
  Pixel least = low < lowest ? limits::lowest() : static_cast<Pixel>(low);
  if (above && low >= lowest) {
    if (least == limits::max()) return {};
    ++least;
  }
  const Pixel most = high >= beyond ? limits::max() : static_cast<Pixel>(high);
  if (least > most) return {};
  return {least, most, true};
}

inline pixel_range<f16> f16_range_of(const foreground& rule) {
  // The first key whose number passes; those after it pass, too.
  const auto first = [](auto passes) {
    i32 begin = f16_key_of_minus_infinity, end = f16_key_of_infinity + 1;
    while (begin < end) {
      const i32 middle = begin + (end - begin) / 2;
      if (passes(static_cast<double>(number_of(f16_of_key(middle))))) end = middle;
      else begin = middle + 1;
    }
    return begin;
  };
  if (rule.kind == foreground::rule::except) {
    const i32 low = first([&](double number) { return number >= rule.low; }),
              high = first([&](double number) { return number > rule.low; }) - 1;
    if (low > high || rule.high != 0) return {f16_key_of_minus_infinity, f16_key_of_infinity, true};
    return {low, high, false};
  }
  const bool above = rule.kind == foreground::rule::above;
  const i32 low = first([&](double number) { return above ? number > rule.low : number >= rule.low; });
  if (rule.kind != foreground::rule::within) return {low, f16_key_of_infinity, true};
  return {low, first([&](double number) { return number > rule.high; }) - 1, true};
}

template <class Pixel>
pixel_range<Pixel> real_range_of(const foreground& rule) {
  using limits = std::numeric_limits<Pixel>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (rule.kind == foreground::rule::except) {
    const auto value = static_cast<Pixel>(rule.low);
    if (static_cast<double>(value) != rule.low || rule.high != 0)
      return {-limits::infinity(), limits::infinity(), true};
    return {value, value, false};
  }
  if (rule.kind == foreground::rule::above && rule.low == infinity) return {};
  const double least = rule.kind == foreground::rule::above ? std::nextafter(rule.low, infinity) : rule.low;
  double most = infinity;
  if (rule.kind == foreground::rule::within) most = rule.high;
  auto low = static_cast<Pixel>(least), high = static_cast<Pixel>(most);
  if (static_cast<double>(low) < least) low = std::nextafter(low, limits::infinity());
  if (static_cast<double>(high) > most) high = std::nextafter(high, -limits::infinity());
  if (!(low <= high)) return {};
  return {low, high, true};
}

/// The values of a pixel type that a rule takes for foreground.
template <class Pixel>
pixel_range<Pixel> range_of(const foreground& rule) {
  if constexpr (std::is_same_v<Pixel, f16>) {
    if (rule.kind == foreground::rule::nonzero) return {f16_key({0x8000}), f16_key({0}), false};
    return f16_range_of(rule);
  } else {
    if (rule.kind == foreground::rule::nonzero) return {0, 0, false};
    if constexpr (std::is_integral_v<Pixel>) return whole_range_of<Pixel>(rule);
    else return real_range_of<Pixel>(rule);
  }
}

/// The bytes of i8 pixels that a rule takes, for code that compares bytes without sign: negative ones are the upper half.
inline pixel_range<u8> range_of_signed_bytes(const foreground& rule) {
  const pixel_range<std::int8_t> range = range_of<std::int8_t>(rule);
  const auto low = static_cast<u8>(range.low), high = static_cast<u8>(range.high);
  if (!range.inside || range.low > range.high || range.low >= 0 || range.high < 0) return {low, high, range.inside};
  return {static_cast<u8>(high + 1), static_cast<u8>(low - 1), false};
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

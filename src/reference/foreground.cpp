// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

using wide = __int128;

template <class Pixel>
double load(const std::byte* address) {
  Pixel value;
  std::memcpy(&value, address, sizeof value);
  return static_cast<double>(value);
}

template <class Pixel>
wide load_whole(const std::byte* address) {
  Pixel value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

// Binary16 by its definition: a sign, 5 bits of exponent, 10 of fraction.
double load_f16(const std::byte* address) {
  const auto bits = static_cast<unsigned>(load<std::uint16_t>(address));
  const double sign = bits >> 15 != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = std::ldexp(bits & 1023, -10);
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15));
}

// -1, 0 or 1: an integer against a real number, neither of them rounded.
int compare(wide whole, double number) {
  if (number >= 0x1p64) return -1;
  if (number < -0x1p63) return 1;
  const double floor = std::floor(number);
  if (whole != static_cast<wide>(floor)) return whole < static_cast<wide>(floor) ? -1 : 1;
  return floor == number ? 0 : -1;
}

// Whether an integer is the sum of two doubles, of which the second is the smaller.
bool is_sum(wide whole, double low, double high) {
  if (high == 0) return compare(whole, low) == 0;
  const bool is_whole = high == std::floor(high) && std::abs(low) <= 0x1p64;  // low is whole if high is
  return is_whole && whole == static_cast<wide>(low) + static_cast<wide>(high);
}

bool takes_whole(const foreground& rule, wide value) {
  switch (rule.kind) {
    case foreground::rule::nonzero: return value != 0;
    case foreground::rule::above: return compare(value, rule.low) > 0;
    case foreground::rule::at_least: return compare(value, rule.low) >= 0;
    case foreground::rule::within: return compare(value, rule.low) >= 0 && compare(value, rule.high) <= 0;
    case foreground::rule::except: return !is_sum(value, rule.low, rule.high);
  }
  return false;
}

bool takes(const foreground& rule, double value) {
  if (value != value) return false;  // NaN
  switch (rule.kind) {
    case foreground::rule::nonzero: return value != 0;
    case foreground::rule::above: return value > rule.low;
    case foreground::rule::at_least: return value >= rule.low;
    case foreground::rule::within: return rule.low <= value && value <= rule.high;
    case foreground::rule::except: return value != rule.low || rule.high != 0;
  }
  return false;
}

const std::byte* row_at(const image_view& image, i64 z, i64 y) {
  return static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y;
}

bool takes_pixel(const foreground& rule, const image_view& image, i64 z, i64 y, i64 x) {
  const std::byte* pixel = row_at(image, z, y) + x * image.strides.x;
  if (image.type == dtype::u64) return takes_whole(rule, load_whole<std::uint64_t>(pixel));
  if (image.type == dtype::i64) return takes_whole(rule, load_whole<std::int64_t>(pixel));
  return takes(rule, value_at(image, z, y, x));
}

}  // namespace

double value_at(const image_view& image, i64 z, i64 y, i64 x) {
  const std::byte* row = row_at(image, z, y);
  if (image.type == dtype::bit) return static_cast<double>((std::to_integer<unsigned>(row[x / 8]) >> (x % 8)) & 1U);
  const std::byte* pixel = row + x * image.strides.x;
  switch (image.type) {
    case dtype::boolean: return *pixel != std::byte{0} ? 1 : 0;
    case dtype::u8: return load<std::uint8_t>(pixel);
    case dtype::u16: return load<std::uint16_t>(pixel);
    case dtype::u32: return load<std::uint32_t>(pixel);
    case dtype::i8: return load<std::int8_t>(pixel);
    case dtype::i16: return load<std::int16_t>(pixel);
    case dtype::i32: return load<std::int32_t>(pixel);
    case dtype::f16: return load_f16(pixel);
    case dtype::f32: return load<float>(pixel);
    case dtype::f64: return load<double>(pixel);
    case dtype::i64: return load<std::int64_t>(pixel);
    case dtype::u64: return load<std::uint64_t>(pixel);
    case dtype::bit: break;  // above
  }
  return 0;
}

exact exact_value_at(const image_view& image, i64 z, i64 y, i64 x) {
  const std::byte* pixel = row_at(image, z, y) + x * image.strides.x;
  if (image.type == dtype::u64) return static_cast<exact>(load_whole<std::uint64_t>(pixel));
  if (image.type == dtype::i64) return static_cast<exact>(load_whole<std::int64_t>(pixel));
  return value_at(image, z, y, x);
}

std::vector<u8> foreground_of(const image_view& image, const foreground& rule) {
  std::vector<u8> mask;
  mask.reserve(static_cast<std::size_t>(image.size.pixels()));
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y)
      for (i64 x = 0; x < image.size.width; ++x) mask.push_back(takes_pixel(rule, image, z, y, x) ? 1 : 0);
  return mask;
}

}  // namespace skerry::reference

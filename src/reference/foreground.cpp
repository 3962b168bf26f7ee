// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

template <class Pixel>
double load(const std::byte* address) {
  Pixel value;
  std::memcpy(&value, address, sizeof value);
  return static_cast<double>(value);
}

bool takes(const foreground& rule, double value) {
  if (value != value) return false;  // NaN
  switch (rule.kind) {
    case foreground::rule::nonzero: return value != 0;
    case foreground::rule::above: return value > rule.low;
    case foreground::rule::at_least: return value >= rule.low;
    case foreground::rule::within: return rule.low <= value && value <= rule.high;
  }
  return false;
}

}  // namespace

double value_at(const image_view& image, i64 z, i64 y, i64 x) {
  const std::byte* row = static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y;
  if (image.type == dtype::bit) return static_cast<double>((std::to_integer<unsigned>(row[x / 8]) >> (x % 8)) & 1U);
  const std::byte* pixel = row + x * image.strides.x;
  switch (image.type) {
    case dtype::boolean: return *pixel != std::byte{0} ? 1 : 0;
    case dtype::u8: return load<std::uint8_t>(pixel);
    case dtype::u16: return load<std::uint16_t>(pixel);
    case dtype::u32: return load<std::uint32_t>(pixel);
    case dtype::i16: return load<std::int16_t>(pixel);
    case dtype::i32: return load<std::int32_t>(pixel);
    case dtype::f32: return load<float>(pixel);
    case dtype::f64: return load<double>(pixel);
    case dtype::bit:
    case dtype::u64: break;  // refused before: a double does not hold every 64-bit integer
  }
  return 0;
}

std::vector<u8> foreground_of(const image_view& image, const foreground& rule) {
  std::vector<u8> mask;
  mask.reserve(static_cast<std::size_t>(image.size.pixels()));
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y)
      for (i64 x = 0; x < image.size.width; ++x) mask.push_back(takes(rule, value_at(image, z, y, x)) ? 1 : 0);
  return mask;
}

}  // namespace skerry::reference

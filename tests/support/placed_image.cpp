// SPDX-License-Identifier: Apache-2.0
#include "support/placed_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace skerry::test {
namespace {

using i64 = std::int64_t;
constexpr auto junk = std::byte{0xA5};  // not 0 in any pixel type, and bits of both kinds

struct placement {
  byte_strides strides;
  std::size_t origin = 0, bytes = 0;
  bool at_end = false;
};

// `unit` is a pixel, or a row of packed bits, whose pixels cannot be moved apart.
byte_strides strides_for(layout arrangement, const extent& size, i64 unit, i64 width) {
  const i64 row = width * unit, height = size.height, depth = size.depth;
  switch (arrangement) {
    case layout::padded_rows: return {(row + 3 * unit) * height + 5 * unit, row + 3 * unit, unit};
    case layout::every_second_pixel: return {(2 * row + unit) * height, 2 * row + unit, 2 * unit};
    case layout::backward_rows: return {-row * height, -row, unit};
    case layout::backward: return {-row * height, -row, -unit};
    case layout::transposed: return {row * height, unit, height * unit};
    case layout::slices_inside: return {unit, row * depth, depth * unit};
    case layout::unaligned: return {(row + 1) * height, row + 1, unit};
    case layout::dense: break;
  }
  return {row * height, row, unit};
}

placement placement_for(dtype type, const extent& size, layout arrangement) {
  const bool bits = type == dtype::bit;
  const i64 unit = bits ? (size.width + 7) / 8 : static_cast<i64>(size_of(type)), width = bits ? 1 : size.width;
  placement p;
  p.strides = strides_for(arrangement, size, unit, width);
  p.at_end = arrangement != layout::padded_rows;
  if (size.pixels() == 0) return p;
  i64 first = 0, last = 0;
  const i64 reach[3] = {p.strides.z * (size.depth - 1), p.strides.y * (size.height - 1), p.strides.x * (width - 1)};
  for (const i64 distance : reach) (distance < 0 ? first : last) += distance;
  const i64 before = arrangement == layout::unaligned ? 1 : 0;
  p.origin = static_cast<std::size_t>(before - first);
  // One byte less at the end makes every address odd.
  p.bytes = static_cast<std::size_t>(before - first + last + unit + before);
  return p;
}

template <class Pixel>
void store_as(std::byte* address, double value) {
  const auto pixel = static_cast<Pixel>(value);
  std::memcpy(address, &pixel, sizeof pixel);
}

// Binary16 from a number that it holds: a sign, 5 bits of exponent, 10 of fraction.
std::uint16_t half_of(double value) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return 0x7e00;
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = std::max(magnitude == 0 ? -14 : std::ilogb(magnitude), -14);
  const double fraction = std::ldexp(magnitude, 10 - exponent);  // 1024…2047, or less for subnormals
  if (exponent > 15 || fraction != std::floor(fraction)) throw std::logic_error("binary16 does not hold this number");
  const int bits = static_cast<int>(fraction) + (exponent + 14) * 1024;
  return static_cast<std::uint16_t>(sign | bits);
}

void store(dtype type, std::byte* address, double value) {
  switch (type) {
    case dtype::boolean:
    case dtype::u8: return store_as<std::uint8_t>(address, value);
    case dtype::u16: return store_as<std::uint16_t>(address, value);
    case dtype::u32: return store_as<std::uint32_t>(address, value);
    case dtype::u64: return store_as<std::uint64_t>(address, value);
    case dtype::i8: return store_as<std::int8_t>(address, value);
    case dtype::f16: return store_as<std::uint16_t>(address, half_of(value));
    case dtype::i64: return store_as<std::int64_t>(address, value);
    case dtype::i16: return store_as<std::int16_t>(address, value);
    case dtype::i32: return store_as<std::int32_t>(address, value);
    case dtype::f32: return store_as<float>(address, value);
    case dtype::f64: return store_as<double>(address, value);
    case dtype::bit: break;
  }
  throw std::logic_error("a bit has no address");
}

std::uint64_t load(const std::byte* address, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, address, bytes);  // little endian
  return value;
}

template <class Visit>
void each_pixel(const extent& size, Visit visit) {
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x) visit(z, y, x);
}

}  // namespace

const char* name_of(layout arrangement) {
  switch (arrangement) {
    case layout::dense: return "dense";
    case layout::padded_rows: return "padded rows";
    case layout::every_second_pixel: return "every second pixel";
    case layout::backward_rows: return "backward rows";
    case layout::backward: return "backward";
    case layout::transposed: return "transposed";
    case layout::slices_inside: return "slices inside";
    case layout::unaligned: return "unaligned";
  }
  return "?";
}

placed_image::placed_image(dtype type, const extent& size, layout arrangement)
    : type_(type), size_(size), strides_(placement_for(type, size, arrangement).strides),
      origin_(placement_for(type, size, arrangement).origin),
      memory_(placement_for(type, size, arrangement).bytes, placement_for(type, size, arrangement).at_end) {
  if (memory_.bytes() != 0) std::memset(memory_.begin(), std::to_integer<int>(junk), memory_.bytes());
}

placed_image::placed_image(dtype type, const extent& size, layout arrangement, const std::vector<double>& values)
    : placed_image(type, size, arrangement) {
  std::size_t i = 0;
  each_pixel(size, [&](i64 z, i64 y, i64 x) {
    const double value = values.at(i++);
    if (type != dtype::bit) return store(type, pixel(z, y, x), value);
    const auto bit = std::byte{1} << (x % 8);
    std::byte& eight = memory_.begin()[static_cast<i64>(origin_) + z * strides_.z + y * strides_.y + x / 8];
    eight = value != 0 ? eight | bit : eight & ~bit;
  });
}

std::byte* placed_image::pixel(i64 z, i64 y, i64 x) const {
  return memory_.begin() + origin_ + z * strides_.z + y * strides_.y + x * strides_.x;
}

mutable_image placed_image::target() const { return {memory_.begin() + origin_, type_, size_, strides_}; }

std::vector<std::uint64_t> placed_image::values() const {
  std::vector<std::uint64_t> all;
  all.reserve(static_cast<std::size_t>(size_.pixels()));
  each_pixel(size_, [&](i64 z, i64 y, i64 x) { all.push_back(load(pixel(z, y, x), size_of(type_))); });
  return all;
}

bool placed_image::surroundings_untouched() const {
  std::vector<std::byte> bytes(memory_.begin(), memory_.begin() + memory_.bytes());
  each_pixel(size_, [&](i64 z, i64 y, i64 x) {
    std::memset(bytes.data() + (pixel(z, y, x) - memory_.begin()), std::to_integer<int>(junk), size_of(type_));
  });
  for (const std::byte value : bytes)
    if (value != junk) return false;
  return true;
}

}  // namespace skerry::test

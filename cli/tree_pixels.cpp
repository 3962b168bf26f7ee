// SPDX-License-Identifier: Apache-2.0
#include "cli/tree_pixels.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "io/half.hpp"

namespace skerry::cli {
namespace {

template <class Pixel>
Pixel pixel_at(const io::image& read, std::int64_t i) {
  Pixel pixel;
  std::memcpy(&pixel, read.bytes.get() + i * static_cast<std::int64_t>(sizeof pixel), sizeof pixel);
  return pixel;
}

// Replaces each pixel by number(pixel).
template <class From, class Convert>
void convert(picture& from, dtype type, Convert number) {
  io::image& image = from.pixels;
  std::unique_ptr<std::byte[]> bytes = io::allocate_pixels(from.name, type, image.size);
  for (std::int64_t i = 0; i < image.size.pixels(); ++i) {
    const auto value = number(pixel_at<From>(image, i));
    std::memcpy(bytes.get() + i * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
  }
  image.bytes = std::move(bytes);
  image.type = type;
}

bool fits_32_bits(const io::image& image) {
  for (std::int64_t i = 0; i < image.size.pixels(); ++i)
    if (pixel_at<std::uint64_t>(image, i) > std::numeric_limits<std::uint32_t>::max()) return false;
  return true;
}

}  // namespace

void convert_for_trees(picture& from) {
  if (from.pixels.type == dtype::f16) convert<std::uint16_t>(from, dtype::f32, io::from_half);
  if (from.pixels.type == dtype::u64 && fits_32_bits(from.pixels))
    convert<std::uint64_t>(from, dtype::u32, [](std::uint64_t value) { return static_cast<std::uint32_t>(value); });
}

}  // namespace skerry::cli

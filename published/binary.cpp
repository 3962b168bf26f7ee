// SPDX-License-Identifier: Apache-2.0
// Papers begin with a binary image of bytes. Other pixels are made such, and that is a phase of its own.
#include "published/binary.hpp"

#include <cstring>

#include "core/pixel_range.hpp"
#include "core/pixel_type.hpp"

namespace skerry::published {
namespace {

template <class Pixel>
void write_row(const std::byte* row, i64 stride, i64 width, const pixel_range<Pixel>& range, u8* out) {
  for (i64 x = 0; x < width; ++x) {
    Pixel value;
    std::memcpy(&value, row + x * stride, sizeof value);
    out[x] = range.holds(value) ? 1 : 0;
  }
}

template <class Pixel>
void write_rows(const image_view& image, const foreground& rule, u8* out) {
  const pixel_range<Pixel> range = range_of<Pixel>(rule);
  const i64 width = image.size.width;
  constexpr i64 dense = sizeof(Pixel);  // known to the compiler, so that it finds vectors
  for (i64 y = 0; y < image.size.height; ++y, out += width) {
    const std::byte* row = static_cast<const std::byte*>(image.data) + y * image.strides.y;
    if (image.strides.x == dense) write_row(row, dense, width, range, out);
    else write_row(row, image.strides.x, width, range, out);
  }
}

// Pixels that can only be 0 or 1.
void write_truth(const image_view& image, const foreground& rule, u8* out) {
  const truth_rule truth = truth_rule::of(rule);
  for (i64 y = 0; y < image.size.height; ++y) {
    const std::byte* row = static_cast<const std::byte*>(image.data) + y * image.strides.y;
    for (i64 x = 0; x < image.size.width; ++x) {
      const std::byte byte = image.type == dtype::bit ? row[x / 8] >> (x % 8) & std::byte{1} : row[x * image.strides.x];
      *out++ = (byte != std::byte{0} ? truth.one : truth.zero) ? 1 : 0;
    }
  }
}

}  // namespace

bool is_binary(const image_view& image, const foreground& rule) {
  return (image.type == dtype::u8 || image.type == dtype::boolean) && image.strides.x == 1 &&
         rule.kind == foreground::rule::nonzero;
}

binary_rows rows_of(const image_view& image) {
  return {static_cast<const std::byte*>(image.data), image.size.height, image.size.width, image.strides.y};
}

binary_rows binary_of(const image_view& image, const foreground& rule, buffer<u8>& memory) {
  memory.reserve(static_cast<std::size_t>(image.size.pixels()));
  if (image.type == dtype::bit || image.type == dtype::boolean) write_truth(image, rule, memory.data());
  else
    with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) { write_rows<Pixel>(image, rule, memory.data()); });
  return {reinterpret_cast<const std::byte*>(memory.data()), image.size.height, image.size.width, image.size.width};
}

}  // namespace skerry::published

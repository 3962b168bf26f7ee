// SPDX-License-Identifier: Apache-2.0
// Stage 1, encode: pixels to keys.
//
// Reads   the image, any type and strides
// Writes  dense unsigned keys of the same size in bytes, whose order is that of the pixels, or the reverse for min-trees
// Method  integers shifted to be unsigned; floats by flipping their bits; -0.0 becomes 0.0
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/order_key.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Calls work.operator()<Pixel>() for the type of an image.
template <class Work>
auto with_pixel(dtype type, Work work) {
  switch (type) {
    case dtype::u16: return work.template operator()<u16>();
    case dtype::i16: return work.template operator()<std::int16_t>();
    case dtype::u32: return work.template operator()<u32>();
    case dtype::f32: return work.template operator()<float>();
    default: return work.template operator()<u8>();
  }
}

template <class Pixel>
bool is_nan(Pixel value) {
  if constexpr (std::is_floating_point_v<Pixel>) return std::isnan(value);
  else return false;
}

template <class Pixel, bool Dense>
bool encode_row(const std::byte* pixels, i64 stride, i64 width, key_of<Pixel> flip, key_of<Pixel>* keys) {
  bool valid = true;
  for (i64 x = 0; x < width; ++x) {
    Pixel value;
    std::memcpy(&value, pixels + x * (Dense ? static_cast<i64>(sizeof(Pixel)) : stride), sizeof value);
    valid &= !is_nan(value);
    keys[x] = static_cast<key_of<Pixel>>(order_key(value) ^ flip);
  }
  return valid;
}

template <class Pixel>
i64 first_nan(const std::byte* pixels, i64 stride, i64 width) {
  for (i64 x = 0; x < width; ++x) {
    Pixel value;
    std::memcpy(&value, pixels + x * stride, sizeof value);
    if (is_nan(value)) return x;
  }
  return -1;
}

template <class Pixel>
i64 encode_rows(const image_view& image, tree_kind kind, row_range rows, key_of<Pixel>* keys) {
  const auto flip = static_cast<key_of<Pixel>>(kind == tree_kind::min ? ~key_of<Pixel>{0} : key_of<Pixel>{0});
  const i64 width = image.size.width;
  for (i64 r = rows.begin; r < rows.end; ++r) {
    const std::byte* row = static_cast<const std::byte*>(image.data) + r / image.size.height * image.strides.z +
                           r % image.size.height * image.strides.y;
    const bool dense = image.strides.x == static_cast<i64>(sizeof(Pixel));
    const bool valid = dense ? encode_row<Pixel, true>(row, 0, width, flip, keys + r * width)
                             : encode_row<Pixel, false>(row, image.strides.x, width, flip, keys + r * width);
    if (!valid) return r * width + first_nan<Pixel>(row, image.strides.x, width);
  }
  return -1;
}

}  // namespace

i64 encode(const image_view& image, tree_kind kind, row_range rows, void* keys) {
  return with_pixel(image.type, [&]<class Pixel>() {
    return encode_rows<Pixel>(image, kind, rows, static_cast<key_of<Pixel>*>(keys));
  });
}

void levels_of(std::span<const u32> keys, dtype type, tree_kind kind, double* levels) {
  with_pixel(type, [&]<class Pixel>() {
    const u32 flip = kind == tree_kind::min ? ~u32{0} : 0;
    for (std::size_t i = 0; i < keys.size(); ++i)
      levels[i] = static_cast<double>(value_of_key<Pixel>(static_cast<key_of<Pixel>>(keys[i] ^ flip)));
  });
}

double level_of(u32 key, dtype type, tree_kind kind) {
  double level = 0;
  levels_of({&key, 1}, type, kind, &level);
  return level;
}

}  // namespace skerry::tree_stages

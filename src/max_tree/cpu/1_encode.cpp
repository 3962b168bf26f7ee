// SPDX-License-Identifier: Apache-2.0
// Stage 1, encode: pixels to keys.
//
// Reads   the image, any type and strides
// Writes  dense unsigned keys of the same size in bytes, whose order is that of the pixels, or the reverse for min-trees
// Refuses NaN, and integers of 64 bits beyond 2^53: levels are doubles, and exact
// Method  integers shifted to be unsigned; floats by flipping their bits; -0.0 becomes 0.0
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/order_key.hpp"
#include "core/pixel_type.hpp"
#include "max_tree/check.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Whether a pixel has no level: NaN, and whole numbers that a double need not hold.
template <class Pixel>
bool has_no_level(Pixel value) {
  constexpr i64 most = most_whole_level;
  if constexpr (std::is_same_v<Pixel, f16>) return (value.bits & 0x7fff) > f16_key_of_infinity;
  else if constexpr (std::is_floating_point_v<Pixel>) return std::isnan(value);
  else if constexpr (std::is_same_v<Pixel, i64>) return value > most || value < -most;
  else if constexpr (std::is_same_v<Pixel, u64>) return value > most;
  else return false;
}

template <class Pixel, bool Dense>
bool encode_row(const std::byte* pixels, i64 stride, i64 width, key_of<Pixel> flip, key_of<Pixel>* keys) {
  bool valid = true;
  for (i64 x = 0; x < width; ++x) {
    Pixel value;
    std::memcpy(&value, pixels + x * (Dense ? static_cast<i64>(sizeof(Pixel)) : stride), sizeof value);
    valid &= !has_no_level(value);
    keys[x] = static_cast<key_of<Pixel>>(order_key(value) ^ flip);
  }
  return valid;
}

template <class Pixel>
i64 first_without_level(const std::byte* pixels, i64 stride, i64 width) {
  for (i64 x = 0; x < width; ++x) {
    Pixel value;
    std::memcpy(&value, pixels + x * stride, sizeof value);
    if (has_no_level(value)) return x;
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
    if (!valid) return r * width + first_without_level<Pixel>(row, image.strides.x, width);
  }
  return -1;
}

}  // namespace

i64 encode(const image_view& image, tree_kind kind, row_range rows, void* keys) {
  return with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) {
    return encode_rows<Pixel>(image, kind, rows, static_cast<key_of<Pixel>*>(keys));
  });
}

void levels_of(std::span<const u64> keys, dtype type, tree_kind kind, double* levels) {
  with_pixel_type(type, [&]<class Pixel>(pixel_type<Pixel>) {
    const u64 flip = kind == tree_kind::min ? ~u64{0} : 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Pixel value = value_of_key<Pixel>(static_cast<key_of<Pixel>>(keys[i] ^ flip));
      if constexpr (std::is_same_v<Pixel, f16>) levels[i] = number_of(value);
      else levels[i] = static_cast<double>(value);
    }
  });
}

double level_of(u64 key, dtype type, tree_kind kind) {
  double level = 0;
  levels_of({&key, 1}, type, kind, &level);
  return level;
}

}  // namespace skerry::tree_stages

// SPDX-License-Identifier: Apache-2.0
// The pixels of a given label image as numbers.
#pragma once
#include <cstring>
#include <vector>

#include "core/portable.hpp"
#include "skerry/regions.hpp"

namespace skerry::reference {

__extension__ using wide = __int128;

inline bool is_signed(dtype type) {
  return type == dtype::i8 || type == dtype::i16 || type == dtype::i32 || type == dtype::i64;
}

inline wide number_of(label_bits bits, dtype type) {
  return is_signed(type) ? wide{static_cast<i64>(bits)} : static_cast<wide>(bits);
}

// A label as a number.
inline wide label_at(const image_view& image, i64 z, i64 y, i64 x) {
  const auto* at =
      static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y + x * image.strides.x;
  u64 bits = 0;
  std::memcpy(&bits, at, size_of(image.type));  // the low bytes come first
  if (image.type == dtype::boolean) return bits != 0 ? 1 : 0;
  const auto above = static_cast<int>(64 - 8 * size_of(image.type));
  return is_signed(image.type) ? wide{static_cast<i64>(bits << above) >> above} : static_cast<wide>(bits);
}

inline bool is_background(wide label, const background& rule) {
  if (rule.kind == background::rule::none) return false;
  if (rule.kind == background::rule::zero_and_below) return label <= 0;
  return label == (rule.negative ? wide{static_cast<i64>(rule.label)} : static_cast<wide>(rule.label));
}

// In raster order.
inline std::vector<wide> labels_of(const image_view& image) {
  std::vector<wide> labels;
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y)
      for (i64 x = 0; x < image.size.width; ++x) labels.push_back(label_at(image, z, y, x));
  return labels;
}

}  // namespace skerry::reference

// SPDX-License-Identifier: Apache-2.0
// The rows of an image one after another, as pixels side by side.
#pragma once
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry::blocks {

// Copies a row of any stride; pixels that can only be 0 or 1 as these numbers.
template <class Pixel>
void load_row(const image_view& image, const std::byte* from, std::vector<Pixel>& row) {
  const auto width = static_cast<i64>(row.size());
  if (image.type == dtype::bit || image.type == dtype::boolean) {
    for (i64 x = 0; x < width; ++x) {
      const bool set = image.type == dtype::bit
                           ? (from[x / 8] >> static_cast<int>(x % 8) & std::byte{1}) != std::byte{0}
                           : from[x * image.strides.x] != std::byte{0};
      const u8 truth = set ? 1 : 0;
      std::memcpy(&row[static_cast<std::size_t>(x)], &truth, 1);
    }
  } else if (image.strides.x == static_cast<i64>(sizeof(Pixel))) {
    std::memcpy(row.data(), from, row.size() * sizeof(Pixel));
  } else {
    for (i64 x = 0; x < width; ++x)
      std::memcpy(&row[static_cast<std::size_t>(x)], from + x * image.strides.x, sizeof(Pixel));
  }
}

/// Calls visit(row) for each row.
template <class Pixel, class Visit>
void each_pixel_row(const image_view& image, Visit visit) {
  std::vector<Pixel> row(static_cast<std::size_t>(image.size.width));
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y) {
      load_row(image, static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y, row);
      visit(row);
    }
}

}  // namespace skerry::blocks

// SPDX-License-Identifier: Apache-2.0
// Binary images, and how tests write or make them.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::test {

/// A dense binary image: 0 or 1 for each pixel.
struct mask {
  extent size;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] std::uint8_t& at(std::int64_t y, std::int64_t x) { return at(0, y, x); }
  [[nodiscard]] std::uint8_t& at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return pixels[static_cast<std::size_t>((z * size.height + y) * size.width + x)];
  }
  [[nodiscard]] image_view view() const { return {pixels.data(), dtype::u8, size}; }
};

/// All background.
mask empty_mask(const extent& size);

/// A picture of '.' (background) and '#' (foreground), one line for each row. Spaces and empty lines around it are not
/// part of it. Slices of a volume are separated by lines of '-'; one such line at the end makes a volume of one slice.
mask picture(std::string_view text);

/// Labels in the same form: '.' is 0, then 1…9, a…z (10…35).
std::vector<std::uint64_t> picture_of_labels(std::string_view text);

/// One MT19937 draw for each granularity × granularity (× granularity) block in raster order; a block is foreground
/// when the draw is below density percent of 2^32. Blocks at the far sides are cut.
mask random_mask(const extent& size, int granularity, double density_percent, std::uint32_t seed);

}  // namespace skerry::test

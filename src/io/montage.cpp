// SPDX-License-Identifier: Apache-2.0
#include "io/montage.hpp"

#include <algorithm>
#include <cmath>

namespace skerry::io {
namespace {

constexpr std::uint8_t gutter_grey = 90;

std::int64_t columns_for(std::size_t tiles, std::int64_t height, std::int64_t width) {
  constexpr double aspect = 4.0 / 3;
  const auto count = static_cast<double>(tiles);
  const double columns = std::sqrt(count * aspect * static_cast<double>(height) / static_cast<double>(width));
  return std::clamp<std::int64_t>(std::llround(columns), 1, static_cast<std::int64_t>(tiles));
}

}  // namespace

std::vector<std::int64_t> slices_to_show(std::int64_t depth, std::int64_t height, std::int64_t width) {
  constexpr std::int64_t most_slices = 24, most_pixels = std::int64_t{1} << 26;
  const std::int64_t fitting = std::max<std::int64_t>(1, most_pixels / (height * width));
  const std::int64_t count = std::min({depth, most_slices, fitting});
  std::vector<std::int64_t> slices;
  for (std::int64_t i = 0; i < count; ++i) slices.push_back((2 * i + 1) * depth / (2 * count));
  return slices;
}

montage::montage(std::size_t tiles, std::int64_t height, std::int64_t width)
    : tile_height_(height), tile_width_(width), columns_(columns_for(tiles, height, width)),
      rows_((static_cast<std::int64_t>(tiles) + columns_ - 1) / columns_),
      pixels_(static_cast<std::size_t>(3 * this->height() * this->width()), gutter_grey) {}

void montage::put(std::size_t tile, const std::vector<std::uint8_t>& pixels) {
  const std::int64_t row = static_cast<std::int64_t>(tile) / columns_,
                     column = static_cast<std::int64_t>(tile) % columns_;
  const std::int64_t row_bytes = 3 * tile_width_;
  const std::int64_t left = 3 * column * (tile_width_ + gutter), top = row * (tile_height_ + gutter);
  for (std::int64_t y = 0; y < tile_height_; ++y)
    std::copy_n(pixels.begin() + y * row_bytes, row_bytes, pixels_.begin() + (top + y) * 3 * width() + left);
}

}  // namespace skerry::io

// SPDX-License-Identifier: Apache-2.0
// Slices of a volume side by side in one picture.
#pragma once
#include <cstdint>
#include <vector>

namespace skerry::io {

/// The slices that a picture of a volume shows: all, or where they are more than 24 or more than fit 2^26 pixels, as many as
/// fit, at equal distances; at least the middle one.
[[nodiscard]] std::vector<std::int64_t> slices_to_show(std::int64_t depth, std::int64_t height, std::int64_t width);

/// Tiles of one size in rows, with gutters between them; the picture is about four wide to three high.
class montage {
 public:
  montage(std::size_t tiles, std::int64_t height, std::int64_t width);

  /// Puts a tile, rows of 8-bit RGB, in its place: in reading order, the first is 0.
  void put(std::size_t tile, const std::vector<std::uint8_t>& pixels);
  [[nodiscard]] std::int64_t height() const { return rows_ * (tile_height_ + gutter) - gutter; }
  [[nodiscard]] std::int64_t width() const { return columns_ * (tile_width_ + gutter) - gutter; }
  [[nodiscard]] const std::vector<std::uint8_t>& pixels() const { return pixels_; }

 private:
  static constexpr std::int64_t gutter = 2;

  std::int64_t tile_height_, tile_width_, columns_, rows_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace skerry::io

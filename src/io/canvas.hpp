// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace skerry::io {

using rgb = std::array<std::uint8_t, 3>;

/// Draws into rows of 8-bit RGB, whatever of it lies inside.
class canvas {
 public:
  /// `pixels` has 3 · height · width bytes.
  canvas(std::vector<std::uint8_t>& pixels, std::int64_t height, std::int64_t width)
      : pixels_(pixels), height_(height), width_(width) {}

  /// Mixes a share 0…1 of a colour into one pixel.
  void dot(std::int64_t row, std::int64_t column, const rgb& colour, double share = 1);
  /// A line one pixel wide, both ends included.
  void line(std::int64_t row, std::int64_t column, std::int64_t to_row, std::int64_t to_column, const rgb& colour,
            double share = 1);
  /// A number in digits of 3 x 5 pixels with a dark edge, its middle at the place.
  void number(std::int64_t row, std::int64_t column, std::uint64_t value, const rgb& colour);

 private:
  std::vector<std::uint8_t>& pixels_;
  std::int64_t height_, width_;
};

}  // namespace skerry::io

// SPDX-License-Identifier: Apache-2.0
// Images of billions of pixels that are few bytes of packed bits, and what they measure, in closed form.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/feature.hpp"
#include "skerry/image.hpp"

namespace skerry::test {

__extension__ using wide = unsigned __int128;

/// Sum of n for n in [begin, end).
[[nodiscard]] constexpr wide sum(wide begin, wide end) { return (end * (end - 1) - begin * (begin - 1)) / 2; }

struct bar {
  std::int64_t begin, end;  // columns
};

/// A row of packed bits, once; an image of it has strides of 0.
[[nodiscard]] std::vector<std::uint8_t> row_of(std::int64_t width, const std::vector<bar>& bars);

/// What a block [0, depth) × [0, height) × [begin, end) measures.
[[nodiscard]] geometry geometry_of_block(const extent& size, const bar& b);

/// Each row is the one above moved by half a period, so that rows differ from their neighbours. Bars of more than half a
/// period overlap by a pixel at both ends and are one component; bars of half a period touch by their corners.
/// All rows are windows on one stretch of memory.
class sliding_bars {
 public:
  static constexpr std::int64_t period = 8192, step = period / 2;

  sliding_bars(std::int64_t height, std::int64_t width, std::int64_t bar_width);
  [[nodiscard]] const std::vector<std::uint8_t>& bits() const { return bits_; }
  /// The first rows; `bits` is a copy of bits() anywhere.
  [[nodiscard]] image_view image(const void* bits, std::int64_t height) const {
    return {bits, dtype::bit, extent(height, width_), {0, step / 8, 0}};
  }
  [[nodiscard]] image_view image(std::int64_t height) const { return image(bits_.data(), height); }
  [[nodiscard]] std::vector<bar> bars_of(std::int64_t row) const;

 private:
  std::int64_t width_, bar_width_;
  std::vector<std::uint8_t> bits_;
};

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include "support/bars.hpp"

#include <algorithm>

namespace skerry::test {

std::vector<std::uint8_t> row_of(std::int64_t width, const std::vector<bar>& bars) {
  std::vector<std::uint8_t> row(static_cast<std::size_t>((width + 7) / 8), 0);
  for (const bar& b : bars)
    for (std::int64_t x = b.begin; x < b.end; ++x)
      row[static_cast<std::size_t>(x / 8)] |= static_cast<std::uint8_t>(1U << x % 8);
  return row;
}

geometry geometry_of_block(const extent& size, const bar& b) {
  const auto depth = static_cast<wide>(size.depth), height = static_cast<wide>(size.height);
  const auto begin = static_cast<wide>(b.begin), end = static_cast<wide>(b.end), width = end - begin;
  geometry block;
  block.area = static_cast<std::uint64_t>(depth * height * width);
  block.sum[0] = static_cast<std::uint64_t>(sum(0, depth) * height * width);
  block.sum[1] = static_cast<std::uint64_t>(sum(0, height) * depth * width);
  block.sum[2] = static_cast<std::uint64_t>(sum(begin, end) * depth * height);
  block.min[0] = block.min[1] = 0;
  block.min[2] = static_cast<std::int32_t>(b.begin);
  block.max[0] = static_cast<std::int32_t>(size.depth - 1);
  block.max[1] = static_cast<std::int32_t>(size.height - 1);
  block.max[2] = static_cast<std::int32_t>(b.end - 1);
  return block;
}

sliding_bars::sliding_bars(std::int64_t height, std::int64_t width, std::int64_t bar_width)
    : width_(width), bar_width_(bar_width), bits_(static_cast<std::size_t>((width + height * step) / 8), 0) {
  for (std::int64_t x = 0; x < static_cast<std::int64_t>(bits_.size()) * 8; ++x)
    if (x % period < bar_width) bits_[static_cast<std::size_t>(x / 8)] |= static_cast<std::uint8_t>(1U << x % 8);
}

std::vector<bar> sliding_bars::bars_of(std::int64_t row) const {
  std::vector<bar> bars;
  for (std::int64_t begin = -(row % 2) * step; begin < width_; begin += period)
    bars.push_back({std::max<std::int64_t>(begin, 0), std::min(begin + bar_width_, width_)});
  return bars;
}

}  // namespace skerry::test

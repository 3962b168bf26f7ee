// SPDX-License-Identifier: Apache-2.0
// A spiral: one path, a pixel wide, that winds inwards from the first pixel, a pixel apart from itself. A component is
// nowhere longer for its size, so labels travel the longest way.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace skerry::bench {

/// A square of 0 and 1. Every second frame is drawn; each is opened below its upper left corner, and its end joined to the
/// corner of the next where there is one.
[[nodiscard]] inline std::vector<std::uint8_t> spiral_image(std::int64_t side) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(side * side));
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      const std::int64_t frame = std::min({y, x, side - 1 - y, side - 1 - x});
      const bool is_last = 2 * (frame + 1) >= side;
      const bool is_changed = y == frame + 1 && x == frame && (frame % 2 == 0 || !is_last);
      pixels.push_back((frame % 2 == 0) != is_changed ? 1 : 0);
    }
  return pixels;
}

}  // namespace skerry::bench

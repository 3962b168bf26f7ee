// SPDX-License-Identifier: Apache-2.0
#include "io/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace skerry::io {
namespace {

constexpr std::int64_t digit_height = 5, digit_width = 3, digit_step = 4;

// Rows of three pixels from the top, the left one in the highest of three bits.
constexpr std::uint8_t digits[10][digit_height] = {{7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7}, {7, 1, 3, 1, 7},
                                                   {5, 5, 7, 1, 1}, {7, 4, 7, 1, 7}, {7, 4, 7, 5, 7}, {7, 1, 2, 2, 2},
                                                   {7, 5, 7, 5, 7}, {7, 5, 7, 1, 7}};

}  // namespace

void canvas::dot(std::int64_t row, std::int64_t column, const rgb& colour, double share) {
  if (row < 0 || row >= height_ || column < 0 || column >= width_) return;
  std::uint8_t* const pixel = pixels_.data() + 3 * (row * width_ + column);
  for (std::size_t c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(std::lround((1 - share) * pixel[c] + share * colour[c]));
}

void canvas::line(std::int64_t row, std::int64_t column, std::int64_t to_row, std::int64_t to_column, const rgb& colour,
                  double share) {
  const std::int64_t down = to_row - row, right = to_column - column;
  const std::int64_t steps = std::max<std::int64_t>(1, std::max(std::abs(down), std::abs(right)));
  const auto at = [&](std::int64_t from, std::int64_t distance, std::int64_t step) {
    return from + std::lround(static_cast<double>(distance * step) / static_cast<double>(steps));
  };
  for (std::int64_t step = 0; step <= steps; ++step) dot(at(row, down, step), at(column, right, step), colour, share);
}

void canvas::number(std::int64_t row, std::int64_t column, std::uint64_t value, const rgb& colour) {
  const std::string text = std::to_string(value);
  const std::int64_t top = row - digit_height / 2;
  const std::int64_t left = column - (digit_step * static_cast<std::int64_t>(text.size()) - 1) / 2;
  const auto each_pixel = [&](auto visit) {
    for (std::size_t i = 0; i < text.size(); ++i)
      for (std::int64_t y = 0; y < digit_height; ++y)
        for (std::int64_t x = 0; x < digit_width; ++x)
          if ((digits[text[i] - '0'][y] >> (digit_width - 1 - x) & 1) != 0)
            visit(top + y, left + digit_step * static_cast<std::int64_t>(i) + x);
  };
  each_pixel([&](std::int64_t y, std::int64_t x) {
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) dot(y + dy, x + dx, {0, 0, 0}, 0.4);
  });
  each_pixel([&](std::int64_t y, std::int64_t x) { dot(y, x, colour); });
}

}  // namespace skerry::io

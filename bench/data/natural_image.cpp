// SPDX-License-Identifier: Apache-2.0
#include "data/natural_image.hpp"

#include <random>

namespace skerry::bench {
namespace {

constexpr int largest_cell = 256, octaves = 7;

// Adds one octave: random 8-bit values at the corners of cells, and between them bilinear interpolation.
void add_octave(const extent& size, std::int64_t cell, double weight, std::mt19937& generator,
                std::vector<double>& sums) {
  const std::int64_t corners = size.width / cell + 2;
  std::vector<double> upper(static_cast<std::size_t>(corners)), lower(upper);
  const auto draw_row = [&](std::vector<double>& row) {
    for (double& corner : row) corner = generator() >> 24;
  };
  draw_row(lower);
  for (std::int64_t y = 0, at = 0; y < size.height; ++y) {
    if (y % cell == 0) {
      upper = lower;
      draw_row(lower);
    }
    const double down = static_cast<double>(y % cell) / static_cast<double>(cell);
    for (std::int64_t x = 0; x < size.width; ++x, ++at) {
      const auto left = static_cast<std::size_t>(x / cell);
      const double right = static_cast<double>(x % cell) / static_cast<double>(cell);
      const double above = upper[left] + right * (upper[left + 1] - upper[left]);
      const double below = lower[left] + right * (lower[left + 1] - lower[left]);
      sums[static_cast<std::size_t>(at)] += weight * (above + down * (below - above));
    }
  }
}

// Between 0 and 1.
std::vector<double> natural(const extent& size, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<double> sums(static_cast<std::size_t>(size.pixels()), 0.0);
  double weight = 0.5;
  for (int octave = 0; octave < octaves; ++octave, weight /= 2)
    add_octave(size, largest_cell >> octave, weight, generator, sums);
  // Grain: the sum of two draws, so that small deviations are the usual ones.
  constexpr double grain = 3.0 / 4294967296.0;
  for (double& sum : sums) {
    const double first = generator(), second = generator();
    sum = (sum + grain * (first + second)) / 262;
  }
  return sums;
}

template <class Pixel>
std::vector<Pixel> scaled(const std::vector<double>& from, double scale) {
  std::vector<Pixel> pixels(from.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<Pixel>(from[i] * scale);
  return pixels;
}

}  // namespace

std::vector<std::uint8_t> natural_u8(const extent& size, std::uint32_t seed) {
  return scaled<std::uint8_t>(natural(size, seed), 256);
}

std::vector<std::uint16_t> natural_u16(const extent& size, std::uint32_t seed) {
  return scaled<std::uint16_t>(natural(size, seed), 65536);
}

std::vector<float> natural_f32(const extent& size, std::uint32_t seed) { return scaled<float>(natural(size, seed), 1); }

}  // namespace skerry::bench

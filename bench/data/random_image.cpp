// SPDX-License-Identifier: Apache-2.0
#include "data/random_image.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

namespace skerry::bench {

std::vector<std::uint8_t> random_image(const extent& size, const recipe& how) {
  const std::int64_t g = how.granularity;
  const auto blocks = [g](std::int64_t side) { return (side + g - 1) / g; };
  const std::uint64_t limit = static_cast<std::uint64_t>(how.density_percent) << 32;
  std::mt19937 generator(how.seed);
  std::vector<std::uint8_t> block_row(static_cast<std::size_t>(blocks(size.width)));
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.pixels()));

  const std::int64_t deep = size.rank == 3 ? g : 1;  // blocks of a 2D image have one slice
  for (std::int64_t z = 0; z < size.depth; z += deep)
    for (std::int64_t y = 0; y < size.height; y += g) {
      for (auto& block : block_row) block = std::uint64_t{generator()} * 100 < limit;
      std::uint8_t* const first = pixels.data() + (z * size.height + y) * size.width;
      for (std::int64_t x = 0; x < size.width; ++x) first[x] = block_row[static_cast<std::size_t>(x / g)];
      for (std::int64_t row = y + 1; row < std::min(y + g, size.height); ++row)
        std::copy_n(first, size.width, first + (row - y) * size.width);
      // The other slices of the block are copied once all rows of this slice stand.
      if (y + g < size.height) continue;
      const std::uint8_t* const slice = pixels.data() + z * size.height * size.width;
      for (std::int64_t s = z + 1; s < std::min(z + deep, size.depth); ++s)
        std::copy_n(slice, size.height * size.width, pixels.data() + s * size.height * size.width);
    }
  return pixels;
}

void fill_with_random(std::uint8_t* to, const extent& size, const recipe& how) {
  const bool volume = size.rank == 3;
  const std::int64_t side = volume ? 256 : 4096, rows = size.rows();
  const std::vector<std::uint8_t> small = random_image(volume ? extent(side, side, side) : extent(side, side), how);
  const auto fill_rows = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t z = volume ? row / size.height : 0, y = volume ? row % size.height : row;
      const std::int64_t from = volume ? (z % side * side + y % side) * side : y % side * side;
      std::int64_t shift = (z / side * 61 + y / side * 1009) % side;
      for (std::int64_t x = 0; x < size.width;) {
        const std::int64_t count = std::min(side - shift, size.width - x);
        std::memcpy(to + row * size.width + x, small.data() + from + shift, static_cast<std::size_t>(count));
        x += count;
        shift = count == side - shift ? 0 : shift + count;
      }
    }
  };
  std::vector<std::jthread> threads;
  const std::int64_t shares = 16;
  for (std::int64_t k = 0; k < shares; ++k) threads.emplace_back(fill_rows, rows * k / shares, rows * (k + 1) / shares);
}

}  // namespace skerry::bench

// SPDX-License-Identifier: Apache-2.0
#include "data/random_image.hpp"

#include <algorithm>
#include <random>

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

}  // namespace skerry::bench

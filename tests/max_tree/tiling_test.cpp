// SPDX-License-Identifier: Apache-2.0
// How images are cut into tiles: every pixel has a place of its own, which fits 32 bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "max_tree/cpu/stages.hpp"

namespace skerry::test {
namespace {

using tree_stages::tiling;

TEST(max_tree_tiling, every_pixel_is_where_its_tile_has_it) {
  for (const extent& size : {extent(1, 1), extent(7, 300), extent(45, 53), extent(300, 1), extent(5, 9, 33)})
    for (const std::int64_t pixels : {1, 2, 64, 1000, 1 << 16, 1 << 20}) {
      const tiling tiles(size, pixels);
      EXPECT_LE(tiles.pixels_of_tile(), std::size_t{1} << 16);
      std::vector<int> seen(static_cast<std::size_t>(size.pixels()), 0);
      for (std::size_t tile = 0; tile < tiles.tiles(); ++tile) {
        const tree_stages::box where = tiles.tile(tile);
        for (int z = 0; z < where.side(0); ++z)
          for (int y = 0; y < where.side(1); ++y)
            for (int x = 0; x < where.side(2); ++x) {
              const auto pixel = static_cast<std::uint32_t>(where.pixel(size, z, y) + x);
              const int cell = (z << tiles.shift(1) | y) << tiles.shift(2) | x;
              ++seen[pixel];
              ASSERT_EQ(tiles.place_of(pixel), tile << tiles.cell_bits() | static_cast<std::size_t>(cell));
            }
      }
      EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
    }
}

// Tiles are cut off at the far borders, so that places have gaps; all are below 2^32 nevertheless.
TEST(max_tree_tiling, places_of_the_largest_images_fit_words) {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  for (const std::int64_t depth : {1, 2, 3, 5, 9, 17, 33, 65, 129, 513})
    for (const std::int64_t height : {1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 1025})
      for (const bool wide : {false, true}) {
        const std::int64_t rest = most / depth / height;
        const extent size = wide ? extent(depth, height, rest) : extent(rest, height, depth);
        const tiling tiles(size, 1 << 16);
        EXPECT_EQ(tiles.pixels_of_tile(), std::size_t{1} << 16);
        EXPECT_LE(tiles.tiles(), std::size_t{1} << 16) << size.depth << " x " << size.height << " x " << size.width;
      }
}

}  // namespace
}  // namespace skerry::test

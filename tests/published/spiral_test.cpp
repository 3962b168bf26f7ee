// SPDX-License-Identifier: Apache-2.0
// The spirals of the bench of [Jung2010] are what its table says of them.
#include "bench/data/spiral_image.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "skerry/published.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

using i64 = std::int64_t;

mask spiral(i64 side) {
  mask image = empty_mask(extent(side, side));
  image.pixels = bench::spiral_image(side);
  return image;
}

// How many straight neighbours each pixel of the path has: number → pixels.
std::map<int, i64> neighbours_of_path(mask image) {
  std::map<int, i64> counts;
  const auto is_set = [&](i64 y, i64 x) {
    return y >= 0 && y < image.size.height && x >= 0 && x < image.size.width && image.at(y, x) != 0;
  };
  for (i64 y = 0; y < image.size.height; ++y)
    for (i64 x = 0; x < image.size.width; ++x)
      if (is_set(y, x)) ++counts[is_set(y - 1, x) + is_set(y + 1, x) + is_set(y, x - 1) + is_set(y, x + 1)];
  return counts;
}

TEST(spiral, is_one_path_with_two_ends) {
  for (i64 side = 4; side <= 256; side += side < 40 ? 1 : 31) {
    SCOPED_TRACE(side);
    const std::map<int, i64> counts = neighbours_of_path(spiral(side));
    ASSERT_EQ(counts.size(), 2U);
    EXPECT_EQ(counts.at(1), 2);
    EXPECT_GT(counts.at(2), side * side / 2 - 2 * side);
  }
}

TEST(spiral, is_one_component_in_one_background) {
  engine oracle = engine::reference();
  for (const i64 side : std::array<i64, 5>{4, 5, 64, 127, 128}) {
    mask image = spiral(side);
    for (const int connectivity : {4, 8}) {
      SCOPED_TRACE(std::to_string(side) + ", " + std::to_string(connectivity));
      EXPECT_EQ(count_components(oracle, image.view(), {.connectivity = connectivity}), 1U);
    }
    for (std::uint8_t& pixel : image.pixels) pixel = pixel == 0 ? 1 : 0;
    EXPECT_EQ(count_components(oracle, image.view(), {.connectivity = 4}), 1U) << side;
  }
}

}  // namespace
}  // namespace skerry::test

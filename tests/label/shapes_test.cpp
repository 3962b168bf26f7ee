// SPDX-License-Identifier: Apache-2.0
// Every engine on images of every awkward size.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

constexpr std::int64_t sides[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};

void expect_mask_everywhere(const mask& image) {
  for (const int connectivity : connectivities_of(image.size))
    expect_everywhere(
        {.image = image.view(), .options = with_connectivity(connectivity), .features = {.moments = true}});
}

TEST(label_shapes, planes) {
  std::uint32_t seed = 0;
  const double densities[] = {50, 8, 35, 60, 90, 100};
  for (const std::int64_t height : sides)
    for (const std::int64_t width : sides) {
      ++seed;
      const int granularity = seed % 3 == 0 ? 4 : 1;
      expect_mask_everywhere(random_mask(extent(height, width), granularity, densities[seed % 6], seed));
      if (testing::Test::HasFailure()) return;
    }
}

TEST(label_shapes, densities) {
  for (const double density : {0.0, 2.0, 20.0, 40.0, 50.0, 59.0, 80.0, 98.0, 100.0})
    for (const int granularity : {1, 2, 5})
      expect_mask_everywhere(random_mask(extent(70, 200), granularity, density, static_cast<std::uint32_t>(density)));
}

// All images of a few pixels: nothing can hide.
TEST(label_shapes, every_image_of_four_by_four) {
  engine& one = each_engine()[1].on;
  engine& three = each_engine()[3].on;
  const std::uint32_t step = scaled(100) == 100 ? 1 : 37 * static_cast<std::uint32_t>(case_step());
  for (std::uint32_t pixels = 0; pixels < 1U << 16; pixels += step) {
    mask image = empty_mask(extent(4, 4));
    for (std::size_t i = 0; i < 16; ++i) image.pixels[i] = pixels >> i & 1;
    for (const int connectivity : {4, 8}) {
      const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
      const reference::answer want = expected_answer(asked);
      expect_measured(one, asked, want);
      if (pixels % 16 == 0) expect_measured(three, asked, want);
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(label_shapes, every_image_of_two_by_two_by_three) {
  const std::uint32_t step = scaled(100) == 100 ? 1 : 7;
  for (const extent size : {extent(2, 2, 3), extent(3, 2, 2), extent(2, 3, 2)})
    for (std::uint32_t pixels = 0; pixels < 1U << 12; pixels += step) {
      mask image = empty_mask(size);
      for (std::size_t i = 0; i < 12; ++i) image.pixels[i] = pixels >> i & 1;
      for (const int connectivity : {6, 18, 26}) {
        const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
        const reference::answer want = expected_answer(asked);
        expect_measured(each_engine()[1].on, asked, want);
        if (pixels % 16 == 3) expect_measured(each_engine()[4].on, asked, want);
      }
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

TEST(label_shapes, volumes) {
  std::uint32_t seed = 100;
  const double densities[] = {30, 10, 50, 5, 75};
  for (const std::int64_t depth : {0, 1, 2, 3, 8, 17})
    for (const std::int64_t height : {0, 1, 2, 5, 16})
      for (const std::int64_t width : {0, 1, 7, 31, 63, 64, 65}) {
        ++seed;
        expect_mask_everywhere(
            random_mask(extent(depth, height, width), seed % 4 == 0 ? 2 : 1, densities[seed % 5], seed));
        if (testing::Test::HasFailure()) return;
      }
}

TEST(label_shapes, volumes_of_many_thin_slices) {
  for (const extent size :
       {extent(200, 1, 9), extent(150, 2, 3), extent(130, 3, 1), extent(300, 1, 1), extent(60, 5, 70)})
    for (const double density : {15.0, 40.0, 70.0}) expect_mask_everywhere(random_mask(size, 1, density, 77));
}

// Each row repeats the one above or the one behind, or is new: what is known of a row is used again.
mask repetitive_mask(const extent& size, double density, std::uint32_t seed) {
  std::mt19937 draw(seed);
  mask image = random_mask(size, 1, density, seed);
  const auto width = static_cast<std::size_t>(size.width);
  for (std::int64_t z = 0; z < size.depth; ++z)
    for (std::int64_t y = 0; y < size.height; ++y) {
      const std::uint32_t choice = draw() % 8;
      std::uint8_t* const row = image.pixels.data() + static_cast<std::size_t>(z * size.height + y) * width;
      const std::uint8_t* const behind = row - static_cast<std::size_t>(size.height) * width;
      if (choice < 3 && y > 0) std::copy_n(row - width, width, row);
      else if (choice < 6 && z > 0) std::copy_n(behind, width, row);
      else if (choice == 6) std::fill_n(row, width, std::uint8_t{0});
    }
  return image;
}

TEST(label_shapes, rows_that_repeat) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(60, 40), extent(300, 70), extent(70, 200), extent(12, 9, 30), extent(40, 3, 66),
                             extent(9, 30, 65), extent(30, 2, 5), extent(20, 1, 20)})
    for (const double density : {10.0, 25.0, 45.0, 70.0})
      for (int repeat = 0; repeat < scaled(4); ++repeat) {
        const mask image = repetitive_mask(size, density, ++seed);
        for (const int connectivity : connectivities_of(size))
          expect_everywhere({.image = image.view(),
                             .options = with_connectivity(connectivity),
                             .features = {.moments = true, .intensity = image.view()}});
        if (testing::Test::HasFailure()) return;
      }
}

// Rows are packed in blocks whose height depends on the width, and strips hold several blocks.
TEST(label_shapes, tall_images) {
  for (const std::int64_t height : {191, 192, 193, 255, 256, 257, 513, 1000, 2049})
    for (const std::int64_t width : {1, 3, 64, 70})
      for (const double density : {35.0, 60.0})
        expect_mask_everywhere(random_mask(extent(height, width), 1, density, static_cast<std::uint32_t>(height)));
}

TEST(label_shapes, wide_images) {
  for (const std::int64_t width : {1023, 4096, 32767, 32768, 65534, 65535, 65536, 65537, 131071, 131072, 140001})
    for (const std::int64_t height : {1, 2, 7}) {
      if (width > 33000 && height > (width > 70000 ? 1 : 2) && test_scale() < 1) continue;
      expect_mask_everywhere(
          random_mask(extent(height, width), width % 2 == 0 ? 1 : 3, 55, static_cast<std::uint32_t>(width)));
    }
}

TEST(label_shapes, wide_volumes) {
  for (const std::int64_t width : {65535, 65536, 140001})
    expect_mask_everywhere(random_mask(extent(3, 2, width), 1, 25, 5));
}

// As large as takes an engine several strips of the default size.
TEST(label_shapes, large_images) {
  for (const double density : {41.0, 58.0})
    if (density > 50 || test_scale() >= 1) expect_mask_everywhere(random_mask(extent(601, 997), 1, density, 9));
  expect_mask_everywhere(random_mask(extent(1100, 1030), 16, 55, 10));
  expect_mask_everywhere(random_mask(extent(61, 67, 71), 1, 20, 11));
  expect_mask_everywhere(random_mask(extent(64, 64, 128), 4, 40, 12));
}

// Scratch of one call must not show in the next, whatever their sizes.
TEST(label_shapes, sizes_in_any_order) {
  const extent sizes[] = {extent(300, 300), extent(3, 3),       extent(2, 100000), extent(40, 10, 10), extent(1, 1),
                          extent(700, 2),   extent(5, 40, 200), extent(0, 9),      extent(90, 90)};
  for (const int round : {0, 1})
    for (const extent& size : sizes) expect_mask_everywhere(random_mask(size, 1 + round, 45, 3));
}

TEST(label_shapes, a_fresh_engine_each_time) {
  for (const int threads : {1, 2, 16, 64})
    for (const extent& size : {extent(3, 9), extent(65, 65), extent(4, 2, 3), extent(300, 200)}) {
      const mask image = random_mask(size, 1, 45, 8);
      for (const int connectivity : connectivities_of(size)) {
        engine on = engine::cpu(threads);
        const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
        expect_all_ways(on, asked, expected_answer(asked));
      }
    }
}

}  // namespace
}  // namespace skerry::test

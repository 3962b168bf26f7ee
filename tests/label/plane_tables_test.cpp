// SPDX-License-Identifier: Apache-2.0
// Tables of areas, boxes and sums of planes, which the CPU engine makes of runs that it sorts, 16 at a time: those that begin a component, and
// those that come later.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/placed_image.hpp"

namespace skerry::test {
namespace {

void expect_table_everywhere(const mask& image) {
  for (const int connectivity : {4, 8})
    expect_everywhere({.image = image.view(), .options = with_connectivity(connectivity)});
}

TEST(label_plane_tables, sparse_noise) {
  std::uint32_t seed = 0;
  for (const double density : {0.5, 3.0, 10.0, 20.0})
    for (const std::int64_t height : {1, 2, 15, 66}) {
      expect_table_everywhere(random_mask(extent(height, 300), 1, density, ++seed));
      if (testing::Test::HasFailure()) return;
    }
}

// Up to 1025 runs of a row, which are sorted 512 at once.
TEST(label_plane_tables, rows_of_any_number_of_runs) {
  for (const std::int64_t runs : {1, 7, 8, 9, 15, 16, 17, 31, 33, 511, 512, 513, 1025}) {
    mask image = random_mask(extent(3, 2 * runs), 1, 0, 1);
    for (std::int64_t y = 0; y < 3; y += 2)
      for (std::int64_t x = 0; x < 2 * runs; x += 2) image.at(y, x) = 1;
    expect_table_everywhere(image);
    if (testing::Test::HasFailure()) return;
  }
}

// Every few columns reach down to a row that joins them: a component has several runs in the row where it begins.
TEST(label_plane_tables, components_that_begin_with_several_runs) {
  for (const std::int64_t teeth : {2, 3, 5, 16, 40}) {
    mask image = random_mask(extent(4, 400), 1, 0, 1);
    for (std::int64_t x = 0; x < 400; x += 2) {
      image.at(0, x) = image.at(1, x) = 1;
      if (x / 2 % teeth != 0) image.at(2, x) = image.at(2, x - 1) = image.at(2, x - 2) = 1;
    }
    expect_table_everywhere(image);
    if (testing::Test::HasFailure()) return;
  }
}

// Columns need more than 16 bits.
TEST(label_plane_tables, very_wide) {
  expect_table_everywhere(random_mask(extent(5, 70'001), 1, 10, 7));
  expect_table_everywhere(random_mask(extent(4, 66'000), 3, 30, 8));
}

TEST(label_plane_tables, rows_that_repeat) {
  expect_table_everywhere(random_mask(extent(65, 301), 3, 10, 9));
  mask image = random_mask(extent(40, 200), 1, 10, 10);
  std::copy_n(image.pixels.begin() + 200 * 7, 200, image.pixels.begin() + 200 * 8);
  expect_table_everywhere(image);
}

}  // namespace
}  // namespace skerry::test

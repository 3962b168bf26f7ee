// SPDX-License-Identifier: Apache-2.0
// Tables of areas, boxes and sums alone, which the CPU engine makes of bands of two rows where the image has fewer of their runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/placed_image.hpp"

namespace skerry::test {
namespace {

void expect_table_everywhere(const mask& image, selection keep = {}) {
  expect_everywhere({.image = image.view(), .options = with_connectivity(8, {}, keep)});
}

// Every second pair of rows becomes one row twice; `run_in` rows are left first.
mask with_twins(mask image, std::int64_t run_in) {
  const auto width = static_cast<std::ptrdiff_t>(image.size.width);
  for (std::int64_t y = run_in; y + 1 < image.size.height; y += 4)
    std::copy_n(image.pixels.begin() + y * width, width, image.pixels.begin() + (y + 1) * width);
  return image;
}

TEST(label_band_tables, noise_of_every_density) {
  std::uint32_t seed = 0;
  for (const double density : {30.0, 45.0, 60.0, 80.0, 95.0, 99.9})
    for (const std::int64_t height : {15, 16, 17, 34, 67}) {
      expect_table_everywhere(random_mask(extent(height, 200), 1, density, ++seed));
      if (testing::Test::HasFailure()) return;
    }
}

// Words are done 16 at once: 1024 columns.
TEST(label_band_tables, widths_at_the_ends_of_words) {
  std::uint32_t seed = 100;
  for (const std::int64_t width : {1, 2, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2049}) {
    expect_table_everywhere(random_mask(extent(17, width), 1, 70, ++seed));
    expect_table_everywhere(random_mask(extent(18, width), 1, 97, ++seed));
    if (testing::Test::HasFailure()) return;
  }
}

// So many rows that some bands are looked at and others not, and images in which few runs are found.
TEST(label_band_tables, heights_that_choose_differently) {
  std::uint32_t seed = 600;
  for (const std::int64_t height : {127, 128, 255, 256, 303, 511, 512, 601})
    for (const double density : {0.5, 2.0, 25.0, 45.0, 97.0}) {
      expect_table_everywhere(random_mask(extent(height, 90), 1, density, ++seed));
      if (testing::Test::HasFailure()) return;
    }
}

TEST(label_band_tables, rows_of_more_than_65535_pixels) {
  expect_table_everywhere(random_mask(extent(17, 65600), 1, 70, 700));
}

TEST(label_band_tables, rows_that_repeat_among_noise) {
  const mask noise = random_mask(extent(65, 300), 1, 55, 200);
  for (const std::int64_t run_in : {0, 1, 2, 3}) expect_table_everywhere(with_twins(noise, run_in));
  mask filled = noise;
  std::fill_n(filled.pixels.begin() + 300 * 20, 300 * 11, 1);
  expect_table_everywhere(filled);
}

// Pixels of the upper rows of bands alone, of the lower rows alone, and stairs, whose boxes grow a row at a time.
TEST(label_band_tables, boxes_end_in_either_row_of_a_band) {
  for (const std::int64_t parity : {0, 1}) {
    mask image = random_mask(extent(64, 150), 1, 50, 300);
    for (std::int64_t y = parity; y < 64; y += 2)
      std::fill_n(image.pixels.begin() + y * 150 + 75, 75, static_cast<std::uint8_t>(0));
    for (std::int64_t y = 0; y < 64; ++y) image.at(y, 80 + y) = 1;
    expect_table_everywhere(image);
  }
}

TEST(label_band_tables, selections) {
  const mask image = random_mask(extent(80, 190), 1, 42, 400);
  selection keep;
  keep.min_area = 12;
  expect_table_everywhere(image, keep);
  keep.fill_holes = keep.clear_border = true;
  expect_table_everywhere(image, keep);
  keep = {};
  keep.largest = 3;
  expect_table_everywhere(image, keep);
}

TEST(label_band_tables, every_instruction_set_and_layout) {
  const mask image = with_twins(random_mask(extent(70, 1100), 1, 60, 500), 2);
  with_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    expect_table_everywhere(image);
    const mask narrow = random_mask(extent(33, 64), 1, 50, 501);
    expect_table_everywhere(narrow);
  });
  mask turned = image;  // read as if its columns were rows
  image_view view = turned.view();
  std::swap(view.size.width, view.size.height);
  std::swap(view.strides.x, view.strides.y);
  expect_everywhere({.image = view, .options = with_connectivity(8)});
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Tables that threads have measured become one, whatever the order of labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/pixel_type.hpp"
#include "engine/engine_state.hpp"
#include "regions/measure.hpp"
#include "skerry/label.hpp"
#include "skerry/regions.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

void expect_everywhere(const region_request& asked) {
  static region_table got;
  region_table want;
  measure_regions(each_engine().front().on, asked, want);
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    measure_regions(each.on, asked, got);
    EXPECT_EQ(got.labels, want.labels);
    EXPECT_TRUE(same_table(got.features, want.features));
  }
}

// Labels 1, 2, … in raster order, a pixel each.
template <class Label>
std::vector<Label> numbered(const extent& size) {
  std::vector<Label> labels(static_cast<std::size_t>(size.pixels()));
  std::iota(labels.begin(), labels.end(), Label{1});
  return labels;
}

// Rows of one thread lie before, among and behind those of the others, or are the same regions.
TEST(joined_tables, of_labels_in_any_order) {
  const extent size(60, 40);
  std::vector<std::vector<u32>> images(8, numbered<u32>(size));
  std::reverse(images[1].begin(), images[1].end());
  std::rotate(images[2].begin(), images[2].begin() + 700, images[2].end());
  for (std::size_t i = 0; i < images[3].size(); ++i) images[3][i] = images[3][i] % 1200 + 1;
  std::swap(images[4].front(), images[4].back());
  std::fill(images[5].begin(), images[5].begin() + 1200, 0u);
  std::shuffle(images[6].begin(), images[6].end(), std::mt19937(1));
  std::shuffle(images[7].begin() + 1300, images[7].end(), std::mt19937(2));  // the first rows stay where they are
  for (const std::vector<u32>& labels : images) {
    SCOPED_TRACE(&labels - images.data());
    expect_everywhere({.labels = image_view(labels.data(), size), .features = {.moments = true}});
  }
}

// The same with fewer labels, so that each has pixels of several threads, some of them negative, and gaps.
TEST(joined_tables, of_regions_of_several_threads) {
  const extent size(50, 60);
  std::mt19937 random(3);
  for (const i32 low : {0, 1, -300})
    for (const i32 step : {1, 7}) {
      SCOPED_TRACE(std::to_string(low) + ", " + std::to_string(step));
      std::vector<i32> labels(static_cast<std::size_t>(size.pixels()));
      std::uniform_int_distribution<i32> any(low, 700);
      for (i32& label : labels) label = step * any(random);
      const image_view view(labels.data(), size);
      expect_everywhere({.labels = view, .background = background::none(), .features = {true, view}});
      std::sort(labels.begin(), labels.end());
      expect_everywhere({.labels = view, .background = background::none(), .features = {true, view}});
    }
}

// Large labels in any order, which have no place in tables of small ones.
TEST(joined_tables, of_large_labels) {
  const extent size(40, 50);
  std::vector<u64> labels = numbered<u64>(size);
  for (u64& label : labels) label = label % 1100 << 40 | label % 3;
  expect_everywhere({.labels = image_view(labels.data(), size)});
  std::shuffle(labels.begin(), labels.end(), std::mt19937(4));
  expect_everywhere({.labels = image_view(labels.data(), size)});
  const std::vector<i64> with_sign(labels.begin(), labels.end());
  expect_everywhere({.labels = image_view(with_sign.data(), size), .background = background::none()});
}

// Components of noise, in planes and volumes, of which many have pixels of several threads.
std::vector<u32> components(const extent& size, int connectivity) {
  std::vector<u8> pixels(static_cast<std::size_t>(size.pixels()));
  std::mt19937 random(5);
  for (u8& pixel : pixels) pixel = random() % 100 < (size.rank == 2 ? 30 : 7) ? 1 : 0;  // many, of several pixels
  std::vector<u32> labels(pixels.size());
  label(each_engine().front().on, {image_view(pixels.data(), size), {.connectivity = connectivity}},
        {.labels = mutable_image(labels.data(), size)});
  return labels;
}

TEST(joined_tables, of_components) {
  for (const extent& size : {extent(90, 80), extent(12, 20, 30)}) {
    const std::vector<u32> labels = components(size, size.rank == 2 ? 8 : 26);
    expect_everywhere({.labels = image_view(labels.data(), size), .features = {.moments = true}});
  }
}

// Regions that reach into a share from above do not put its labels out of order. Rows from `first` on are looked at.
void expect_labels_above(const extent& size, const regions::row_range& rows, i64 first, bool ascend) {
  const std::vector<u32> labels = components(size, size.rank == 2 ? 8 : 26);
  const region_request asked{.labels = image_view(labels.data(), size)};
  regions::row_dealer dealer({&rows, 1}, 7, 0);
  regions::measured_share share;
  regions::measure_share(asked, dealer, 0, share);
  EXPECT_EQ(share.slots.ascend(false), ascend);
  EXPECT_EQ(share.features.components.size(), share.slots.labels().size());
  std::vector<u32> expected(labels.begin() + first * size.width, labels.begin() + rows.begin * size.width);
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  expected.erase(expected.begin());  // the background
  ASSERT_LT(expected.size(), share.slots.labels().size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), share.slots.labels().begin()));
}

TEST(joined_tables, shares_know_the_regions_above) {
  expect_labels_above({90, 80}, {30, 60}, 29, true);
  expect_labels_above({40, 6, 30}, {103, 215}, 103 - 7, true);   // 16 times 7 rows
  expect_labels_above({40, 6, 30}, {103, 214}, 103 - 1, false);  // too few
  expect_labels_above({40, 6, 30}, {4, 240}, 0, true);           // of the first slice
}

}  // namespace
}  // namespace skerry::test

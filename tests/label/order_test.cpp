// SPDX-License-Identifier: Apache-2.0
// Images whose memory is not in raster order: numbered as rows are, or as they are stored.
#include <gtest/gtest.h>

#include <array>

#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

constexpr layout turned_layouts[] = {layout::transposed, layout::slices_inside, layout::backward, layout::dense};

std::vector<mask> images() {
  std::vector<mask> all;
  std::uint32_t seed = 0;
  for (const extent& size :
       {extent(37, 150), extent(150, 37), extent(1, 70), extent(70, 1), extent(5, 9, 70), extent(70, 6, 5)})
    for (const int granularity : {1, 4}) all.push_back(random_mask(size, granularity, 45, ++seed));
  return all;
}

question about(const mask& image, const placed_image& placed, const selection& keep) {
  question asked{.image = placed.view(), .options = with_connectivity(image.size.rank == 2 ? 8 : 18, {}, keep)};
  asked.features = {.moments = true, .intensity = placed.view()};
  return asked;
}

TEST(label_order, rows_number_whatever_is_stored) {
  const selection selections[] = {{}, {.min_area = 3, .clear_border = true}, {.fill_holes = true, .largest = 4}};
  for (const mask& image : images())
    for (const layout of_image : turned_layouts)
      for (const selection& keep : selections) {
        const std::vector<double> values(image.pixels.begin(), image.pixels.end());
        const placed_image placed(dtype::u16, image.size, of_image, values);
        question asked = about(image, placed, keep);
        const reference::answer want = expected_answer({.image = image.view(),
                                                        .options = asked.options,
                                                        .features = {.moments = true, .intensity = image.view()}});
        for (const layout of_labels : {of_image, layout::dense, layout::transposed})
          for (named_engine* each : engines_to_ask()) {
            SCOPED_TRACE(each->name);
            feature_table table;
            const placed_image labels(dtype::i32, image.size, of_labels);
            EXPECT_EQ(label(each->on, asked.request(), {.labels = labels.target(), .table = &table}), want.count);
            EXPECT_TRUE(same_labels(labels.values(), want.labels, image.size));
            EXPECT_TRUE(labels.surroundings_untouched());
            EXPECT_TRUE(same_table(table, want.table));
            EXPECT_EQ(label(each->on, asked.request(), {.table = &table}), want.count);
            EXPECT_TRUE(same_table(table, want.table));
            const placed_image later(dtype::u16, image.size, of_labels);
            label_outputs placed_later = {.table = &table};
            placed_later.labels_for = [&](std::uint64_t) { return later.target(); };
            EXPECT_EQ(label(each->on, asked.request(), placed_later), want.count);
            EXPECT_TRUE(same_labels(later.values(), want.labels, image.size));
            EXPECT_TRUE(later.surroundings_untouched());
            EXPECT_TRUE(same_table(table, want.table));
          }
        ASSERT_FALSE(testing::Test::HasFailure());
      }
}

// Without a table or runs, and in bands of rows where there are 8 neighbours.
TEST(label_order, labels_alone_are_numbered_by_rows) {
  std::uint32_t seed = 0;
  for (int i = 0; i < scaled(120); ++i) {
    const std::uint32_t draw = ++seed * 2654435761U >> 8;
    const extent size = i % 3 == 0 ? extent(1 + draw % 9, 1 + draw / 9 % 30, 1 + draw / 270 % 70)
                                   : extent(1 + draw % 150, 1 + draw / 150 % 150);
    const mask image = random_mask(size, 1 << i % 3, 20 + i % 60, seed);
    const std::vector<double> values(image.pixels.begin(), image.pixels.end());
    const std::vector<int> choices = connectivities_of(size);
    label_options how = with_connectivity(choices[seed % choices.size()]);
    if (i % 5 == 1) how.joining = joining::equal();
    if (i % 4 == 1) how.periodic = {.y = i % 8 == 1, .x = true};
    const placed_image placed(dtype::u8, size, turned_layouts[i % 4], values);
    const reference::answer want = expected_answer({.image = placed.view(), .options = how});
    for (const layout of_labels : {turned_layouts[i % 4], layout::dense, layout::transposed, layout::slices_inside})
      for (named_engine* each : engines_to_ask()) {
        SCOPED_TRACE(testing::Message() << each->name << ", image " << i);
        const dtype type =
            want.count < 256 && i % 2 == 0 ? dtype::u8 : std::array{dtype::u32, dtype::u16, dtype::i64}[i % 3];
        const placed_image labels(type, size, of_labels);
        EXPECT_EQ(label(each->on, placed.view(), how, labels.target()), want.count);
        EXPECT_TRUE(same_labels(labels.values(), want.labels, size));
        EXPECT_TRUE(labels.surroundings_untouched());
      }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Columns as rows.
mask turned(const mask& image) {
  mask result = empty_mask(extent(image.size.width, image.size.height));
  for (std::int64_t y = 0; y < image.size.height; ++y)
    for (std::int64_t x = 0; x < image.size.width; ++x)
      result.at(x, y) = image.pixels[static_cast<std::size_t>(y * image.size.width + x)];
  return result;
}

TEST(label_order, as_stored_numbers_along_the_memory) {
  for (const mask& image : images()) {
    if (image.size.rank == 3) continue;
    const mask columns = turned(image);  // the memory of an image in Fortran order
    const std::int64_t height = image.size.height;
    const image_view stored(columns.pixels.data(), dtype::u8, image.size, {0, 1, height});
    const reference::answer want =
        expected_answer({.image = columns.view(), .options = with_connectivity(8), .features = {.moments = true}});
    label_options how = with_connectivity(8);
    how.order = pixel_order::as_stored;
    for (named_engine* each : engines_to_ask()) {
      SCOPED_TRACE(each->name);
      std::vector<std::uint32_t> labels(columns.pixels.size(), 99);
      const mutable_image target(labels.data(), dtype::u32, image.size, {0, 4, 4 * height});
      feature_table table;
      EXPECT_EQ(label(each->on, {stored, how, {.moments = true}}, {.labels = target, .table = &table}), want.count);
      EXPECT_TRUE(std::equal(labels.begin(), labels.end(), want.labels.begin(), want.labels.end()));
      labels.assign(labels.size(), 99);
      label_outputs placed_later;
      placed_later.labels_for = [&](std::uint64_t) { return target; };
      EXPECT_EQ(label(each->on, {stored, how}, placed_later), want.count);
      EXPECT_TRUE(std::equal(labels.begin(), labels.end(), want.labels.begin(), want.labels.end()));
      ASSERT_EQ(table.size(), want.count);
      for (std::size_t i = 0; i < table.size(); ++i) {
        const geometry &got = table.components[i], &right = want.table.components[i];
        EXPECT_EQ(got.area, right.area);
        for (const auto& [a, b] : {std::pair{1, 2}, std::pair{2, 1}}) {
          EXPECT_EQ(got.sum[a], right.sum[b]);
          EXPECT_EQ(got.min[a], right.min[b]);
          EXPECT_EQ(got.max[a], right.max[b]);
        }
        EXPECT_EQ(table.moments[i].yy, want.table.moments[i].xx);
        EXPECT_EQ(table.moments[i].xx, want.table.moments[i].yy);
        EXPECT_EQ(table.moments[i].yx, want.table.moments[i].yx);
      }
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(label_order, what_is_refused) {
  const mask image = random_mask(extent(5, 6), 1, 50, 1);
  label_options how = with_connectivity(8);
  how.order = pixel_order::as_stored;
  for (named_engine* each : engines_to_ask()) {
    std::vector<labelled_run> runs;
    EXPECT_THROW(label_runs(each->on, image.view(), how, runs), invalid_argument);
    label_options wrong = with_connectivity(8);
    wrong.order = static_cast<pixel_order>(7);
    EXPECT_THROW(count_components(each->on, image.view(), wrong), invalid_argument);
  }
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Intensities of several channels in one call: the rows of calls of one channel each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "regions/given.hpp"
#include "skerry/columns.hpp"
#include "skerry/error.hpp"
#include "skerry/regions.hpp"
#include "support/compare.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

constexpr dtype channel_types[] = {dtype::u8, dtype::f32, dtype::i32, dtype::boolean, dtype::u64, dtype::f16};

struct labelled_channels {
  labelled_channels(const extent& size, std::uint32_t seed)
      : labels(dtype::i16, size, all_layouts[seed % std::size(all_layouts)],
               random_values({0, 1, 2, 5, -3, 300}, size, 1 + static_cast<int>(seed % 4), seed)) {
    for (std::uint32_t c = 0; c < 1 + seed % 4; ++c) {
      const dtype type = channel_types[(seed + c) % std::size(channel_types)];
      images.emplace_back(type, size, all_layouts[(seed + 3 * c) % std::size(all_layouts)],
                          random_values(edge_values(type), size, 1, seed + c));
    }
    for (const placed_image& image : images) views.push_back(image.view());
  }
  placed_image labels;
  std::vector<placed_image> images;
  std::vector<image_view> views;
};

// NaN is NaN.
bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double one, double other) {
           return one == other || (std::isnan(one) && std::isnan(other));
         });
}

bool same_sums(const feature_table& a, const feature_table& b) {
  return a.intensities == b.intensities && a.real_intensities == b.real_intensities;
}

void expect_rows_of_single_channels(engine& on, const region_request& asked) {
  region_table table;
  measure_regions(on, asked, table);
  ASSERT_EQ(table.channels.size(), asked.channels.size());
  for (std::size_t c = 0; c < asked.channels.size(); ++c) {
    region_request one = asked;
    one.channels.clear();
    one.features.intensity = asked.channels[c];
    region_table want;
    measure_regions(on, one, want);
    EXPECT_EQ(table.labels, want.labels);
    EXPECT_TRUE(same_sums(table.channels[c], want.features)) << c;
    for (const char* const name :
         {"intensity_min", "intensity_max", "intensity_mean", "intensity_std", "intensity_sum"})
      EXPECT_TRUE(same_numbers(table.column(std::string(name) + "-" + std::to_string(c)), want.column(name)))
          << name << c;
    want.features.intensities.clear();
    want.features.real_intensities.clear();
    want.features.has_intensities = false;
    EXPECT_TRUE(same_table(table.features, want.features));
  }
}

TEST(channels, have_the_rows_of_single_channels) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const extent sizes[] = {extent(7, 60), extent(3, 5, 9), extent(1, 1), extent(0, 4), extent(40, 3)};
    const labelled_channels given(sizes[seed % std::size(sizes)], seed);
    region_request asked{.labels = given.labels.view(), .channels = given.views};
    if (seed % 3 == 1) asked.background = background::none();
    if (seed % 4 == 1) asked.index = {5, 17, 300, 5};
    asked.features.moments = seed % 2 == 1;
    SCOPED_TRACE(seed);
    ask_every_engine([&](engine& on) { expect_rows_of_single_channels(on, asked); });
    ASSERT_FALSE(HasFailure());
  }
}

TEST(channels, have_the_columns_of_single_channels) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const extent sizes[] = {extent(7, 30), extent(3, 5, 9), extent(1, 1), extent(12, 3)};
    const labelled_channels given(sizes[seed % std::size(sizes)], seed);
    SCOPED_TRACE(seed);
    ask_every_engine([&](engine& on) {
      column_request asked;
      asked.columns = {"area", "intensity", "intensity_median"};
      asked.channels = given.views;
      column_table table;
      measure_columns(on, given.labels.view(), asked, table);
      for (std::size_t c = 0; c < given.views.size(); ++c) {
        column_request one;
        one.columns = asked.columns;
        one.intensity = given.views[c];
        column_table want;
        measure_columns(on, given.labels.view(), one, want);
        for (const table_column& column : want.columns) {
          const bool shared = column.name == "label" || column.name == "area";
          const table_column& got = table.column(shared ? column.name : column.name + "-" + std::to_string(c));
          EXPECT_EQ(got.integers, column.integers) << column.name;
          EXPECT_TRUE(same_numbers(got.numbers, column.numbers)) << column.name << c;
        }
      }
    });
    ASSERT_FALSE(HasFailure());
  }
}

TEST(channels, weigh_pixels) {
  const std::vector<std::uint8_t> labels = {1, 1, 0, 2}, red = {1, 3, 9, 5}, green = {2, 2, 9, 7};
  column_request asked;
  asked.columns = {"centroid_weighted", "moments_weighted-0-1", "num_pixels", "moments_weighted_hu-0-1"};
  asked.channels = {image_view(red.data(), {1, 4}), image_view(green.data(), {1, 4})};
  ask_every_engine([&](engine& on) {
    column_table table;
    measure_columns(on, image_view(labels.data(), {1, 4}), asked, table);
    std::vector<std::string> names;
    for (const table_column& column : table.columns) names.push_back(column.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"label", "centroid_weighted-0-0", "centroid_weighted-0-1",
                                        "centroid_weighted-1-0", "centroid_weighted-1-1", "moments_weighted-0-1-0",
                                        "moments_weighted-0-1-1", "num_pixels", "moments_weighted_hu-0-1"}));
    EXPECT_EQ(table.column("centroid_weighted-1-0").numbers, (std::vector<double>{0.75, 3}));
    EXPECT_EQ(table.column("centroid_weighted-1-1").numbers, (std::vector<double>{0.5, 3}));
    EXPECT_EQ(table.column("moments_weighted-0-1-0").numbers, (std::vector<double>{3, 0}));
    std::vector<std::uint8_t> kept(4);
    EXPECT_EQ(keep_regions(on, image_view(labels.data(), {1, 4}), {{.column = "intensity_mean-1", .most = 3}}, asked,
                           mutable_image(kept.data(), {1, 4})),
              (std::vector<label_bits>{1}));
  });
}

TEST(channels, are_checked) {
  const std::vector<std::uint8_t> labels(6);
  const image_view image(labels.data(), {2, 3}), other(labels.data(), {3, 2});
  engine on = engine::cpu(1);
  const auto refusal = [&](const region_request& asked) {
    region_table table;
    try {
      measure_regions(on, asked, table);
    } catch (const invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({.labels = image, .channels = {image, other}}),
            "channels[1]: size 3 x 2 is not that of the labels, 2 x 3");
  EXPECT_EQ(refusal({.labels = image, .features = {.intensity = image}, .channels = {image}}),
            "channels: an intensity is given as well; make it one of them");
  EXPECT_EQ(refusal({.labels = image, .channels = {image_view()}}),
            "channels[0]: size 0 x 0 is not that of the labels, 2 x 3");
  EXPECT_EQ(refusal({.labels = image, .channels = {image_view(labels.data(), dtype::bit, {2, 3})}}),
            "channels[0]: dtype bit is not supported");
  column_request asked;
  column_table table;
  asked.channels = {image, image_view()};
  EXPECT_THROW(measure_columns(on, image, asked, table), invalid_argument);
  asked.channels = {image};
  asked.intensity = image;
  EXPECT_THROW(measure_columns(on, image, asked, table), invalid_argument);
  asked.intensity = {};
  asked.columns = {"intensity_mean-1"};
  EXPECT_THROW(measure_columns(on, image, asked, table), invalid_argument);
}

}  // namespace
}  // namespace skerry::test

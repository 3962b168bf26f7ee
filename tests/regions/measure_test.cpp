// SPDX-License-Identifier: Apache-2.0
// Tables of given label images: every engine against the reference, and the reference against tables written by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "skerry/error.hpp"
#include "skerry/regions.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

region_table measured(engine& on, const region_request& asked) {
  region_table table;
  const std::uint64_t rows = measure_regions(on, asked, table);
  EXPECT_EQ(rows, table.labels.size());
  return table;
}

void expect_same(const region_table& got, const region_table& want) {
  EXPECT_EQ(got.labels, want.labels);
  EXPECT_EQ(got.signed_labels, want.signed_labels);
  EXPECT_TRUE(same_table(got.features, want.features));
}

// The reference's answer, which is that of all engines, with a table that has been used before.
region_table expect_everywhere(const region_request& asked) {
  region_table want = measured(each_engine().front().on, asked);
  static region_table got;
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(measure_regions(each.on, asked, got), want.size());
    expect_same(got, want);
  }
  return want;
}

TEST(measure_regions, of_a_small_image_by_hand) {
  const std::vector<i32> labels = {7, 7, 0,  0,   //
                                   0, 7, -3, -3,  //
                                   7, 0, 0,  1000000};
  const std::vector<u8> grey = {1, 2,  3,  4,  //
                                5, 6,  7,  8,  //
                                9, 10, 11, 12};
  region_request asked{.labels = image_view(labels.data(), {3, 4})};
  asked.features = {true, image_view(grey.data(), {3, 4})};
  const region_table table = expect_everywhere(asked);
  EXPECT_EQ(table.labels, (std::vector<label_bits>{7, 1000000}));
  EXPECT_EQ(table.integer_column("label"), (std::vector<std::uint64_t>{7, 1000000}));
  EXPECT_EQ(table.integer_column("area"), (std::vector<std::uint64_t>{4, 1}));
  EXPECT_EQ(table.integer_column("bbox-0"), (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(table.integer_column("bbox-3"), (std::vector<std::uint64_t>{2, 4}));
  EXPECT_EQ(table.column("centroid-0"), (std::vector<double>{0.75, 2}));
  EXPECT_EQ(table.column("intensity_sum"), (std::vector<double>{18, 12}));
  EXPECT_EQ(table.column("moments_central-2-0"), (std::vector<double>{2.75, 0}));
}

TEST(measure_regions, has_background_where_it_is_asked_for) {
  const std::vector<std::int8_t> labels = {-1, 0, 2, -1};
  region_request asked{.labels = image_view(labels.data(), {2, 2})};
  asked.background = background::equal_to(2);
  region_table table = expect_everywhere(asked);
  EXPECT_EQ(table.column("label"), (std::vector<double>{-1, 0}));
  EXPECT_EQ(table.labels, (std::vector<label_bits>{~u64{0}, 0}));
  asked.background = background::none();
  table = expect_everywhere(asked);
  EXPECT_EQ(table.column("label"), (std::vector<double>{-1, 0, 2}));
  EXPECT_TRUE(table.signed_labels);
}

TEST(measure_regions, has_no_background_whose_label_its_type_cannot_hold) {
  const std::vector<std::int8_t> with_sign = {-1, 0, 2, -1};
  const std::vector<u64> without = {~u64{0}, 0, 2, ~u64{0}};
  const image_view images[] = {{with_sign.data(), {2, 2}}, {without.data(), {2, 2}}};
  const background of_sign = background::equal_to(-1), of_none = background::equal_to(~u64{0});
  EXPECT_EQ(expect_everywhere({.labels = images[0], .background = of_sign}).size(), 2u);
  EXPECT_EQ(expect_everywhere({.labels = images[0], .background = of_none}).size(), 3u);
  EXPECT_EQ(expect_everywhere({.labels = images[1], .background = of_sign}).size(), 3u);
  EXPECT_EQ(expect_everywhere({.labels = images[1], .background = of_none}).size(), 2u);
}

TEST(measure_regions, takes_labels_up_to_the_limits_of_64_bits) {
  constexpr u64 top = std::numeric_limits<u64>::max();
  const std::vector<u64> labels = {top, u64{1} << 63, 5, top, top - 1, 0, u64{1} << 32, 5, (u64{1} << 63) - 1};
  region_table table = expect_everywhere({.labels = image_view(labels.data(), {3, 3})});
  EXPECT_EQ(table.integer_column("label"),
            (std::vector<std::uint64_t>{5, u64{1} << 32, (u64{1} << 63) - 1, u64{1} << 63, top - 1, top}));
  EXPECT_EQ(table.integer_column("area"), (std::vector<std::uint64_t>{2, 1, 1, 1, 1, 2}));
  const std::vector<i64> with_sign = {INT64_MIN, -1, INT64_MAX, INT64_MIN};
  table = expect_everywhere({.labels = image_view(with_sign.data(), {2, 2}), .background = background::none()});
  EXPECT_EQ(table.integer_column("area"), (std::vector<std::uint64_t>{2, 1, 1}));
  EXPECT_EQ(static_cast<i64>(table.labels.front()), INT64_MIN);
}

TEST(measure_regions, of_every_type_layout_and_size) {
  std::uint32_t seed = 0;
  for (const dtype type : given_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size : {extent(9, 70), extent(3, 4, 5), extent(1, 1), extent(130, 1), extent(1, 200),
                                 extent(2, 1, 65), extent(1, 3, 4), extent(0, 5), extent(5, 0), extent(2, 0, 3)}) {
        ++seed;
        SCOPED_TRACE(std::string(name_of(type)) + ", " + name_of(arrangement) + ", " + std::to_string(seed));
        const placed_image labels(type, size, arrangement, random_values(edge_values(type), size, 1 + seed % 3, seed));
        const dtype of_intensity = intensity_types[seed % std::size(intensity_types)];
        const placed_image grey(of_intensity, size, all_layouts[seed % std::size(all_layouts)],
                                random_values(edge_values(of_intensity), size, 1, seed));
        region_request asked{.labels = labels.view()};
        if (seed % 3 != 0) asked.background = seed % 3 == 1 ? background::none() : background::equal_to(1);
        asked.features.moments = seed % 2 == 0;
        if (seed % 5 != 0) asked.features.intensity = grey.view();
        expect_everywhere(asked);
        ASSERT_FALSE(HasFailure());
      }
}

// Labels of every size in random order: dense ones, some far apart, negative ones.
std::vector<i64> many_labels(std::size_t pixels, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<i64> labels(pixels);
  for (i64& label : labels) {
    const u64 draw = random();
    label = static_cast<i64>(draw % 3 == 0 ? draw >> 8 : draw % 700);
    if (draw % 3 == 1) label = static_cast<i64>(draw % 500) * (i64{1} << 40);
    if (draw % 11 == 0) label = -label;
  }
  return labels;
}

TEST(measure_regions, of_many_labels_in_any_order) {
  for (int i = 0; i < scaled(10); ++i) {
    const extent size(40 + i, 130);
    const std::vector<i64> labels = many_labels(static_cast<std::size_t>(size.pixels()), static_cast<std::uint32_t>(i));
    region_request asked{.labels = image_view(labels.data(), size)};
    if (i % 2 == 0) asked.background = background::none();
    asked.features.moments = true;
    asked.features.intensity = image_view(labels.data(), size);
    EXPECT_GT(expect_everywhere(asked).size(), 1000u);
  }
}

TEST(measure_regions, of_each_width_on_each_instruction_set) {
  engine& one = each_engine()[1].on;
  for (const dtype type : {dtype::u8, dtype::i16, dtype::u32, dtype::i64})
    for (std::int64_t width = 1; width <= 200; ++width) {
      const extent size(4, width);
      const placed_image labels(type, size, layout::dense,
                                random_values({0, 1, 2, 100}, size, 1 + static_cast<int>(width % 2), 7));
      const region_table want = measured(each_engine().front().on, {.labels = labels.view()});
      with_each_instruction_set([&](const std::string& name) {
        SCOPED_TRACE(name + ", width " + std::to_string(width));
        expect_same(measured(one, {.labels = labels.view()}), want);
      });
      ASSERT_FALSE(HasFailure());
    }
}

TEST(measure_regions, gives_rows_for_an_index) {
  const std::vector<i32> labels = {7, 7, 0, -3, 9, 9};
  const std::vector<float> grey = {1, 2, 3, 4, 5, 6};
  region_request asked{.labels = image_view(labels.data(), {2, 3})};
  asked.features = {true, image_view(grey.data(), {2, 3})};
  asked.index = {9, 8, 7, 9, static_cast<label_bits>(-3), 0};
  region_table table = expect_everywhere(asked);
  EXPECT_EQ(table.labels, *asked.index);
  EXPECT_EQ(table.integer_column("area"), (std::vector<std::uint64_t>{2, 0, 2, 2, 0, 0}));
  EXPECT_EQ(table.column("intensity_sum"), (std::vector<double>{11, 0, 3, 11, 0, 0}));
  for (const std::string& name : table.column_names()) EXPECT_EQ(table.column(name).size(), 6u) << name;
  for (const char* const side : {"bbox-0", "bbox-1", "bbox-2", "bbox-3"}) EXPECT_EQ(table.column(side)[1], 0) << side;
  for (const pixel_spacing& spacing : {pixel_spacing{}, pixel_spacing{.y = 2, .x = 3, .unit = "um"}})
    for (const std::string& name : table.column_names(spacing)) {
      const bool is_number = name.starts_with("label") || name.starts_with("area") || name.starts_with("bbox") ||
                             name.find("_sum") != std::string::npos;
      EXPECT_EQ(std::isnan(table.column(name, spacing)[1]), !is_number) << name;
      EXPECT_FALSE(std::isnan(table.column(name, spacing)[0])) << name;
    }
  asked.background = background::none();
  EXPECT_EQ(expect_everywhere(asked).integer_column("area"), (std::vector<std::uint64_t>{2, 0, 2, 2, 1, 1}));
  asked.index->clear();
  EXPECT_EQ(expect_everywhere(asked).size(), 0u);
  asked.labels.size = asked.features.intensity.size = {0, 3};
  asked.index = {3};
  EXPECT_EQ(expect_everywhere(asked).integer_column("area"), (std::vector<std::uint64_t>{0}));
}

TEST(measure_regions, derives_columns_in_units) {
  const std::vector<u8> labels = {0, 4, 4, 9};
  const region_table table = measured(each_engine()[1].on, {.labels = image_view(labels.data(), {2, 2})});
  const pixel_spacing spacing{1, 2, 3, "um"};
  EXPECT_EQ(table.column("area_um2", spacing), (std::vector<double>{12, 6}));
  EXPECT_EQ(table.column("label", spacing), (std::vector<double>{4, 9}));
  const std::vector<std::string> names = table.column_names(spacing);
  EXPECT_NE(std::find(names.begin(), names.end(), "area_um2"), names.end());
}

TEST(measure_regions, says_where_it_ran) {
  const std::vector<u8> labels = {0, 4, 4, 9};
  engine on = engine::automatic(2);
  region_table table;
  EXPECT_EQ(measure_regions(on, {.labels = image_view(labels.data(), {2, 2})}, table), 2u);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
}

std::string refusal(const region_request& asked) {
  region_table table;
  table.labels = {3};
  try {
    measure_regions(each_engine()[1].on, asked, table);
  } catch (const invalid_argument& error) {
    EXPECT_EQ(table.labels.size(), 1u);  // as it was
    return error.what();
  }
  return "nothing was refused";
}

TEST(measure_regions, refuses_what_it_cannot_measure) {
  const std::vector<double> pixels(8);
  const image_view labels(pixels.data(), dtype::u8, {2, 3});
  EXPECT_EQ(refusal({.labels = image_view(pixels.data(), dtype::f32, {2, 3})}),
            "labels: dtype is float32; give integers of 8 to 64 bits or bool");
  EXPECT_EQ(refusal({.labels = image_view(nullptr, dtype::u8, {2, 3})}).rfind("labels: ", 0), 0u);
  EXPECT_EQ(refusal({.labels = labels, .background = {static_cast<background::rule>(7), 0}}),
            "background: unknown rule");
  EXPECT_EQ(refusal({.labels = labels, .features = {.intensity = image_view(pixels.data(), dtype::u8, {3, 2})}}),
            "intensity: size 3 x 2 is not that of the labels, 2 x 3");
  EXPECT_EQ(refusal({.labels = labels, .features = {.intensity = image_view(pixels.data(), dtype::bit, {2, 3})}}),
            "intensity: dtype bit is not supported");
}

}  // namespace
}  // namespace skerry::test

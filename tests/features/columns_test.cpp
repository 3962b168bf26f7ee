// SPDX-License-Identifier: Apache-2.0
// Every column on every engine against the reference's definitions, and some by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "engine/engine_state.hpp"
#include "features/columns.hpp"
#include "skerry/error.hpp"
#include "support/mask.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

// How far a column may be from its definition: parts of 2^53 of its value or of a scale. Central moments, and what follows from
// them, are exact here and rounded by the reference. docs/columns.md lists these bounds.
struct column_bound {
  double parts = 8, scale = 0;
};

column_bound bound_of(const std::string& name) {
  const auto begins = [&](const char* text) { return name.compare(0, std::string(text).size(), text) == 0; };
  if (begins("intensity_") && !begins("intensity_median")) return {0, 0};
  if (begins("moments_hu") || begins("moments_weighted_hu")) return {4096, 1};
  if (begins("moments_weighted")) return {64, 30000};
  if (begins("moments_") || begins("inertia")) return {64, 16};
  if (begins("axis_") || begins("centroid")) return {64, 1};
  if (begins("eccentricity")) return {0x1p28, 0};  // of 1 - a quotient near 1
  return {64, 1};
}

// A rectangle of least area is not always the only one, nor is the angle of a square.
bool is_ambiguous(const std::string& name) {
  return name == "minimum_rectangle_length" || name == "minimum_rectangle_width" ||
         name == "minimum_rectangle_orientation" || name == "orientation";
}

void expect_close(const column_table& got, const column_table& want) {
  ASSERT_EQ(got.columns.size(), want.columns.size());
  EXPECT_EQ(got.rank, want.rank);
  for (std::size_t c = 0; c < got.columns.size(); ++c) {
    const table_column &a = got.columns[c], &b = want.columns[c];
    ASSERT_EQ(a.name, b.name);
    ASSERT_EQ(a.is_integer, b.is_integer);
    EXPECT_EQ(a.integers, b.integers) << a.name;
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    const column_bound bound = bound_of(a.name);
    if (is_ambiguous(a.name)) continue;
    for (std::size_t row = 0; row < a.numbers.size(); ++row)
      EXPECT_TRUE(are_close(a.numbers[row], b.numbers[row], bound.parts, bound.scale))
          << a.name << " of row " << row << ": " << a.numbers[row] << ", not " << b.numbers[row];
  }
}

// The definitions, and the same bits for every number of threads.
column_table expect_everywhere(const image_view& labels, const column_request& asked) {
  const column_table want = columns_of(each_engine().front().on, labels, asked);
  column_table first;
  ask_every_engine([&](engine& on) {
    if (on.kind() == engine_kind::reference) return;
    const column_table got = columns_of(on, labels, asked);
    expect_close(got, want);
    if (first.columns.empty()) first = got;
    expect_same(got, first);
  });
  return first;
}

std::vector<double> blocks(const extent& size, int granularity, int labels, std::uint32_t seed) {
  std::vector<double> choices = {0};
  for (int label = 1; label <= labels; ++label) choices.push_back(label);
  return random_values(choices, size, granularity, seed);
}

TEST(columns, of_random_planes) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(17, 23), extent(9, 70), extent(1, 40), extent(33, 1), extent(2, 2), extent(1, 1)})
    for (const int granularity : {1, 2, 5})
      for (const int labels : {1, 2, 7}) {
        if (++seed % 4 != 0 && test_scale() < 1) continue;
        SCOPED_TRACE(seed);
        const placed_image image(dtype::u16, size, layout::dense, blocks(size, granularity, labels, seed));
        constexpr dtype types[] = {dtype::u8, dtype::f32, dtype::i64, dtype::f16, dtype::u64, dtype::f64, dtype::u16};
        const placed_image grey(types[seed % std::size(types)], size, layout::dense,
                                random_values({0, 1, 7, 200, 255}, size, 1, seed));
        column_request asked;
        asked.intensity = grey.view();
        if (seed % 3 == 1) asked.spacing = {7, 0.5, 0.5, "um"};
        if (seed % 3 == 2) asked.spacing = {7, 2, 0.75, ""};
        expect_everywhere(image.view(), asked);
        ASSERT_FALSE(HasFailure());
      }
}

// What the reference does not know is NaN, which an engine's NaN would pass for.
TEST(columns, the_reference_defines_every_column) {
  engine on = engine::reference();
  for (const extent& size : {extent(6, 7), extent(3, 4, 5)}) {
    const placed_image image(dtype::u8, size, layout::dense, random_values({0, 1}, size, 1, 1));
    column_request asked;
    asked.intensity = image.view();
    const column_table table = columns_of(on, image.view(), asked);
    ASSERT_EQ(table.size(), 1U);
    for (const table_column& column : table.columns) {
      const bool has_none_of_low_order = column.name.find("_normalized") != std::string::npos;
      const bool is_defined = column.is_integer ? column.integers[0] != std::numeric_limits<std::int64_t>::min()
                                                : !std::isnan(column.numbers[0]) || has_none_of_low_order;
      EXPECT_TRUE(is_defined) << column.name << ": src/reference has no definition of it";
    }
  }
}

// Neighbours are compared 64 pixels at a time, and rows that are all equal are taken together.
TEST(columns, of_planes_about_words_of_pixels_and_of_equal_rows) {
  constexpr dtype types[] = {dtype::u8, dtype::i16, dtype::u32, dtype::i64};
  std::uint32_t seed = 300;
  for (const int width : {63, 64, 65, 66, 128, 129, 193})
    for (const int granularity : {1, 3, 12}) {
      if (++seed % 4 != 0 && test_scale() < 1) continue;
      SCOPED_TRACE(std::to_string(width) + " by blocks of " + std::to_string(granularity));
      const extent size(26, width);
      const layout memory = seed % 3 == 0 ? layout::every_second_pixel : layout::dense;
      const placed_image image(types[seed % std::size(types)], size, memory, blocks(size, granularity, 3, seed));
      column_request asked;
      asked.columns = {"patterns", "power_sums", "filled"};
      expect_everywhere(image.view(), asked);
      for (const char* column : {"euler_number", "perimeter", "perimeter_crofton", "moments_central-1-2"}) {
        asked.columns = {column};
        expect_everywhere(image.view(), asked);
      }
      ASSERT_FALSE(HasFailure());
    }
}

// 64 bits hold the sums of some of these regions and not those of others: thin ones, far apart ones, and large ones.
TEST(columns, moments_of_regions_about_the_size_of_a_word) {
  std::vector<std::uint16_t> labels(std::size_t{3} * 70000);
  for (std::size_t x = 0; x < 70000; ++x) {
    labels[x] = static_cast<std::uint16_t>(x < 60000 ? 1 : 2);
    labels[70000 + x] = static_cast<std::uint16_t>(x % 20000 == 7 ? 3 : x % 3 == 0 ? 4 : 0);
    labels[140000 + x] = static_cast<std::uint16_t>(x % 70 == 0 ? 5 + x / 700 : 4);
  }
  column_request asked;
  // Of even exponents, in which nothing cancels where the reference rounds.
  asked.columns = {"moments", "moments_central-0-2", "moments_central-2-0", "moments_central-2-2"};
  expect_everywhere(image_view(labels.data(), extent(3, 70000)), asked);
  expect_everywhere(image_view(labels.data(), extent(70000, 3)), asked);
}

TEST(columns, of_random_volumes) {
  std::uint32_t seed = 100;
  for (const extent& size : {extent(4, 5, 6), extent(1, 4, 9), extent(7, 1, 3), extent(3, 8, 1), extent(6, 6, 6)})
    for (const int granularity : {1, 2, 3})
      for (const int labels : {1, 3}) {
        if (++seed % 4 != 0 && test_scale() < 1) continue;
        SCOPED_TRACE(seed);
        const placed_image image(dtype::i32, size, layout::dense, blocks(size, granularity, labels, seed));
        constexpr dtype types[] = {dtype::i16, dtype::f32, dtype::i64, dtype::f64};
        const placed_image grey(types[seed % std::size(types)], size, layout::dense,
                                random_values({1, 5, 30000}, size, 1, seed));
        column_request asked;
        asked.intensity = grey.view();
        if (seed % 2 == 1) asked.spacing = {2, 0.5, 1.25, "um"};
        expect_everywhere(image.view(), asked);
        ASSERT_FALSE(HasFailure());
      }
}

// About the size up to which 127 bits are enough for central moments.
TEST(columns, central_moments_of_skew_regions_of_many_sizes) {
  for (int side = 24; side <= 96; side += 6) {
    std::vector<std::uint8_t> labels;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) labels.push_back(x * x <= y * side ? 1 : 2);
    column_request asked;
    asked.columns = {"moments_central", "moments_weighted_central"};
    asked.intensity = image_view(labels.data(), extent(side, side));
    SCOPED_TRACE(side);
    expect_everywhere(image_view(labels.data(), extent(side, side)), asked);
  }
}

// NumPy's median: the middle of the two values that are nearest, and so infinite beside an infinity.
TEST(columns, medians_beside_infinities) {
  const std::vector<std::uint8_t> labels = {1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  const float most = HUGE_VALF;
  const std::vector<float> values = {1, 2, most, 5, most, -most, 3, most, most, 1, 2};
  column_request asked;
  asked.columns = {"intensity_median"};
  asked.intensity = image_view(values.data(), extent(1, 11));
  const column_table table = expect_everywhere(image_view(labels.data(), extent(1, 11)), asked);
  EXPECT_EQ(table.column("intensity_median").numbers, (std::vector<double>{2, most, -most, most, 1.5}));
}

TEST(columns, of_a_ring_by_hand) {
  const mask ring = picture(R"(
    .#####.
    .#...#.
    .#.#.#.
    .#...#.
    .#####.)");
  column_request asked;
  const column_table table = expect_everywhere(ring.view(), asked);
  const auto number = [&](const char* name) { return table.column(name).numbers.at(0); };
  const auto integer = [&](const char* name) { return table.column(name).integers.at(0); };
  EXPECT_EQ(integer("num_pixels"), 17);
  EXPECT_EQ(integer("euler_number"), 1);  // two pieces, one hole
  EXPECT_EQ(integer("number_of_holes"), 1);
  EXPECT_EQ(integer("touches_border"), 1);
  EXPECT_EQ(number("area_filled"), 25);
  EXPECT_EQ(number("area_convex"), 25);
  EXPECT_EQ(number("solidity"), 17.0 / 25);
  EXPECT_EQ(number("area_bbox"), 25);
  EXPECT_EQ(number("extent"), 17.0 / 25);
  EXPECT_EQ(number("moments-0-1"), 34);
  EXPECT_EQ(number("moments_central-2-0"), 44);
  EXPECT_EQ(number("moments_central-3-0"), 0);  // exact: symmetric
  EXPECT_EQ(number("moments_central-2-1"), 0);
  EXPECT_EQ(number("moments_hu-6"), 0);
  EXPECT_EQ(number("perimeter"), 16);
  EXPECT_EQ(number("feret_diameter_max"), std::hypot(5.0, 4.0));
  EXPECT_EQ(number("feret_diameter_min"), 5);
  EXPECT_EQ(number("minimum_rectangle_area"), 25);
  EXPECT_DOUBLE_EQ(number("bounding_circle_center-0"), 2);
  EXPECT_DOUBLE_EQ(number("bounding_circle_center-1"), 3);
}

TEST(columns, of_a_hollow_cube_by_hand) {
  const extent size(5, 5, 5);
  std::vector<std::uint8_t> labels(125);
  for (int z = 1; z < 4; ++z)
    for (int y = 1; y < 4; ++y)
      for (int x = 1; x < 4; ++x) labels[static_cast<std::size_t>((z * 5 + y) * 5 + x)] = z * y * x == 8 ? 2 : 1;
  const column_table table = expect_everywhere(image_view(labels.data(), size), {});
  EXPECT_EQ(table.column("euler_number").integers, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(table.column("number_of_holes").integers, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(table.column("touches_border").integers, (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(table.column("area_filled").numbers, (std::vector<double>{27, 1}));
  EXPECT_EQ(table.column("area_convex").numbers, (std::vector<double>{27, 1}));
  EXPECT_EQ(table.column("solidity").numbers, (std::vector<double>{26.0 / 27, 1}));
  EXPECT_EQ(table.column("feret_diameter_max").numbers, (std::vector<double>{std::sqrt(9.0 + 4 + 4), 1}));
  EXPECT_EQ(table.column("surface_area").numbers, (std::vector<double>{60, 6}));
  EXPECT_EQ(table.column("moments_central-1-1-1").numbers, (std::vector<double>{0, 0}));
}

// Larger regions than the definitions can be asked about: the answers do not know which axis is which. A side of 2^17 pixels
// and more takes wider integers.
TEST(columns, hulls_of_large_volumes_do_not_depend_on_axes) {
  engine on = engine::cpu(1);
  column_request asked;
  asked.columns = {"num_pixels", "area_convex", "feret_diameter_max"};
  const auto measured = [&](std::array<std::int64_t, 3> sides, std::array<std::size_t, 3> axes, auto is_inside) {
    const extent size(sides[axes[0]], sides[axes[1]], sides[axes[2]]);
    std::vector<std::uint8_t> labels;
    std::array<std::int64_t, 3> at{};
    for (at[axes[0]] = 0; at[axes[0]] < size.depth; ++at[axes[0]])
      for (at[axes[1]] = 0; at[axes[1]] < size.height; ++at[axes[1]])
        for (at[axes[2]] = 0; at[axes[2]] < size.width; ++at[axes[2]]) labels.push_back(is_inside(at) ? 1 : 0);
    const column_table table = columns_of(on, image_view(labels.data(), size), asked);
    return std::array<double, 3>{static_cast<double>(table.column("num_pixels").integers.at(0)),
                                 table.column("area_convex").numbers.at(0),
                                 table.column("feret_diameter_max").numbers.at(0)};
  };
  const auto egg = [](const std::array<std::int64_t, 3>& at) {
    return (at[0] - 15) * (at[0] - 15) + 2 * at[1] * at[1] + (at[2] - at[0]) * (at[2] - at[0]) <= 300;
  };
  const auto ends = [](const std::array<std::int64_t, 3>& at) {
    return at[0] + at[1] + at[2] == 0 || at[2] == (std::int64_t{1} << 17) + 4;
  };
  const auto large = measured({34, 14, 40}, {0, 1, 2}, egg), wide = measured({2, 3, (1 << 17) + 5}, {0, 1, 2}, ends);
  EXPECT_GT(large[1], large[0]);
  EXPECT_GT(wide[2], 1 << 17);
  for (const std::array<std::size_t, 3>& axes :
       {std::array<std::size_t, 3>{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    EXPECT_EQ(measured({34, 14, 40}, axes, egg), large);
  }
  EXPECT_EQ(measured({2, 3, (1 << 17) + 5}, {1, 0, 2}, ends), wide);
}

// As few threads share the rows as their sums are worth, down to one.
TEST(columns, do_not_depend_on_how_many_share_the_rows) {
  std::mt19937 random(12);
  for (const extent& size : {extent(60, 70), extent(9, 20, 30)}) {
    std::vector<std::uint32_t> labels;
    std::vector<float> weights;
    for (std::int64_t i = 0; i < size.pixels(); ++i) {
      labels.push_back(static_cast<std::uint32_t>(random() % 5 == 0 ? random() % 400 : i / 40));
      weights.push_back(static_cast<float>(random() % 1000));
    }
    const column_request asked{.columns = {"all"}, .intensity = image_view(weights.data(), size)};
    engine one = engine::cpu(1);
    const column_table want = columns_of(one, image_view(labels.data(), size), asked);
    for (const std::int64_t bytes : {0, 1 << 20, 64 << 20}) {
      engine several = engine::cpu(3);
      several.inside().least_pixels_per_strip = 1;
      several.inside().free_bytes_of_shares = bytes;
      expect_same(columns_of(several, image_view(labels.data(), size), asked), want, have_same_bits);
    }
  }
}

// Sums beyond 64 and 128 bits: one row whose strides are 0, so that one pixel is its memory.
TEST(columns, sums_of_long_rows_are_exact) {
  const std::uint8_t one = 1;
  const std::int64_t width = std::int64_t{1} << static_cast<int>(20 + 4 * test_scale());
  const image_view row(&one, dtype::u8, extent(1, width), {0, 0, 0});
  const std::int32_t weight = -2147483647;
  column_request asked;
  asked.columns = {"moments-0-3",          "moments_central-0-2",          "moments_central-0-3",
                   "moments_weighted-0-3", "moments_weighted_central-0-3", "centroid_weighted"};
  asked.intensity = image_view(&weight, dtype::i32, extent(1, width), {0, 0, 0});
  engine on = engine::cpu(1);
  const column_table table = columns_of(on, row, asked);
  const auto number = [&](const char* name) { return table.column(name).numbers.at(0); };
  const auto n = static_cast<long double>(width);
  const auto cubes = n * (n - 1) / 2 * (n * (n - 1) / 2);
  EXPECT_TRUE(are_close(number("moments-0-3"), static_cast<double>(cubes), 2));
  EXPECT_TRUE(are_close(number("moments_weighted-0-3"), static_cast<double>(-2147483647.0L * cubes), 2));
  EXPECT_TRUE(are_close(number("moments_central-0-2"), static_cast<double>(n * (n * n - 1) / 12), 2));
  EXPECT_EQ(number("moments_central-0-3"), 0);
  EXPECT_EQ(number("moments_weighted_central-0-3"), 0);
  EXPECT_DOUBLE_EQ(number("centroid_weighted-1"), static_cast<double>((n - 1) / 2));
}

// Labels 1, 2, … in raster order, a square of 2 x 2 pixels each.
std::vector<std::uint32_t> squares(const extent& size) {
  std::vector<std::uint32_t> labels;
  for (std::int64_t y = 0; y < size.height; ++y)
    for (std::int64_t x = 0; x < size.width; ++x)
      labels.push_back(static_cast<std::uint32_t>(1 + y / 2 * (size.width / 2) + x / 2));
  return labels;
}

TEST(columns_of_regions, take_the_memory_of_the_last_call) {
  const column_request asked = {.columns = {"euler_number", "moments_central"}};
  const extent size(400, 600), small(200, 100);
  const std::vector<std::uint32_t> labels = squares(size), of_small = squares(small);
  engine first = engine::cpu(1);
  const column_table want = columns_of(first, image_view(labels.data(), size), asked);
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(threads);
    engine on = engine::cpu(threads);
    on.inside().least_pixels_per_strip = 1;
    expect_same(columns_of(on, image_view(labels.data(), size), asked), want);
    const std::size_t held = on.scratch_bytes();
    EXPECT_GT(held, want.size() * (16 * sizeof(std::uint64_t) + 16 * sizeof(double)));
    expect_same(columns_of(on, image_view(labels.data(), size), asked), want);
    if (threads == 1) {  // rows go to whichever of several threads is free
      EXPECT_EQ(on.scratch_bytes(), held);
    }
    // Sums of few regions do not keep those of many.
    EXPECT_EQ(columns_of(on, image_view(of_small.data(), small), asked).size(), 5000U);
    EXPECT_EQ(columns_of(on, image_view(of_small.data(), small), asked).size(), 5000U);
    EXPECT_LT(on.scratch_bytes(), held);
    expect_same(columns_of(on, image_view(labels.data(), size), asked), want);
    on.release_scratch();
    EXPECT_EQ(on.scratch_bytes(), 0U);
    expect_same(columns_of(on, image_view(labels.data(), size), asked), want);
  }
}

}  // namespace
}  // namespace skerry::test

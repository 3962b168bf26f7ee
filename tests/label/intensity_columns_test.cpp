// SPDX-License-Identifier: Apache-2.0
// Columns of intensities: rounding, large sums, and values that are not finite.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "label/measured.hpp"

namespace skerry::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(feature_table, intensities) {
  const mask image = picture("####");
  const std::vector<std::int16_t> values = {-3, 1, 1, 5};
  const feature_table table = measured(image, {values.data(), image.size});
  EXPECT_EQ(table.column("intensity_min").at(0), -3);
  EXPECT_EQ(table.column("intensity_max").at(0), 5);
  EXPECT_EQ(table.column("intensity_mean").at(0), 1);
  EXPECT_EQ(table.column("intensity_std").at(0), std::sqrt(8.0));
  EXPECT_EQ(table.column("intensity_sum").at(0), 4);
}

TEST(feature_table, float_intensities) {
  const mask image = picture("###.##");
  const std::vector<float> values = {0.1F, 0.1F, 0.1F, 0, -1e-30F, 3e30F};
  const feature_table table = measured(image, {values.data(), image.size});
  EXPECT_EQ(table.column("intensity_min"), (std::vector<double>{0.1F, -1e-30F}));
  EXPECT_EQ(table.column("intensity_max"), (std::vector<double>{0.1F, 3e30F}));
  EXPECT_EQ(table.column("intensity_mean"), (std::vector<double>{0.1F, static_cast<double>(3e30F) / 2}));
  EXPECT_EQ(table.column("intensity_sum"), (std::vector<double>{3 * static_cast<double>(0.1F), 3e30F}));
  EXPECT_EQ(table.column("intensity_std"), (std::vector<double>{0, static_cast<double>(3e30F) / 2}));

  const std::vector<double> doubles = {0.1, 0.1, 0.1, 7, 0.3, 0.2999};
  const feature_table rounded = measured(image, {doubles.data(), image.size});
  EXPECT_EQ(rounded.column("intensity_std").at(0), 0);
  EXPECT_DOUBLE_EQ(rounded.column("intensity_std").at(1), (0.3 - 0.2999) / 2);
}

// Each beside a component that is larger by far, or next to its own mean.
TEST(feature_table, float_intensities_beside_large_ones) {
  struct example {
    std::vector<double> values;  // the last is a component of its own
    double mean, deviation;
  };
  const std::vector<example> examples = {
      {{.5, 1.5, .5, 1.5, 0, 1e12}, 1, 0.5},
      {{1, 2, 3, 4, 0, 1e10}, 2.5, std::sqrt(1.25)},
      {{.001, .002, .001, .002, 0, 1e6}, 0.0015, 0.0005},
      {{1, 2, 3, 4, 0, -3.4e38}, 2.5, std::sqrt(1.25)},
      {{1e8 - 1e-3, 1e8 + 1e-3, 1e8 - 1e-3, 1e8 + 1e-3, 0, 1}, 1e8, ((1e8 + 1e-3) - (1e8 - 1e-3)) / 2},
      {{0x1p-1074, 0x1p-1073, 0x1p-1074, 0x1p-1073, 0, 1e308}, 0x1p-1073, 0},  // half a unit, to even
  };
  const mask image = picture("####.#");
  for (const example& each : examples) {
    const feature_table table = measured(image, {each.values.data(), image.size});
    EXPECT_DOUBLE_EQ(table.column("intensity_mean").at(0), each.mean);
    EXPECT_NEAR(table.column("intensity_std").at(0), each.deviation, 1e-9 * each.deviation);
    EXPECT_EQ(table.column("intensity_mean").at(1), each.values[5]);
  }
}

TEST(feature_table, zeros_keep_their_sign) {
  const mask image = picture("##.##.##");
  const std::vector<float> values = {-0.0F, -0.0F, 1, 0.0F, -0.0F, 1, 0.0F, 0.0F};
  const feature_table table = measured(image, {values.data(), image.size});
  const auto signs = [&](const char* name) {
    std::string text;
    for (const double value : table.column(name)) text += std::signbit(value) ? '-' : '+';
    return text;
  };
  EXPECT_EQ(signs("intensity_min"), "--+");
  EXPECT_EQ(signs("intensity_max"), "-++");
}

TEST(feature_table, standard_deviation_beside_a_large_mean) {
  std::mt19937 draw(1);
  mask image = empty_mask(extent(30, 30));
  std::vector<double> values;
  for (std::uint8_t& pixel : image.pixels) {
    pixel = 1;
    values.push_back(1e9 + draw() % 8);
  }
  double mean = 0, spread = 0;
  for (const double value : values) mean += (value - 1e9) / 900;
  for (const double value : values) spread += std::pow(value - 1e9 - mean, 2) / 900;
  std::vector<std::int32_t> whole(values.begin(), values.end());
  EXPECT_NEAR(measured(image, {whole.data(), image.size}).column("intensity_std").at(0), std::sqrt(spread), 1e-12);
  EXPECT_NEAR(measured(image, {values.data(), image.size}).column("intensity_std").at(0), std::sqrt(spread), 1e-12);
}

TEST(feature_table, sums_of_the_largest_images) {
  feature_table table;
  table.components.assign(1, {});
  table.has_intensities = true;
  table.components[0].area = std::uint64_t{1} << 40;
  __extension__ using wide = unsigned __int128;
  constexpr wide value = 4294967295U;
  const auto two_words = [](wide v) {
    return wide_integer{static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(v >> 64)};
  };
  table.intensities = {{4294967295.0, 4294967295.0, two_words(value << 40), two_words((value * value) << 40)}};
  EXPECT_EQ(table.column("intensity_mean").at(0), 4294967295.0);
  EXPECT_EQ(table.column("intensity_std").at(0), 0);
  // Half zeros, half 2^32 - 2.
  table.intensities = {{0, 4294967294.0, two_words((value - 1) << 39), two_words(((value - 1) * (value - 1)) << 39)}};
  EXPECT_EQ(table.column("intensity_std").at(0), 2147483647.0);
  EXPECT_EQ(table.column("intensity_sum").at(0), 4294967294.0 * 0x1p39);
}

TEST(feature_table, values_that_are_not_finite) {
  const double nan = std::nan("");
  const mask image = picture("##.##.##.##.#");
  const std::vector<double> values = {nan, 1, 0, infinity, 1, 0, -infinity, 2, 0, infinity, -infinity, 0, 5};
  const feature_table table = measured(image, {values.data(), image.size});
  const auto expect = [&](const char* name, const std::vector<double>& want) {
    const std::vector<double> got = table.column(name);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (std::isnan(want[i])) EXPECT_TRUE(std::isnan(got[i])) << name << " " << i << ": " << got[i];
      else EXPECT_EQ(got[i], want[i]) << name << " " << i;
    }
  };
  expect("intensity_min", {nan, 1, -infinity, -infinity, 5});
  expect("intensity_max", {nan, infinity, 2, infinity, 5});
  expect("intensity_sum", {nan, infinity, -infinity, nan, 5});
  expect("intensity_mean", {nan, infinity, -infinity, nan, 5});
  expect("intensity_std", {nan, nan, nan, nan, 0});
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/reference.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

constexpr wide_integer minus(std::uint64_t value) { return {~value + 1, ~std::uint64_t{0}}; }

feature_table measured(const mask& image, int connectivity, const measure_options& features) {
  return reference::analyse(image.view(), with_connectivity(connectivity), features).table;
}

TEST(reference_measure, geometry_and_moments_of_a_plane) {
  const mask image = picture(R"(
    .#.#
    .##.
    ...#)");
  const feature_table table = measured(image, 4, {.moments = true});
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table.rank, 2);
  // (0,1) (1,1) (1,2)
  EXPECT_EQ(table.components[0], (geometry{3, {0, 2, 4}, {0, 0, 1}, {0, 1, 2}}));
  EXPECT_EQ(table.components[1], (geometry{1, {0, 0, 3}, {0, 0, 3}, {0, 0, 3}}));
  EXPECT_EQ(table.components[2], (geometry{1, {0, 2, 3}, {0, 2, 3}, {0, 2, 3}}));
  EXPECT_EQ(table.moments[0], (second_moments{{0}, {0}, {0}, {2}, {3}, {6}}));
  EXPECT_EQ(table.moments[1], (second_moments{{0}, {0}, {0}, {0}, {0}, {9}}));
  EXPECT_EQ(table.moments[2], (second_moments{{0}, {0}, {0}, {4}, {6}, {9}}));
  EXPECT_TRUE(table.intensities.empty());
}

TEST(reference_measure, geometry_and_moments_of_a_volume) {
  const mask image = picture(R"(
    ...
    .#.
    ---
    ...
    .##)");
  const feature_table table = measured(image, 6, {.moments = true});
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table.rank, 3);
  // (0,1,1) (1,1,1) (1,1,2)
  EXPECT_EQ(table.components[0], (geometry{3, {2, 3, 4}, {0, 1, 1}, {1, 1, 2}}));
  EXPECT_EQ(table.moments[0], (second_moments{{2}, {2}, {3}, {3}, {4}, {6}}));
}

TEST(reference_measure, integer_intensities_are_exact) {
  const mask image = picture("###.#");
  const std::vector<std::int32_t> values = {-5, 2, 0, 77, std::numeric_limits<std::int32_t>::min()};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), image.size}});
  ASSERT_EQ(table.intensities.size(), 2U);
  EXPECT_EQ(table.intensities[0], (intensity{-5, 2, minus(3), {29}}));
  EXPECT_EQ(table.intensities[1],
            (intensity{-2147483648.0, -2147483648.0, minus(2147483648), {std::uint64_t{1} << 62}}));
  EXPECT_TRUE(table.real_intensities.empty());
  EXPECT_TRUE(table.moments.empty());
}

TEST(reference_measure, boolean_intensities_are_0_or_1) {
  const mask image = picture("###");
  const std::vector<std::uint8_t> values = {0, 1, 200};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), dtype::boolean, image.size}});
  EXPECT_EQ(table.intensities.at(0), (intensity{0, 1, {2}, {2}}));
}

// Units of bins are 2^(25 k). The largest magnitude is in bin 4, and so is its square.
TEST(reference_measure, digits_of_floats_are_summed_in_bins) {
  const mask image = picture("##.#.###");
  const std::vector<float> values = {1.5F, -3.0F, 1000.0F, -0.0F, 1000.0F, 0x1p25F, 0x1.8p0F, 0x1p-100F};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), image.size}});
  ASSERT_EQ(table.real_intensities.size(), 3U);
  EXPECT_TRUE(table.intensities.empty());
  // 1.5 - 3 = -2 + 2^-1; 1.5^2 + 3^2 = 11 + 2^-2.
  EXPECT_EQ(table.real_intensities[0], (real_intensity{-3, 1.5, {0, 0, 0, 1 << 24, -2}, {0, 0, 0, 1 << 23, 11}, 0}));
  EXPECT_EQ(table.real_intensities[1], (real_intensity{0, 0, {}, {}, 0}));
  EXPECT_TRUE(std::signbit(table.real_intensities[1].min));
  EXPECT_TRUE(std::signbit(table.real_intensities[1].max));
  // 2^25 + 1 + 2^-1, and 2^-100 is below bin 0. 2^50 + 2 + 2^-2.
  EXPECT_EQ(table.real_intensities[2],
            (real_intensity{0x1p-100, 0x1p25, {0, 0, 1 << 24, 1, 1}, {0, 1 << 23, 2, 0, 1}, 0}));
}

TEST(reference_measure, values_that_are_not_finite_are_only_noted) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const mask image = picture("##.##.#.###.##");
  const std::vector<double> values = {infinity, 1, 0,        -infinity,    1, 0, std::nan(""),
                                      0,        1, infinity, std::nan(""), 0, 2, std::nan("")};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), image.size}});
  ASSERT_EQ(table.real_intensities.size(), 5U);
  EXPECT_EQ(table.real_intensities[0], (real_intensity{1, infinity, {}, {}, intensity_has_plus_infinity}));
  EXPECT_EQ(table.real_intensities[1], (real_intensity{-infinity, 1, {}, {}, intensity_has_minus_infinity}));
  EXPECT_EQ(table.real_intensities[2], (real_intensity{infinity, -infinity, {}, {}, intensity_has_nan}));
  EXPECT_EQ(table.real_intensities[3],
            (real_intensity{1, infinity, {}, {}, intensity_has_nan | intensity_has_plus_infinity}));
  EXPECT_EQ(table.real_intensities[4], (real_intensity{2, 2, {0, 0, 0, 0, 2}, {0, 0, 0, 0, 4}, intensity_has_nan}));
}

TEST(reference_measure, the_smallest_and_largest_doubles) {
  const mask image = picture("##");
  const auto row_of = [&](double a, double b) {
    const std::vector<double> values = {a, b};
    return measured(image, 4, {.intensity = {values.data(), image.size}}).real_intensities.at(0);
  };
  constexpr double tiny = std::numeric_limits<double>::denorm_min();  // 2^-1074 = 2 · 2^(-43 · 25 + 0)
  EXPECT_EQ(row_of(tiny, 0), (real_intensity{0, tiny, {0, 0, 0, 0, 2}, {0, 0, 0, 0, 4}, 0}));
  constexpr double huge = std::numeric_limits<double>::max();  // 2^1024 - 2^971
  // The square is 2^2048 - 2^1996 + 2^1942. The highest bins count units of 2^1000 and 2^2025.
  constexpr std::int64_t all = (1 << 25) - 1, four_bits = 0xf << 21;
  EXPECT_EQ(row_of(huge, tiny),
            (real_intensity{
                tiny, huge, {0, 0, four_bits, all, (1 << 24) - 1}, {1 << 17, 0, four_bits, all, (1 << 23) - 1}, 0}));
}

}  // namespace
}  // namespace skerry::test

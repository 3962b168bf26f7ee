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
  EXPECT_EQ(table.intensities[0], (intensity{-5, 2, minus(3), {29}, 0}));
  EXPECT_EQ(table.intensities[1],
            (intensity{-2147483648.0, -2147483648.0, minus(2147483648), {std::uint64_t{1} << 62}, 0}));
  EXPECT_EQ(table.sum_exponent, 0);
  EXPECT_EQ(table.square_exponent, 0);
  EXPECT_TRUE(table.moments.empty());
}

TEST(reference_measure, boolean_intensities_are_0_or_1) {
  const mask image = picture("###");
  const std::vector<std::uint8_t> values = {0, 1, 200};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), dtype::boolean, image.size}});
  EXPECT_EQ(table.intensities.at(0), (intensity{0, 1, {2}, {2}, 0}));
}

TEST(reference_measure, float_intensities_are_fixed_point_below_the_largest_magnitude) {
  const mask image = picture("##.#");
  // Largest under the components: 3 < 2^2. Units 2^-60 and 2^-58. The 1000 is not under a component.
  const std::vector<float> values = {1.5F, -3.0F, 1000.0F, -0.0F};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), image.size}});
  EXPECT_EQ(table.sum_exponent, -60);
  EXPECT_EQ(table.square_exponent, -58);
  ASSERT_EQ(table.intensities.size(), 2U);
  constexpr std::uint64_t one = std::uint64_t{1} << 60;  // 1.0 in units of the sum
  EXPECT_EQ(table.intensities[0], (intensity{-3, 1.5, minus(one + one / 2), {(9 * 4 + 9) * (one >> 4)}, 0}));
  EXPECT_EQ(table.intensities[1], (intensity{0, 0, {}, {}, 0}));
  EXPECT_FALSE(std::signbit(table.intensities[1].min));
  EXPECT_FALSE(std::signbit(table.intensities[1].max));
}

TEST(reference_measure, a_power_of_two_is_below_the_next) {
  const mask image = picture("#");
  const std::vector<double> value = {4.0};
  const feature_table table = measured(image, 4, {.intensity = {value.data(), image.size}});
  EXPECT_EQ(table.sum_exponent, 3 - 62);
  EXPECT_EQ(table.square_exponent, 6 - 62);
  EXPECT_EQ(table.intensities[0], (intensity{4, 4, {std::uint64_t{1} << 61}, {std::uint64_t{1} << 60}, 0}));
}

TEST(reference_measure, values_that_are_not_finite_are_only_noted) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const mask image = picture("##.##.#.###");
  const std::vector<double> values = {infinity, 1, 0, -infinity, 1, 0, std::nan(""), 0, 1, infinity, std::nan("")};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), image.size}});
  ASSERT_EQ(table.intensities.size(), 4U);
  const wide_integer one = {std::uint64_t{1} << 61}, one_squared = {std::uint64_t{1} << 60};
  EXPECT_EQ(table.sum_exponent, 1 - 62);
  EXPECT_EQ(table.intensities[0], (intensity{1, infinity, one, one_squared, intensity_has_plus_infinity}));
  EXPECT_EQ(table.intensities[1], (intensity{-infinity, 1, one, one_squared, intensity_has_minus_infinity}));
  EXPECT_EQ(table.intensities[2], (intensity{infinity, -infinity, {}, {}, intensity_has_nan}));
  EXPECT_EQ(table.intensities[3],
            (intensity{1, infinity, one, one_squared, intensity_has_nan | intensity_has_plus_infinity}));
}

TEST(reference_measure, zeros_and_the_smallest_and_largest_doubles) {
  const mask image = picture("##");
  const auto scale_of = [&](double a, double b) {
    const std::vector<double> values = {a, b};
    return measured(image, 4, {.intensity = {values.data(), image.size}});
  };
  EXPECT_EQ(scale_of(0, -0.0).sum_exponent, 0);
  EXPECT_EQ(scale_of(0, -0.0).square_exponent, 0);
  EXPECT_EQ(scale_of(std::nan(""), std::nan("")).sum_exponent, 0);

  constexpr double tiny = std::numeric_limits<double>::denorm_min();  // 2^-1074
  const feature_table small = scale_of(tiny, 0);
  EXPECT_EQ(small.sum_exponent, -1073 - 62);
  EXPECT_EQ(small.intensities[0].sum, (wide_integer{std::uint64_t{1} << 61}));
  EXPECT_EQ(small.intensities[0].squares, (wide_integer{std::uint64_t{1} << 60}));

  constexpr double huge = std::numeric_limits<double>::max();
  const feature_table large = scale_of(huge, huge);
  EXPECT_EQ(large.sum_exponent, 1024 - 62);
  EXPECT_EQ(large.intensities[0].sum, (wide_integer{(std::uint64_t{1} << 63) - (1U << 10)}));
  EXPECT_EQ(scale_of(huge, tiny).intensities[0].sum, (wide_integer{(std::uint64_t{1} << 62) - (1U << 9)}));
}

TEST(reference_measure, rounding_is_to_the_nearest_even) {
  // With 1 as the largest the unit is 2^-61: 2^-62 is half of it, 3 · 2^-62 one and a half.
  const mask image = picture("#.#.#");
  const std::vector<double> values = {1, 0, 0x1p-62, 0, 3 * 0x1p-62};
  const feature_table table = measured(image, 4, {.intensity = {values.data(), image.size}});
  EXPECT_EQ(table.intensities[1].sum, (wide_integer{0}));
  EXPECT_EQ(table.intensities[2].sum, (wide_integer{2}));
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <vector>

#include "cli/console.hpp"
#include "cli/threshold.hpp"
#include "io/file_error.hpp"

namespace skerry::test {
namespace {

template <class Pixel>
double otsu(const std::vector<Pixel>& pixels) {
  return cli::otsu_threshold(image_view(pixels.data(), extent(1, static_cast<std::int64_t>(pixels.size()))), "pixels");
}

// The definition, for whole numbers: every value that occurs is tried, all pixels are summed for each.
template <class Pixel>
double definition(const std::vector<Pixel>& pixels) {
  double best = -1, threshold = static_cast<double>(pixels.front());
  for (const Pixel candidate : std::set<Pixel>(pixels.begin(), pixels.end())) {
    double below = 0, above = 0, below_sum = 0, above_sum = 0;
    for (const Pixel pixel : pixels) {
      (pixel <= candidate ? below : above) += 1;
      (pixel <= candidate ? below_sum : above_sum) += static_cast<double>(pixel);
    }
    if (above == 0) continue;
    const double distance = below_sum / below - above_sum / above;
    const double variance = below * above * distance * distance;
    if (variance > best * (1 + 1e-12)) {
      best = variance;
      threshold = static_cast<double>(candidate);
    }
  }
  return threshold;
}

template <class Pixel>
void compare_with_definition(int low, int high, unsigned seed) {
  std::mt19937 random(seed);
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<Pixel> pixels(1 + random() % 40);
    for (Pixel& pixel : pixels)
      pixel = static_cast<Pixel>(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
    ASSERT_EQ(otsu(pixels), definition(pixels)) << "repetition " << repetition;
  }
}

TEST(otsu, is_what_its_definition_says) {
  compare_with_definition<std::uint8_t>(0, 255, 1);
  compare_with_definition<std::uint8_t>(100, 103, 2);
  compare_with_definition<std::uint16_t>(0, 65535, 3);
  compare_with_definition<std::int16_t>(-3000, 3000, 4);
  compare_with_definition<std::int32_t>(-20, 40000, 5);
  compare_with_definition<std::uint32_t>(7, 60000, 6);
}

TEST(otsu, one_value_is_the_threshold) {
  EXPECT_EQ(otsu<std::uint8_t>({7, 7, 7}), 7);
  EXPECT_EQ(otsu<float>({-0.25F}), -0.25);
}

TEST(otsu, floats_have_256_bins_and_give_a_centre) {
  // Bins of 1: [0, 1) has the centre 0.5, [255, 256] the last.
  EXPECT_EQ(otsu<float>({0, 0.9F, 255.5F, 256}), 0.5);
  EXPECT_EQ(otsu<double>({0, 10.2, 250, 256}), 10.5);
}

TEST(otsu, whole_numbers_far_apart_have_256_bins_too) {
  EXPECT_EQ(otsu<std::uint32_t>({0, 0, 4294967040U, 4294967040U}), 4294967040.0 / 512);
}

TEST(otsu, what_is_not_finite_does_not_count) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(otsu<float>({nan, 0, 0.9F, -infinity, 255.5F, 256, infinity}), 0.5);
  EXPECT_THROW((void)otsu<float>({nan, infinity}), io::file_error);
}

TEST(otsu, the_widest_range_of_doubles_does_not_overflow) {
  const double most = std::numeric_limits<double>::max();
  const double threshold = otsu<double>({-most, -most, most});
  EXPECT_GE(threshold, -most);
  EXPECT_LT(threshold, most);
}

}  // namespace
}  // namespace skerry::test

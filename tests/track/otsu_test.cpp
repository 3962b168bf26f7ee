// SPDX-License-Identifier: Apache-2.0
// Otsu's threshold by hand, at the edges of its bins and of every pixel type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "skerry/label.hpp"
#include "skerry/threshold.hpp"
#include "support/placed_image.hpp"

namespace skerry::test {
namespace {

// The threshold of an image, which is also found of two blocks: its columns up to one, and the others.
double otsu_both_ways(const image_view& image) {
  const double whole = otsu_threshold(image);
  const std::int64_t cut = image.size.width / 3;
  image_view left = image, right = image;
  left.size.width = cut;
  right.size.width -= cut;
  right.data = static_cast<const std::byte*>(image.data) + cut * image.strides.x;
  const value_range range = join(range_of_values(left), range_of_values(right));
  std::vector<std::uint64_t> counts = count_values(left, range);
  const std::vector<std::uint64_t> more = count_values(right, range);
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += more[k];
  EXPECT_EQ(otsu_threshold(image.type, range, counts), whole);
  return whole;
}

template <class Pixel>
double otsu_of(const std::vector<Pixel>& pixels) {
  return otsu_both_ways(image_view(pixels.data(), extent(1, static_cast<std::int64_t>(pixels.size()))));
}

TEST(otsu, every_byte_of_a_boolean_that_is_not_0_is_1) {
  const std::vector<std::uint8_t> bytes = {0, 0, 1, 1, 200, 201};
  EXPECT_EQ(otsu_both_ways(image_view(bytes.data(), dtype::boolean, extent(1, 6))), 0);
  EXPECT_EQ(otsu_of(bytes), 1);
  for (int other = 2; other < 256; ++other) {  // as a value of its own it would move the threshold to 1
    const auto one = static_cast<std::uint8_t>(other);
    const std::vector<std::uint8_t> pixels = {0, 1, 1, 1, 1, one, one, one, one};
    EXPECT_EQ(otsu_of(pixels), 1) << other;
    EXPECT_EQ(otsu_both_ways(image_view(pixels.data(), dtype::boolean, extent(3, 3))), 0) << other;
  }
}

TEST(otsu, values_have_bins_of_their_own_until_they_span_65536) {
  EXPECT_EQ(otsu_of<std::int32_t>({0, 1, 3, 65535}), 3);
  EXPECT_EQ(otsu_of<std::int32_t>({0, 1, 3, 65536}), 128);  // the centre of the first of 256 bins
  EXPECT_EQ(otsu_of<std::int64_t>({0, 1, 3, 65535}), 3);
  EXPECT_EQ(otsu_of<std::int64_t>({0, 1, 3, 65536}), 128);
  EXPECT_EQ(otsu_of<std::uint64_t>({0, 1, 3, 65535}), 3);
  EXPECT_EQ(otsu_of<std::uint64_t>({0, 1, 3, 65536}), 128);
}

TEST(otsu, bins_of_floats_have_edges_that_are_floats) {
  // 256 bins of 0…last: edge 5 is 41943045 · 2^-31 and becomes 41943044 · 2^-31, edge 6 is 50331654 and becomes 50331656.
  constexpr float last = 1 + 0x1p-23F, edge = 41943044 * 0x1p-31F;
  EXPECT_EQ(otsu_of<float>({0, edge, last}), 46137350 * 0x1p-31);
  EXPECT_EQ(otsu_of<double>({0, edge, last}), (4 * 8388609.0 / 2 + 5 * 8388609.0 / 2) * 0x1p-31);
}

// The threshold of an image of one value leaves no pixel above it, even where no double holds the value.
template <class Pixel>
void expect_nothing_above(Pixel value, double want) {
  const std::vector<Pixel> pixels(6, value);
  EXPECT_EQ(otsu_of(pixels), want);
  engine on = engine::reference();
  const image_view image(pixels.data(), extent(2, 3));
  const label_options how{.connectivity = 4, .foreground = foreground::above(want)};
  EXPECT_EQ(count_components(on, image, how), 0U) << want;
}

TEST(otsu, an_image_of_one_value) {
  expect_nothing_above<std::int8_t>(-128, -128);
  expect_nothing_above<std::int64_t>(std::numeric_limits<std::int64_t>::min(), -0x1p63);
  expect_nothing_above<std::int64_t>(std::numeric_limits<std::int64_t>::max(), 0x1p63);
  expect_nothing_above<std::int64_t>((std::int64_t{1} << 60) + 1, 0x1p60 + 256);
  expect_nothing_above<std::int64_t>(-(std::int64_t{1} << 60) - 1, -0x1p60);
  expect_nothing_above<std::uint64_t>(std::numeric_limits<std::uint64_t>::max(), 0x1p64);
  expect_nothing_above<std::uint64_t>((std::uint64_t{1} << 63) + 1, 0x1p63 + 2048);
  expect_nothing_above<float16_bits>({0x3c00}, 1);
  expect_nothing_above<float16_bits>({0x0001}, 0x1p-24);
}

TEST(otsu, integers_of_64_bits_beyond_doubles) {
  constexpr std::int64_t e53 = std::int64_t{1} << 53;
  EXPECT_EQ(otsu_of<std::int64_t>({e53 - 9, e53 - 9, e53 - 2, e53 - 1}), 0x1p53 - 9);
  EXPECT_EQ(otsu_of<std::int64_t>({1 - e53, 1 - e53, 7 - e53, 8 - e53}), 1 - 0x1p53);
  // 256 bins of 2^53 - 256…2^53: the first and its next edge are 2^53 - 256 and 2^53 - 255, their centre rounds to even.
  EXPECT_EQ(otsu_of<std::int64_t>({e53 - 256, e53 - 256, e53 - 2, e53}), 0x1p53 - 256);
  // 256 bins of 2^56.
  EXPECT_EQ(otsu_of<std::uint64_t>({0, 10, std::uint64_t{1} << 63, ~std::uint64_t{0}}), 0x1p55);
  EXPECT_EQ(
      otsu_of<std::int64_t>({std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min() + 10, 0,
                             std::numeric_limits<std::int64_t>::max()}),
      -0x1p63 + 0x1p55);
}

// Two heaps of whole values.
std::vector<double> heaps(double low, double high, std::mt19937& draw) {
  std::vector<double> values;
  for (int i = 0; i < 600; ++i) {
    const double share = static_cast<double>(draw() % 1000) / 1000;
    values.push_back(std::floor(low + (high - low) * (draw() % 3 == 0 ? 0.7 + 0.3 * share : 0.4 * share * share)));
  }
  return values;
}

TEST(otsu, does_not_depend_on_how_wide_the_type_is) {
  std::mt19937 draw(5);
  const auto otsu_as = [](dtype type, const std::vector<double>& values) {
    return otsu_both_ways(placed_image(type, extent(20, 30), layout::padded_rows, values).view());
  };
  for (int i = 0; i < 20; ++i) {
    const auto bytes = heaps(-128, 127, draw), whole = heaps(0, i % 2 == 0 ? 60000 : 4e9, draw);
    EXPECT_EQ(otsu_as(dtype::i8, bytes), otsu_as(dtype::i16, bytes));
    EXPECT_EQ(otsu_as(dtype::i64, bytes), otsu_as(dtype::i16, bytes));
    EXPECT_EQ(otsu_as(dtype::u64, whole), otsu_as(dtype::u32, whole));
    EXPECT_EQ(otsu_as(dtype::i64, whole), otsu_as(dtype::u32, whole));
    EXPECT_EQ(otsu_as(dtype::f16, bytes), otsu_as(dtype::f32, bytes));
  }
}

template <class Work>
void expect_no_threshold(Work work, const std::string& text) {
  try {
    work();
    ADD_FAILURE() << text;
  } catch (const invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, text.size()), text);
  }
}

TEST(otsu, blocks_have_one_range_and_one_type) {
  const std::vector<std::uint8_t> bytes = {3, 9, 9, 4};
  const image_view image(bytes.data(), extent(1, 4));
  const value_range range = range_of_values(image);
  EXPECT_EQ(range.least, 3);
  EXPECT_EQ(range.most, 9);
  EXPECT_EQ(count_values(image, range), (std::vector<std::uint64_t>{1, 1, 0, 0, 0, 0, 2}));
  EXPECT_EQ(count_values(image_view(bytes.data(), extent(0, 4)), range), std::vector<std::uint64_t>(7, 0));
  expect_no_threshold([&] { static_cast<void>(count_values(image, {4, 9})); }, "range: ");
  expect_no_threshold([&] { static_cast<void>(otsu_threshold(dtype::u8, range, {1, 2})); }, "counts: 2 bins");
  expect_no_threshold([&] { static_cast<void>(otsu_threshold(dtype::u8, {}, {})); }, "image: no pixel is finite");
  expect_no_threshold(
      [&] {
        static_cast<void>(range_of_values({bytes.data(), dtype::bit, extent(1, 4)}));
      },
      "image: dtype bit");
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "reference/reference.hpp"
#include "support/compare.hpp"
#include "support/placed_image.hpp"

namespace skerry::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// '#' for each pixel of a row that a rule takes. Foreground pixels are found by their label.
std::string taken(const image_view& row, const foreground& rule) {
  std::string text;
  for (const std::uint64_t label : reference::analyse(row, with_connectivity(4, rule), {}).labels)
    text += label != 0 ? '#' : '.';
  return text;
}

template <class Pixel>
std::string taken(const std::vector<Pixel>& row, const foreground& rule) {
  return taken(image_view(row.data(), extent(1, static_cast<std::int64_t>(row.size()))), rule);
}

TEST(reference_foreground, integers) {
  const std::vector<std::uint8_t> row = {0, 1, 127, 128, 255};
  EXPECT_EQ(taken(row, foreground::nonzero()), ".####");
  EXPECT_EQ(taken(row, foreground::above(127)), "...##");
  EXPECT_EQ(taken(row, foreground::at_least(127)), "..###");
  EXPECT_EQ(taken(row, foreground::above(126.5)), "..###");
  EXPECT_EQ(taken(row, foreground::at_least(127.5)), "...##");
  EXPECT_EQ(taken(row, foreground::above(-1)), "#####");
  EXPECT_EQ(taken(row, foreground::above(255)), ".....");
  EXPECT_EQ(taken(row, foreground::within(1, 128)), ".###.");
  EXPECT_EQ(taken(row, foreground::within(0.5, 0.9)), ".....");
  EXPECT_EQ(taken(row, foreground::within(-infinity, infinity)), "#####");
}

TEST(reference_foreground, signed_integers) {
  const std::vector<std::int16_t> row = {-32768, -1, 0, 1, 32767};
  EXPECT_EQ(taken(row, foreground::nonzero()), "##.##");
  EXPECT_EQ(taken(row, foreground::above(-1)), "..###");
  EXPECT_EQ(taken(row, foreground::at_least(-0.5)), "..###");
  EXPECT_EQ(taken(row, foreground::within(-40000, -1)), "##...");
  const std::vector<std::int32_t> wide = {std::numeric_limits<std::int32_t>::min(), 16777216, 16777217, 2147483647};
  EXPECT_EQ(taken(wide, foreground::above(16777216)), "..##");
  EXPECT_EQ(taken(wide, foreground::above(2147483646.5)), "...#");
}

TEST(reference_foreground, unsigned_integers_are_not_signed) {
  const std::vector<std::uint32_t> row = {0, 2147483647, 2147483648U, 4294967295U};
  EXPECT_EQ(taken(row, foreground::above(2147483647)), "..##");
  EXPECT_EQ(taken(row, foreground::at_least(4294967295.0)), "...#");
  EXPECT_EQ(taken(row, foreground::nonzero()), ".###");
  const std::vector<std::uint16_t> narrow = {0, 32767, 32768, 65535};
  EXPECT_EQ(taken(narrow, foreground::above(32767)), "..##");
}

TEST(reference_foreground, floats) {
  const std::vector<float> row = {0.0F,
                                  -0.0F,
                                  1e-45F,
                                  -1.0F,
                                  std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(taken(row, foreground::nonzero()), "..####.");
  EXPECT_EQ(taken(row, foreground::above(0)), "..#.#..");
  EXPECT_EQ(taken(row, foreground::at_least(0)), "###.#..");
  EXPECT_EQ(taken(row, foreground::at_least(-infinity)), "######.");
  EXPECT_EQ(taken(row, foreground::above(infinity)), ".......");
  EXPECT_EQ(taken(row, foreground::within(-infinity, infinity)), "######.");
}

TEST(reference_foreground, a_float_is_compared_as_the_number_it_is) {
  // 0.1F is 0.100000001490116…, above the double 0.1.
  EXPECT_EQ(taken(std::vector<float>{0.1F}, foreground::above(0.1)), "#");
  EXPECT_EQ(taken(std::vector<float>{0.1F}, foreground::within(0.1, 0.1)), ".");
  EXPECT_EQ(taken(std::vector<double>{0.1}, foreground::above(0.1)), ".");
  EXPECT_EQ(taken(std::vector<double>{0.1, not_a_number}, foreground::at_least(0.1)), "#.");
}

TEST(reference_foreground, booleans_are_0_or_1) {
  const std::vector<std::uint8_t> bytes = {0, 1, 2, 255};
  const image_view row(bytes.data(), dtype::boolean, extent(1, 4));
  EXPECT_EQ(taken(row, foreground::nonzero()), ".###");
  EXPECT_EQ(taken(row, foreground::above(0.5)), ".###");
  EXPECT_EQ(taken(row, foreground::above(1)), "....");
  EXPECT_EQ(taken(row, foreground::within(0, 0)), "#...");
  EXPECT_EQ(taken(row, foreground::within(1, 1)), ".###");
}

TEST(reference_foreground, packed_bits_begin_with_the_lowest) {
  const std::vector<std::uint8_t> bytes = {0b0000'0101, 0b1111'1110, 0b1000'0000, 0b1111'1111};
  EXPECT_EQ(taken(image_view(bytes.data(), dtype::bit, extent(1, 16)), foreground::nonzero()), "#.#......#######");
  EXPECT_EQ(taken(image_view(bytes.data(), dtype::bit, extent(1, 9)), foreground::nonzero()), "#.#......");
  EXPECT_EQ(taken(image_view(bytes.data(), dtype::bit, extent(1, 3)), foreground::within(0, 0)), ".#.");
  // The second row starts at the next whole byte.
  const reference::answer two =
      reference::analyse(image_view(bytes.data(), dtype::bit, extent(2, 12)), with_connectivity(4), {});
  EXPECT_EQ(two.labels, (std::vector<std::uint64_t>{1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 3, 3,  //
                                                    0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3}));
}

TEST(reference_foreground, strides) {
  //                                         a  b  c  d  e  f
  const std::vector<std::uint8_t> six = {1, 0, 1, 1, 0, 0};
  const auto labels = [&](const void* data, extent size, byte_strides strides) {
    return reference::analyse(image_view(data, dtype::u8, size, strides), with_connectivity(4), {}).labels;
  };
  using wanted = std::vector<std::uint64_t>;
  EXPECT_EQ(labels(six.data(), {2, 3}, {0, 3, 1}), (wanted{1, 0, 2, 1, 0, 0})) << "abc/def";
  EXPECT_EQ(labels(six.data(), {3, 2}, {0, 1, 3}), (wanted{1, 1, 0, 0, 2, 0})) << "ad/be/cf";
  EXPECT_EQ(labels(six.data() + 5, {2, 3}, {0, -3, -1}), (wanted{0, 0, 1, 2, 0, 1})) << "fed/cba";
  EXPECT_EQ(labels(six.data(), {2, 2}, {0, 0, 2}), (wanted{1, 1, 1, 1})) << "ac/ac";
}

}  // namespace
}  // namespace skerry::test

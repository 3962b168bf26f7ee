// SPDX-License-Identifier: Apache-2.0
// Every column on every engine against the reference's definitions, and some by hand.
#include <gtest/gtest.h>

#include <random>

#include "features/columns.hpp"
#include "skerry/error.hpp"
#include "support/mask.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

// How far a column may be from its definition: parts of 2^53 of its value or of a scale. Central moments, and what follows from
// them, are exact here and rounded by the reference.
struct column_bound {
  double parts = 8, scale = 0;
};

column_bound bound_of(const std::string& name) {
  const auto begins = [&](const char* text) { return name.compare(0, std::string(text).size(), text) == 0; };
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

void expect_same(const column_table& got, const column_table& want) {
  ASSERT_EQ(got.columns.size(), want.columns.size());
  for (std::size_t c = 0; c < got.columns.size(); ++c) {
    const table_column &a = got.columns[c], &b = want.columns[c];
    EXPECT_EQ(a.integers, b.integers) << a.name;
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    for (std::size_t row = 0; row < a.numbers.size(); ++row)
      EXPECT_TRUE(are_close(a.numbers[row], b.numbers[row], 0)) << a.name << " of row " << row;
  }
}

// The definitions, and the same bits for every number of threads.
column_table expect_everywhere(const image_view& labels, const column_request& asked) {
  const column_table want = columns_of(each_engine().front().on, labels, asked);
  column_table first;
  ask_each_engine([&](engine& on) {
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
        ++seed;
        SCOPED_TRACE(seed);
        const placed_image image(dtype::u16, size, layout::dense, blocks(size, granularity, labels, seed));
        const placed_image grey(dtype::u8, size, layout::dense, random_values({0, 1, 7, 200, 255}, size, 1, seed));
        column_request asked;
        asked.intensity = grey.view();
        expect_everywhere(image.view(), asked);
        ASSERT_FALSE(HasFailure());
      }
}

TEST(columns, of_random_volumes) {
  std::uint32_t seed = 100;
  for (const extent& size : {extent(4, 5, 6), extent(1, 4, 9), extent(7, 1, 3), extent(3, 8, 1), extent(6, 6, 6)})
    for (const int granularity : {1, 2, 3})
      for (const int labels : {1, 3}) {
        ++seed;
        SCOPED_TRACE(seed);
        const placed_image image(dtype::i32, size, layout::dense, blocks(size, granularity, labels, seed));
        const placed_image grey(dtype::i16, size, layout::dense, random_values({1, 5, 30000}, size, 1, seed));
        column_request asked;
        asked.intensity = grey.view();
        expect_everywhere(image.view(), asked);
        ASSERT_FALSE(HasFailure());
      }
}

}  // namespace
}  // namespace skerry::test

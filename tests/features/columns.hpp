// SPDX-License-Identifier: Apache-2.0
// What tests of columns share.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "regions/given.hpp"
#include "skerry/columns.hpp"

namespace skerry::test {

/// Whether two numbers are equal to so many parts in 2^53 of the larger, or of `scale` where that is larger still.
inline bool are_close(double a, double b, double parts, double scale = 0) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::abs(a - b) <= std::ldexp(parts * std::max({std::abs(a), std::abs(b), scale}), -53);
}

inline column_table columns_of(engine& on, const image_view& labels, const column_request& asked) {
  column_table table;
  const std::uint64_t rows = measure_columns(on, labels, asked, table);
  EXPECT_EQ(rows, table.size());
  return table;
}

/// Whether two numbers are the same bits, so that 0 is not -0; or both NaN.
inline bool have_same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

inline bool are_equal(double a, double b) { return are_close(a, b, 0); }

/// The same columns, with the same integers, and numbers of which each two are the same.
inline void expect_same(const column_table& got, const column_table& want,
                        bool (*are_same)(double, double) = are_equal) {
  ASSERT_EQ(got.columns.size(), want.columns.size());
  EXPECT_EQ(got.rank, want.rank);
  for (std::size_t c = 0; c < got.columns.size(); ++c) {
    const table_column &a = got.columns[c], &b = want.columns[c];
    ASSERT_EQ(a.name, b.name);
    EXPECT_EQ(a.integers, b.integers) << a.name;
    ASSERT_EQ(a.numbers.size(), b.numbers.size()) << a.name;
    for (std::size_t row = 0; row < a.numbers.size(); ++row)
      EXPECT_TRUE(are_same(a.numbers[row], b.numbers[row]))
          << a.name << " of row " << row << ": " << a.numbers[row] << ", not " << b.numbers[row];
  }
}

}  // namespace skerry::test

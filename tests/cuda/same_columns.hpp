// SPDX-License-Identifier: Apache-2.0
// What tests of columns on the CUDA engine share.
#pragma once
#include <gtest/gtest.h>

#include "skerry/columns.hpp"

namespace skerry::test {

inline column_table columns_on(engine& on, const image_view& labels, const column_request& asked) {
  column_table table;
  measure_columns(on, labels, asked, table);
  return table;
}

/// The same columns with the same bits; NaN is NaN.
inline void expect_same(const column_table& got, const column_table& want) {
  ASSERT_EQ(got.columns.size(), want.columns.size());
  EXPECT_EQ(got.rank, want.rank);
  for (std::size_t c = 0; c < got.columns.size(); ++c) {
    const table_column &a = got.columns[c], &b = want.columns[c];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.integers, b.integers) << a.name;
    ASSERT_EQ(a.numbers.size(), b.numbers.size()) << a.name;
    for (std::size_t row = 0; row < a.numbers.size(); ++row)
      ASSERT_TRUE(a.numbers[row] == b.numbers[row] ||
                  (a.numbers[row] != a.numbers[row] && b.numbers[row] != b.numbers[row]))
          << a.name << " of row " << row << ": " << a.numbers[row] << ", not " << b.numbers[row];
  }
}

}  // namespace skerry::test

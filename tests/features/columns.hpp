// SPDX-License-Identifier: Apache-2.0
// What tests of columns share.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
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

}  // namespace skerry::test

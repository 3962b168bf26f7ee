// SPDX-License-Identifier: Apache-2.0
#include "core/pixel_range.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace skerry::test {
namespace {

// Bytes without sign give the same answers, for every range that a rule can make of i8.
TEST(pixel_range, signed_bytes_are_ranges_of_bytes) {
  const auto expect_same = [](const foreground& rule) {
    const pixel_range<std::int8_t> wanted = range_of<std::int8_t>(rule);
    const pixel_range<std::uint8_t> got = range_of_signed_bytes(rule);
    for (int value = -128; value < 128; ++value)
      EXPECT_EQ(got.holds(static_cast<std::uint8_t>(value)), wanted.holds(static_cast<std::int8_t>(value)))
          << value << " in " << rule.low << "…" << rule.high;
  };
  expect_same(foreground::nonzero());
  for (int low = -130; low <= 130; ++low) {
    expect_same(foreground::above(low));
    expect_same(foreground::at_least(low));
    for (int high = low; high <= 130; ++high) expect_same(foreground::within(low, high));
  }
}

template <class Pixel>
void expect_all_and_nothing() {
  using limits = std::numeric_limits<Pixel>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const pixel_range<Pixel> all = range_of<Pixel>(foreground::at_least(-infinity));
  EXPECT_EQ(all.low, limits::lowest());
  EXPECT_EQ(all.high, limits::max());
  for (const foreground& nothing :
       {foreground::above(static_cast<double>(limits::max())), foreground::at_least(infinity),
        foreground::within(-infinity, static_cast<double>(limits::lowest()) * 2 - 1), foreground::within(0.25, 0.75)}) {
    const pixel_range<Pixel> range = range_of<Pixel>(nothing);
    EXPECT_GT(range.low, range.high);
  }
}

TEST(pixel_range, ends_of_every_integer) {
  expect_all_and_nothing<std::int8_t>();
  expect_all_and_nothing<std::uint8_t>();
  expect_all_and_nothing<std::int16_t>();
  expect_all_and_nothing<std::uint16_t>();
  expect_all_and_nothing<std::int32_t>();
  expect_all_and_nothing<std::uint32_t>();
  expect_all_and_nothing<std::int64_t>();
  expect_all_and_nothing<std::uint64_t>();
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include "core/float16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace skerry::test {
namespace {

// The number that IEEE 754 defines: a sign, 5 bits of exponent, 10 of fraction.
double defined(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

TEST(float16, each_is_a_float) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const f16 half{static_cast<std::uint16_t>(bits)};
    const double got = static_cast<double>(number_of(half)), want = defined(bits);
    if (std::isnan(want)) EXPECT_TRUE(std::isnan(got)) << bits;
    else EXPECT_EQ(got, want) << bits;
    EXPECT_EQ(std::signbit(got), bits >> 15 != 0) << bits;
  }
}

TEST(float16, keys_are_in_the_order_of_numbers) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const f16 half{static_cast<std::uint16_t>(bits)};
    const std::int32_t key = f16_key(half);
    EXPECT_EQ(f16_of_key(key), half);
    const bool is_number = f16_key_of_minus_infinity <= key && key <= f16_key_of_infinity;
    EXPECT_EQ(is_number, !std::isnan(defined(bits))) << bits;
  }
  for (std::int32_t key = f16_key_of_minus_infinity; key < f16_key_of_infinity; ++key) {
    const double here = static_cast<double>(number_of(f16_of_key(key)));
    const double next = static_cast<double>(number_of(f16_of_key(key + 1)));
    EXPECT_TRUE(here < next || (here == 0 && next == 0 && std::signbit(here) && !std::signbit(next))) << key;
  }
}

}  // namespace
}  // namespace skerry::test

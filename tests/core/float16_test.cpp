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

// Every number is its own nearest; half way between two the even one is, and beside the middle the nearer.
TEST(float16, the_nearest_number) {
  for (u32 bits = 0; bits < 0x7c00; ++bits) {
    const f16 low{static_cast<u16>(bits)}, high{static_cast<u16>(bits + 1)};
    const double below = number_of(low), above = bits == 0x7bff ? 65536 : number_of(high), middle = (below + above) / 2;
    ASSERT_EQ(f16_of(below), low);
    ASSERT_EQ(f16_of(std::nextafter(middle, 0)), low) << bits;
    ASSERT_EQ(f16_of(middle), bits % 2 == 0 ? low : high) << bits;
    ASSERT_EQ(f16_of(std::nextafter(middle, 1e9)), high) << bits;
    ASSERT_EQ(f16_of(-below).bits, bits | 0x8000U);
  }
  EXPECT_EQ(f16_of(1e300).bits, 0x7c00);
  EXPECT_EQ(f16_of(-std::numeric_limits<double>::infinity()).bits, 0xfc00);
}

}  // namespace
}  // namespace skerry::test

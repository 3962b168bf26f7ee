// SPDX-License-Identifier: Apache-2.0
// What a device adds up of weights and powers, next to sums of long integers.
#include "regions/power_parts.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

namespace skerry::regions {
namespace {

using boost::multiprecision::cpp_int;

cpp_int exact(const long_sum& sum) {
  cpp_int value = 0;
  for (int k = 2; k >= 0; --k) value = (value << 64) + sum.words[k];
  if (sum.is_negative()) value -= cpp_int(1) << 192;
  return value;
}

TEST(power_parts, digits_hold_all_bits_of_weights) {
  std::mt19937_64 draw(1);
  for (const int bits : {1, 8, 16, 32, 62})
    for (int round = 0; round < 200; ++round) {
      const u64 weight = round == 0 ? (u64{1} << bits) - 1 : draw() >> (64 - bits);
      const bool has_halves = bits > 32;
      u64 halves[2] = {0, 0};
      for (u32 k = 0; k < digits_of_weight(bits); ++k) {
        const weight_digit digit = weight_digit::of(k, has_halves);
        halves[digit.half] += static_cast<u64>(digit.in(weight)) << digit.shift_in_half;
      }
      ASSERT_EQ(halves[0], has_halves ? weight & ((u64{1} << bits_of_half) - 1) : weight);
      ASSERT_EQ(halves[1], has_halves ? weight >> bits_of_half : 0);
    }
}

// A strip full of the largest digits, or of random ones, which begins before the place that it is moved to, at it or far behind.
TEST(power_parts, sums_of_strips_are_moved_exactly) {
  std::mt19937_64 draw(2);
  constexpr i64 far = (i64{1} << 31) - 200;
  for (const i64 sign : {1, -1})
    for (const i64 begin_y : {i64{-7}, i64{0}, far})
      for (const i64 begin_x : {i64{-127}, i64{-1}, i64{0}, i64{5000}, far}) {
        strip_powers strip;
        cpp_int want[powers * powers];
        const bool is_full = begin_y == far;
        for (i64 y = 0; y < 8; ++y)
          for (i64 x = 0; x < 128; ++x) {
            const i64 digit = sign * static_cast<i64>(is_full ? 0xffff : draw() % 3 == 0 ? draw() % 0x10000 : 0);
            strip.add(digit, y, x);
            cpp_int of_y = digit;
            for (int j = 0; j < powers; ++j, of_y *= begin_y + y) {
              cpp_int term = of_y;
              for (int i = 0; i < powers; ++i, term *= begin_x + x) want[powers * j + i] += term;
            }
          }
        for (int j = 0; j < powers; ++j)
          for (int i = 0; i < powers && j + i <= 5; ++i)  // more would not fit 192 bits so far away
            ASSERT_TRUE(exact(strip.moved(j, i, begin_y, begin_x)) == want[powers * j + i])
                << j << " " << i << " at " << begin_y << " " << begin_x;
      }
}

}  // namespace
}  // namespace skerry::regions

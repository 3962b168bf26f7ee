// SPDX-License-Identifier: Apache-2.0
// Arithmetic that host and device share, next to that of the compiler and the library of the host.
#include "core/exact_number.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <random>

#include "max_tree/attribute.hpp"

namespace skerry::test {
namespace {

unsigned_wide with_bits(std::mt19937_64& draw, int bits) {
  const unsigned_wide all = static_cast<unsigned_wide>(draw()) << 64 | draw();
  return bits == 0 ? 0 : all >> (128 - bits) | static_cast<unsigned_wide>(1) << (bits - 1);
}

TEST(exact_number, wide_integers_are_rounded_once) {
  std::mt19937_64 draw(5);
  const auto check = [](unsigned_wide value) {
    ASSERT_EQ(rounded(value), static_cast<double>(value));
    ASSERT_EQ(rounded(static_cast<wide>(value)), static_cast<double>(static_cast<wide>(value)));
    ASSERT_EQ(rounded(-static_cast<wide>(value >> 1)), static_cast<double>(-static_cast<wide>(value >> 1)));
  };
  for (int bits = 0; bits <= 128; ++bits)
    for (int round = 0; round < 200; ++round) {
      check(with_bits(draw, bits));
      if (bits < 55) continue;
      // Halfway between two doubles, and next to it.
      const unsigned_wide half = static_cast<unsigned_wide>(1) << (bits - 54);
      const unsigned_wide tie = (with_bits(draw, bits) & ~(2 * half - 1)) | half;
      for (const unsigned_wide value : {tie - 1, tie, tie + 1}) check(value);
      ASSERT_FALSE(HasFailure()) << bits << " bits";
    }
  check(~static_cast<unsigned_wide>(0));
}

TEST(exact_number, differences_of_products) {
  std::mt19937_64 draw(6);
  for (int round = 0; round < 1000; ++round) {
    const unsigned_wide a = with_bits(draw, 63), b = with_bits(draw, 64), c = with_bits(draw, 60),
                        d = with_bits(draw, 62);
    const natural<4> larger = product(natural_of(a), natural_of(b)), smaller = product(natural_of(c), natural_of(d));
    EXPECT_EQ(rounded(positive_difference(larger, smaller)), static_cast<double>(a * b - c * d));
    EXPECT_EQ(rounded(positive_difference(smaller, larger)), 0);
    for (const int up : {60, 64, 100, 129})  // past 128 bits
      EXPECT_EQ(rounded(shifted_up<4>(natural_of(a * b), up)), std::ldexp(static_cast<double>(a * b), up));
  }
}

TEST(exact_number, quotients_are_rounded_once) {
  using boost::multiprecision::cpp_int;
  std::mt19937_64 draw(7);
  for (int round = 0; round < 20000; ++round) {
    const unsigned_wide value = with_bits(draw, 1 + static_cast<int>(draw() % 127));
    const auto divisor = static_cast<u64>(with_bits(draw, 1 + static_cast<int>(draw() % 61)));
    const double quotient = rounded_quotient(natural_of(value), divisor, 0);
    // No double is nearer.
    const auto error = [&](double candidate) {
      int exponent = 0;
      const auto mantissa = static_cast<u64>(std::ldexp(std::frexp(candidate, &exponent), 53));
      const cpp_int scaled = cpp_int(value) << 200;
      return cpp_int(abs(scaled - cpp_int(mantissa) * divisor * (cpp_int(1) << (exponent - 53 + 200))));
    };
    ASSERT_LE(error(quotient), error(std::nextafter(quotient, 0))) << "round " << round;
    ASSERT_LE(error(quotient), error(std::nextafter(quotient, HUGE_VAL))) << "round " << round;
  }
}

TEST(exact_number, cube_roots) {
  const auto check = [](double of) {
    const long double right = std::cbrt(static_cast<long double>(of));
    EXPECT_NEAR(static_cast<double>((cube_root(of) - right) / right), 0, 0x1p-52) << of;
  };
  for (int pixels = 1; pixels < 5000; ++pixels) check(3.0 * pixels / 4 / std::numbers::pi);
  for (double of = 0.125; of < 1e10; of *= 1.0001) check(of);
}

}  // namespace
}  // namespace skerry::test

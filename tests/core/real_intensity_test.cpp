// SPDX-License-Identifier: Apache-2.0
// Sums of real intensities next to exact integers, and however pixels are ordered and cut into parts.
#include "core/real_intensity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/derived.hpp"
#include "core/real_pixels.hpp"
#include "reference/steps.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

using boost::multiprecision::cpp_int;

// ---- rows -----------------------------------------------------------------------------------------------------------

template <class Pixel>
real_intensity row_of(const Pixel* pixels, std::size_t count) {
  real_range<Pixel> range;
  for (std::size_t i = 0; i < count; ++i) range.add(pixels[i]);
  real_intensity row;
  widen(row, range.min(), range.max());
  row.non_finite = range.non_finite();
  const digit_adder<Pixel> digits(row);
  if (digits.none()) return row;
  for (std::size_t i = 0; i < count; ++i) digits.add(row, pixels[i]);
  return row;
}

// Parts of random lengths, joined two at a time in random order.
template <class Pixel>
real_intensity row_of_parts(const std::vector<Pixel>& pixels, std::mt19937_64& draw) {
  std::vector<real_intensity> parts;
  for (std::size_t begin = 0; begin < pixels.size();) {
    const std::size_t count = std::min<std::size_t>(pixels.size() - begin, draw() % 4);
    parts.push_back(row_of(pixels.data() + begin, count));
    begin += count;
  }
  while (parts.size() > 1) {
    std::swap(parts[draw() % parts.size()], parts.back());
    const real_intensity part = parts.back();
    parts.pop_back();
    join(parts[draw() % parts.size()], part, join_alone());
  }
  return parts.empty() ? real_intensity() : parts[0];
}

real_intensity row_by_definition(const std::vector<double>& values) {
  real_intensity row;
  for (const double value : values) reference::add_range(row, value);
  for (const double value : values) reference::add_digits(row, value);
  return row;
}

// Zeros can differ.
bool same_row(const real_intensity& a, const real_intensity& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// ---- exact numbers --------------------------------------------------------------------------------------------------

constexpr int least_exponent = -1074;

// In units of 2^(least_exponent - more).
cpp_int exact(double value, int more = 0) {
  int exponent = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int up = exponent - 53 - least_exponent + more;
  return up >= 0 ? cpp_int(mantissa) << up : cpp_int(mantissa) / (cpp_int(1) << -up);
}

double unit_in_the_last_place(double value) {
  const double magnitude = std::fabs(value);
  return std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude;
}

struct exact_sums {
  cpp_int sum, squares;
  double largest = 0;

  explicit exact_sums(const std::vector<double>& values) {
    for (const double value : values) {
      sum += exact(value);
      squares += exact(value) * exact(value);
      largest = std::max(largest, std::fabs(value));
    }
  }
};

// Bounds are stated for sums that are doubles.
void expect_within_bounds(const std::vector<double>& values, const real_intensity& row) {
  const exact_sums sums(values);
  const auto n = static_cast<std::int64_t>(values.size());
  constexpr int more = 60;
  const cpp_int most_of_mean = exact(sums.largest);  // times 2^-60, in finer units
  const double mean = mean_of(row, values.size()), sum = sum_of(row), deviation = deviation_of(row, values.size());
  const cpp_int mean_error = abs(exact(mean, more) * n - (sums.sum << more));
  EXPECT_LE(mean_error, exact(unit_in_the_last_place(mean), more) * n + most_of_mean * n);
  if (std::isfinite(sum)) {
    const cpp_int sum_error = abs(exact(sum, more) - (sums.sum << more));
    EXPECT_LE(sum_error, exact(unit_in_the_last_place(sum), more) + most_of_mean * n);
  }
  const cpp_int spread = (n * sums.squares - sums.sum * sums.sum) << (2 * more);  // of the deviation times n, squared
  const cpp_int allowed = 2 * exact(unit_in_the_last_place(deviation), more) + (exact(sums.largest) << (more - 48)) + 1;
  const cpp_int low = (exact(deviation, more) - allowed) * n, high = (exact(deviation, more) + allowed) * n;
  EXPECT_GE(high * high, spread);
  EXPECT_TRUE(low <= 0 || low * low <= spread);
}

// No double is nearer to a whole number.
void expect_nearest(double value, const cpp_int& number) {
  const auto error = [&](double candidate) { return cpp_int(abs(exact(candidate) - (number << -least_exponent))); };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_LE(error(value), error(std::nextafter(value, infinity)));
  EXPECT_LE(error(value), error(std::nextafter(value, -infinity)));
}

// ---- values ---------------------------------------------------------------------------------------------------------

double with_exponents(std::mt19937_64& draw, int least, int most) {
  const double mantissa = std::uniform_real_distribution<double>(-1, 1)(draw);
  return std::ldexp(mantissa, std::uniform_int_distribution<int>(least, most)(draw));
}

std::vector<double> random_values(std::mt19937_64& draw) {
  std::vector<double> values(1 + draw() % 40);
  const int kind = static_cast<int>(draw() % 8);
  const double near = with_exponents(draw, -1000, 900);
  const int most = std::uniform_int_distribution<int>(-1074, 1000)(draw), least = std::max(-1080, most - 130);
  for (double& value : values) {
    if (kind == 0) value = with_exponents(draw, -1080, 1000);       // anything, subnormals too
    else if (kind == 1) value = with_exponents(draw, least, most);  // next to what is cut off
    else if (kind == 2) value = near;
    else if (kind == 3) value = near * (1 + with_exponents(draw, -53, -40));  // a deviation far below the mean
    else if (kind == 4) value = with_exponents(draw, -1080, -1020);
    else if (kind == 5) value = static_cast<double>(draw() % 2 == 0 ? 1 : -1) * near;
    else if (kind == 6) value = std::ldexp(1.0, std::uniform_int_distribution<int>(least, most)(draw));
    else value = static_cast<double>(draw() % 1000) / 8;
  }
  return values;
}

TEST(real_intensity, sums_are_within_their_bounds) {
  std::mt19937_64 draw(1);
  for (int round = 0; round < scaled(20000); ++round) {
    const std::vector<double> values = random_values(draw);
    const real_intensity row = row_of(values.data(), values.size());
    expect_within_bounds(values, row);
    ASSERT_TRUE(same_row(row, row_by_definition(values)));
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST(real_intensity, order_and_parts_do_not_matter) {
  std::mt19937_64 draw(2);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (int round = 0; round < scaled(20000); ++round) {
    std::vector<double> values = random_values(draw);
    if (round % 8 == 0)
      for (double& value : values)
        if (draw() % 8 == 0) value = std::vector<double>{0.0, -0.0, infinity, -infinity, std::nan("")}[draw() % 5];
    const real_intensity row = row_by_definition(values);
    std::shuffle(values.begin(), values.end(), draw);
    ASSERT_TRUE(same_row(row_of(values.data(), values.size()), row)) << "round " << round;
    ASSERT_TRUE(same_row(row_of_parts(values, draw), row)) << "round " << round;
  }
}

TEST(real_intensity, floats) {
  std::mt19937_64 draw(3);
  for (int round = 0; round < scaled(20000); ++round) {
    std::vector<float> values(1 + draw() % 30);
    const int most = std::uniform_int_distribution<int>(-149, 127)(draw), range = round % 2 == 0 ? 280 : 20;
    for (float& value : values) value = static_cast<float>(with_exponents(draw, std::max(-152, most - range), most));
    if (round % 16 == 0) values[0] = std::numeric_limits<float>::infinity();
    if (round % 16 == 1) values[0] = std::numeric_limits<float>::quiet_NaN();
    if (round % 16 == 2) values[0] = -0.0F;
    const std::vector<double> doubles(values.begin(), values.end());
    const real_intensity row = row_by_definition(doubles);
    ASSERT_TRUE(same_row(row_of(values.data(), values.size()), row)) << "round " << round;
    ASSERT_TRUE(same_row(row_of_parts(values, draw), row)) << "round " << round;
    if (row.non_finite == 0) expect_within_bounds(doubles, row);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

// No sum is cut off: sums of integers are those of Python.
template <class Integer>
void expect_exact_integers(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  using limits = std::numeric_limits<Integer>;
  for (int round = 0; round < 5000; ++round) {
    std::vector<Integer> values(1 + draw() % 30);
    const int bits = static_cast<int>(draw() % 64);
    for (Integer& value : values) value = static_cast<Integer>(draw()) >> bits;
    if (round % 8 == 0) values[0] = limits::max();
    if (round % 8 == 1) values[0] = limits::lowest();
    const real_intensity row = row_of(values.data(), values.size());
    ASSERT_TRUE(same_row(row_of_parts(values, draw), row)) << "round " << round;
    cpp_int sum = 0, squares = 0;
    for (const Integer value : values) {
      sum += value;
      squares += cpp_int(value) * value;
    }
    const auto n = static_cast<double>(values.size());
    expect_nearest(sum_of(row), sum);
    EXPECT_EQ(row.min, static_cast<double>(*std::min_element(values.begin(), values.end())));
    EXPECT_EQ(row.max, static_cast<double>(*std::max_element(values.begin(), values.end())));
    const auto spread = static_cast<double>(cpp_int(values.size()) * squares - sum * sum);
    EXPECT_DOUBLE_EQ(deviation_of(row, values.size()), std::sqrt(spread) / n);
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
  }
}
TEST(real_intensity, integers_of_64_bits) {
  expect_exact_integers<std::int64_t>(4);
  expect_exact_integers<std::uint64_t>(5);
}

// Where the smallest and the largest are one double. Squares of what rounds below 2^62 are exact.
TEST(real_intensity, integers_that_round_to_one_double) {
  std::vector<std::int64_t> values;
  for (std::int64_t k = 0; k < 45; ++k) values.push_back((std::int64_t{1} << 60) + k % 9);
  const real_intensity row = row_of(values.data(), values.size());
  ASSERT_EQ(row.min, row.max);
  EXPECT_EQ(deviation_of(row, values.size()), std::sqrt(60.0 / 9));  // of 0 to 8
  EXPECT_DOUBLE_EQ(variance_of(row, values.size()), 60.0 / 9);
  const std::uint64_t two[] = {(1ULL << 62) - 1024, (1ULL << 62) - 1023};
  EXPECT_EQ(deviation_of(row_of(two, 2), 2), 0.5);
  for (const double value :
       {0x1p53, -0x1.fffffffffffffp53, 0x1.000001p62, 0x1.fffffffffffffp63, -0x1.3456789abcdefp300}) {
    const real_intensity one = real_intensity_of(value, 1000);
    EXPECT_EQ(deviation_of(one, 1000), 0) << value;
    EXPECT_EQ(variance_of(one, 1000), 0) << value;
  }
  for (const std::uint64_t value : {(1ULL << 53) + 1, (1ULL << 60) + 1, (1ULL << 63) + 1, ~0ULL}) {
    const std::vector<std::uint64_t> equal(77, value);
    EXPECT_EQ(deviation_of(row_of(equal.data(), equal.size()), equal.size()), 0) << value;
  }
}

TEST(real_intensity, pixels_of_one_value) {
  std::mt19937_64 draw(6);
  for (int round = 0; round < 2000; ++round) {
    const double value = with_exponents(draw, -1080, 1000);
    const std::vector<double> values(1 + draw() % 300, value);
    ASSERT_TRUE(same_row(real_intensity_of(value, values.size()), row_by_definition(values)));
  }
}

// The most pixels that an image may have: bins hold them.
TEST(real_intensity, bins_do_not_overflow) {
  constexpr auto most = static_cast<u64>(most_pixels_of_real_sums);
  for (const double value : {-std::nextafter(1.0, 0.0), std::nextafter(2.0, 0.0), std::numeric_limits<double>::max(),
                             -std::numeric_limits<double>::denorm_min(), 0x1.ffffffp24, -0x1.ffffffp0}) {
    const real_intensity row = real_intensity_of(value, most);
    EXPECT_EQ(mean_of(row, most), value);
    EXPECT_EQ(sum_of(row), value * static_cast<double>(most));
    real_intensity with_zero = row;
    with_zero.max = std::max(with_zero.max, 0.0);
    with_zero.min = std::min(with_zero.min, 0.0);
    EXPECT_DOUBLE_EQ(deviation_of(with_zero, 2 * most), std::fabs(value) / 2);
  }
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Weighted columns of floats and 64-bit integers next to exact integers: of each region's own pixels alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "features/columns.hpp"

namespace skerry::test {
namespace {

using boost::multiprecision::cpp_int;

constexpr int finest = -1200;  // of the numbers below: in units of two to this power
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Pixel>
cpp_int exact(Pixel value) {
  cpp_int number;
  int exponent = 0;
  if constexpr (std::is_floating_point_v<Pixel>)
    number = static_cast<std::int64_t>(std::ldexp(std::frexp(static_cast<double>(value), &exponent), 53));
  else number = value;
  number <<= (std::is_floating_point_v<Pixel> ? exponent - 53 : 0) - finest;
  return number;
}

// top / bottom · 2^exponent, cut off below 2^-100 of it.
long double quotient(const cpp_int& top, const cpp_int& bottom, int exponent) {
  if (top == 0) return 0;
  const int digits = static_cast<int>(msb(cpp_int(abs(top)))) - static_cast<int>(msb(cpp_int(abs(bottom))));
  const int up = std::max(0, 100 - digits);
  return std::ldexp(static_cast<long double>(cpp_int((top << up) / bottom)), exponent - up);
}

// What a region weighs: z, y and x from the corner of its box, and weights.
struct weighed_pixel {
  std::array<int, 3> at;
  cpp_int weight;
};

// Weights are cut off below 2^-61 of the largest magnitude's leading bit.
template <class Pixel>
cpp_int kept(Pixel value, int leading) {
  const cpp_int whole = exact(value);
  const int below = leading - 61 - finest;
  return below <= 0 ? whole : (whole / (cpp_int(1) << below)) << below;
}

cpp_int sum_of(const std::vector<weighed_pixel>& pixels, const std::array<int, 3>& powers,
               const std::array<cpp_int, 3>& about, const cpp_int& scale) {
  cpp_int sum;
  for (const weighed_pixel& pixel : pixels) {
    cpp_int term = pixel.weight;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (int power = 0; power < powers[axis]; ++power) term *= scale * pixel.at[axis] - about[axis];
    sum += term;
  }
  return sum;
}

// Within a few roundings, or the smallest number.
void expect_near(double got, long double want, const std::string& name) {
  if (std::fabs(want) > std::numeric_limits<double>::max()) return;
  EXPECT_LE(std::fabs(static_cast<long double>(got) - want), std::ldexp(std::fabs(want), -50) + 0x1p-1070L)
      << name << ": " << got << ", not " << static_cast<double>(want);
}

const std::array<cpp_int, 3>& no_shift() {
  static const std::array<cpp_int, 3> none = {0, 0, 0};
  return none;
}

void expect_moments(const column_table& table, const std::vector<weighed_pixel>& pixels, int rank) {
  const auto number = [&](std::string name, const std::array<int, 3>& powers) {
    for (std::size_t axis = 3 - static_cast<std::size_t>(rank); axis < 3; ++axis)
      name += "-" + std::to_string(powers[axis]);
    return table.column(name).numbers.at(0);
  };
  const cpp_int total = sum_of(pixels, {0, 0, 0}, no_shift(), 1);
  const std::array<cpp_int, 3> first = {sum_of(pixels, {1, 0, 0}, no_shift(), 1),
                                        sum_of(pixels, {0, 1, 0}, no_shift(), 1),
                                        sum_of(pixels, {0, 0, 1}, no_shift(), 1)};
  for (int k = 0; k < (rank == 3 ? 4 : 1); ++k)
    for (int j = 0; j < (rank == 1 ? 1 : 4); ++j)
      for (int i = 0; i < 4; ++i) {
        const std::array<int, 3> powers = {k, j, i};
        const int order = k + j + i;
        expect_near(number("moments_weighted", powers), quotient(sum_of(pixels, powers, no_shift(), 1), 1, finest),
                    "raw");
        const double central = number("moments_weighted_central", powers);
        if (total == 0 && order > 0) EXPECT_TRUE(std::isnan(central));
        else if (order == 1) EXPECT_EQ(central, 0);
        else
          expect_near(central,
                      quotient(sum_of(pixels, powers, first, total), pow(total, static_cast<unsigned>(order)), finest),
                      "central");
      }
  for (int axis = 3 - rank; axis < 3; ++axis) {
    const double centre = table.column("centroid_weighted_local-" + std::to_string(axis - 3 + rank)).numbers.at(0);
    if (total == 0) EXPECT_FALSE(std::isfinite(centre));  // a division by 0
    else expect_near(centre, quotient(first[static_cast<std::size_t>(axis)], total, 0), "centroid");
  }
}

template <class Pixel>
std::vector<Pixel> random_weights(std::size_t count, std::mt19937_64& draw) {
  std::vector<Pixel> weights(count);
  const int kind = static_cast<int>(draw() % 4);
  for (Pixel& weight : weights) {
    if constexpr (std::is_floating_point_v<Pixel>) {
      using limits = std::numeric_limits<Pixel>;
      const double mantissa = std::uniform_real_distribution<double>(kind == 0 ? 0 : -1, 1)(draw);
      const int least = kind == 1 ? limits::min_exponent - limits::digits : kind == 2 ? -70 : -6;
      const int most = kind == 1 ? limits::max_exponent - 1 : 0;
      weight = static_cast<Pixel>(std::ldexp(mantissa, std::uniform_int_distribution<int>(least, most)(draw)));
      if (kind == 3) weight = static_cast<Pixel>(std::copysign(1.0, mantissa));  // often a total of 0
    } else {
      weight = static_cast<Pixel>(draw() >> (kind == 0 ? 0 : draw() % 64));
      if (kind == 3) weight = std::numeric_limits<Pixel>::max();
    }
  }
  return weights;
}

// One region, some of whose box is background.
template <class Pixel>
void expect_exact_sums(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  for (int round = 0; round < static_cast<int>(150 * test_scale()); ++round) {
    constexpr std::array<std::array<int, 3>, 5> sizes = {{{1, 4, 7}, {2, 3, 3}, {1, 1, 300}, {1, 1, 9}, {1, 12, 2}}};
    const auto& [depth, height, width] = sizes[static_cast<std::size_t>(round) % sizes.size()];
    extent size = depth > 1 ? extent(depth, height, width) : extent(height, width);
    if (round % 5 == 3) size = extent(width);
    const auto weights = random_weights<Pixel>(static_cast<std::size_t>(size.pixels()), draw);
    std::vector<std::uint8_t> labels(weights.size());
    for (std::uint8_t& label : labels) label = draw() % 5 != 0 ? 1 : 0;
    labels.at(draw() % labels.size()) = 1;
    double largest = 0;
    for (std::size_t k = 0; k < weights.size(); ++k)
      if (labels[k] != 0) largest = std::max(largest, std::fabs(static_cast<double>(weights[k])));
    const int leading = largest == 0 ? 0 : std::ilogb(largest);
    std::vector<weighed_pixel> pixels;
    int at = 0;
    for (int z = 0; z < depth; ++z)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x, ++at)
          if (labels[static_cast<std::size_t>(at)] != 0)
            pixels.push_back({{z, y, x}, kept(weights[static_cast<std::size_t>(at)], leading)});
    std::array<int, 3> corner = {depth, height, width};
    for (const weighed_pixel& pixel : pixels)
      for (std::size_t axis = 0; axis < 3; ++axis) corner[axis] = std::min(corner[axis], pixel.at[axis]);
    for (weighed_pixel& pixel : pixels)
      for (std::size_t axis = 0; axis < 3; ++axis) pixel.at[axis] -= corner[axis];
    column_request asked;
    asked.columns = {"moments_weighted", "moments_weighted_central", "centroid_weighted_local"};
    asked.intensity = image_view(weights.data(), size);
    engine on = engine::cpu(1 + round % 3);
    expect_moments(columns_of(on, image_view(labels.data(), size), asked), pixels, size.rank);
    if (::testing::Test::HasFailure()) FAIL() << "round " << round << " of seed " << seed;
  }
}

TEST(real_weights, sums_are_exact_but_for_bits_below_the_62nd) {
  expect_exact_sums<double>(1);
  expect_exact_sums<float>(2);
  expect_exact_sums<std::int64_t>(3);
  expect_exact_sums<std::uint64_t>(4);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// All rows of every engine that computes them as sums, and rows of label 1 beside others.
TEST(real_weights, are_the_same_bits_for_all_threads_and_neighbours) {
  std::mt19937_64 draw(9);
  const extent size(40, 33);
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(size.pixels()));
  std::vector<double> weights(labels.size());
  for (std::size_t k = 0; k < labels.size(); ++k) {
    labels[k] = static_cast<std::uint8_t>(draw() % 4);
    weights[k] = std::ldexp(static_cast<double>(draw() % 1000), static_cast<int>(draw() % 90));
  }
  column_request asked;
  asked.columns = {"weighted_sums"};
  asked.intensity = image_view(weights.data(), size);
  engine alone = engine::cpu(1);
  const column_table want = columns_of(alone, image_view(labels.data(), size), asked);
  const auto expect_rows = [&](engine& on, std::size_t rows) {
    const column_table got = columns_of(on, image_view(labels.data(), size), asked);
    for (std::size_t c = 1; c < want.columns.size(); ++c) {
      std::vector<double> a = got.columns[c].numbers, b = want.columns[c].numbers;
      a.resize(rows);
      b.resize(rows);
      EXPECT_TRUE(same_bits(a, b)) << want.columns[c].name;
    }
  };
  ask_every_engine([&](engine& on) {
    if (on.kind() != engine_kind::reference) expect_rows(on, 3);
  });
  for (const double other : {1e300, 5e-324, infinity, std::nan("")}) {
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (labels[k] == 2) weights[k] = other;
    expect_rows(alone, 1);
  }
}

TEST(real_weights, that_are_not_finite_have_no_moments) {
  const std::vector<std::uint8_t> labels = {1, 1, 2, 2, 3, 3, 4, 4};
  const std::vector<double> weights = {1, infinity, -infinity, infinity, 2, std::nan(""), 0.25, 0.75};
  column_request asked;
  asked.columns = {"moments_weighted-0-0",
                   "moments_weighted-0-1",
                   "moments_weighted_central-0-0",
                   "moments_weighted_central-0-1",
                   "moments_weighted_central-0-2",
                   "centroid_weighted-1",
                   "moments_weighted_normalized-0-2",
                   "moments_weighted_hu-0"};
  asked.intensity = image_view(weights.data(), extent(1, 8));
  ask_every_engine([&](engine& on) {
    const column_table table = columns_of(on, image_view(labels.data(), extent(1, 8)), asked);
    for (std::size_t c = 1; c < table.columns.size(); ++c)
      for (std::size_t row = 0; row < 4; ++row)
        EXPECT_EQ(std::isnan(table.columns[c].numbers.at(row)), row != 3) << table.columns[c].name << ", " << row;
    EXPECT_EQ(table.column("moments_weighted-0-0").numbers.at(3), 1);
    EXPECT_EQ(table.column("centroid_weighted-1").numbers.at(3), 6.75);
    EXPECT_EQ(table.column("moments_weighted_central-0-2").numbers.at(3), 0.1875);
  });
}

}  // namespace
}  // namespace skerry::test

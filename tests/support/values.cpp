// SPDX-License-Identifier: Apache-2.0
#include "support/values.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <sstream>

namespace skerry::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// All zeros, and the ends and steps of binary16: 2^-24 and 2^-14 are its smallest subnormal and normal numbers.
std::vector<double> special_halves() {
  return {0.0,   -0.0,   1.0,      -1.0,      0.5,          0x1.998p-4, 0x1p-24, -0x1p-24,
          65504, -65504, infinity, -infinity, not_a_number, 2.5,        0x1p-14, 0x1p-14 - 0x1p-24};
}

template <class Pixel>
std::vector<double> special_floats() {
  using limits = std::numeric_limits<Pixel>;
  return {0.0,
          -0.0,
          1.0,
          -1.0,
          0.5,
          Pixel(0.1),
          limits::denorm_min(),
          -limits::denorm_min(),
          limits::max(),
          limits::lowest(),
          infinity,
          -infinity,
          not_a_number,
          2.5,
          limits::min()};
}

}  // namespace

std::vector<double> edge_values(dtype type) {
  switch (type) {
    case dtype::bit: return {0, 1};
    case dtype::boolean: return {0, 0, 1, 2, 128, 255};
    case dtype::u8: return {0, 1, 2, 127, 128, 254, 255};
    case dtype::u16: return {0, 1, 255, 256, 32767, 32768, 65535};
    case dtype::u32: return {0, 1, 65536, 16777217, 2147483647, 2147483648, 4294967295};
    case dtype::u64: return {0, 1, 4294967296.0, 0x1p53 - 1, 0x1p53, 0x1p63, 0x1p64 - 0x1p11};
    case dtype::i8: return {-128, -127, -1, 0, 1, 64, 127};
    case dtype::i64: return {-0x1p63, -0x1p53 - 2, -4294967296.0, -1, 0, 1, 0x1p53, 0x1p63 - 0x1p10};
    case dtype::f16: return special_halves();
    case dtype::i16: return {-32768, -32767, -256, -1, 0, 1, 128, 32767};
    case dtype::i32: return {-2147483648.0, -16777217, -1, 0, 1, 65536, 16777217, 2147483647};
    case dtype::f32: return special_floats<float>();
    case dtype::f64: return special_floats<double>();
  }
  return {};
}

std::vector<double> random_values(const std::vector<double>& choices, const extent& size, int granularity,
                                  std::uint32_t seed) {
  std::mt19937 draw(seed);
  const std::int64_t height = size.height / granularity + 1, width = size.width / granularity + 1;
  const std::int64_t depth = size.depth / granularity + 1;
  std::vector<double> block(static_cast<std::size_t>(depth * height * width));
  for (double& value : block) value = choices[draw() % choices.size()];
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(size.pixels()));
  for (std::int64_t z = 0; z < size.depth; ++z)
    for (std::int64_t y = 0; y < size.height; ++y)
      for (std::int64_t x = 0; x < size.width; ++x)
        values.push_back(
            block[static_cast<std::size_t>((z / granularity * height + y / granularity) * width + x / granularity)]);
  return values;
}

std::vector<foreground> edge_rules(dtype type) {
  std::vector<double> limits = {0.5,      0.1,       -0.5,         1e300,         -1e300,
                                infinity, -infinity, 4294967295.5, -2147483648.5, 5e-324};
  for (const double value : edge_values(type)) {
    if (std::isnan(value)) continue;
    limits.push_back(value);
    limits.push_back(std::nextafter(value, infinity));
    limits.push_back(std::nextafter(value, -infinity));
  }
  std::vector<foreground> rules = {foreground::nonzero()};
  for (const double limit : limits) {
    rules.push_back(foreground::above(limit));
    rules.push_back(foreground::at_least(limit));
  }
  for (std::size_t i = 0; i + 1 < limits.size(); ++i) {
    const double a = limits[i], b = limits[i + 1];
    rules.push_back(foreground::within(std::min(a, b), std::max(a, b)));
    rules.push_back(foreground::within(a, a));
  }
  rules.push_back(foreground::within(-infinity, infinity));
  return rules;
}

std::string text_of(const foreground& rule) {
  std::ostringstream text;
  text.precision(17);
  switch (rule.kind) {
    case foreground::rule::nonzero: text << "nonzero"; break;
    case foreground::rule::above: text << "above " << rule.low; break;
    case foreground::rule::at_least: text << "at least " << rule.low; break;
    case foreground::rule::within: text << "within " << rule.low << " and " << rule.high; break;
    case foreground::rule::except: text << "except " << rule.low; break;
  }
  return text.str();
}

std::string text_of(const joining& how) {
  std::ostringstream text;
  text.precision(17);
  if (how.kind == joining::rule::equal) text << ", equal pixels join";
  if (how.kind == joining::rule::within) text << ", pixels within " << how.delta << " join";
  return text.str();
}

std::string text_of(const periodic_axes& axes) {
  if (!axes.any()) return "";
  return std::string(", periodic along ") + (axes.z ? "z" : "") + (axes.y ? "y" : "") + (axes.x ? "x" : "");
}

}  // namespace skerry::test

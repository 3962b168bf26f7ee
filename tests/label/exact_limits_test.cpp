// SPDX-License-Identifier: Apache-2.0
// Foreground rules against pixels that no double holds, and against every binary16: the exact comparison of two numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// '#' for each pixel of the first period of a row that a rule takes. Found by their label.
std::string taken(engine& on, const image_view& row, const foreground& rule, std::size_t period) {
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(row.size.width));
  label(on, row, with_connectivity(4, rule), {labels.data(), row.size});
  std::string text;
  for (const std::uint32_t label : labels) text += label != 0 ? '#' : '.';
  for (std::size_t x = period; x < text.size(); ++x)
    if (text[x] != text[x - period]) return text + ", which is not periodic";
  return text.substr(0, period);
}

// Pixels in a row that is long enough for words of 64, 32 and fewer, on each engine, with each instruction set.
template <class Pixel>
void expect_taken(const std::vector<Pixel>& pixels, const foreground& rule, const std::string& want) {
  constexpr std::size_t least_width = 200;
  std::vector<Pixel> row;
  while (row.size() < least_width) row.insert(row.end(), pixels.begin(), pixels.end());
  const image_view image(row.data(), extent(1, static_cast<std::int64_t>(row.size())));
  for (named_engine& each : each_engine())
    with_each_instruction_set([&](const std::string& name) {
      EXPECT_EQ(taken(each.on, image, rule, pixels.size()), want)
          << each.name << ", " << name << ", rule " << static_cast<int>(rule.kind) << " of " << rule.low << "…"
          << rule.high;
    });
}

// A rule, and the least and greatest number that it takes.
template <class Number>
struct limit_case {
  foreground rule;
  Number least, most;
};

template <class Pixel>
void expect_limits(const std::vector<Pixel>& pixels, const std::vector<limit_case<Pixel>>& cases) {
  for (const limit_case<Pixel>& one : cases) {
    std::string want;
    for (const Pixel pixel : pixels) want += one.least <= pixel && pixel <= one.most ? '#' : '.';
    expect_taken(pixels, one.rule, want);
  }
}

TEST(label_exact_limits, signed_bytes) {
  std::vector<std::int8_t> pixels;
  for (int value = -128; value < 128; ++value) pixels.push_back(static_cast<std::int8_t>(value));
  expect_limits<std::int8_t>(pixels, {{foreground::above(-129), -128, 127},
                                      {foreground::at_least(-128), -128, 127},
                                      {foreground::above(-128), -127, 127},
                                      {foreground::above(-1), 0, 127},
                                      {foreground::above(0.5), 1, 127},
                                      {foreground::above(126.5), 127, 127},
                                      {foreground::at_least(127), 127, 127},
                                      {foreground::above(127), 1, 0},
                                      {foreground::at_least(127.5), 1, 0},
                                      {foreground::within(-128.5, -0.5), -128, -1},
                                      {foreground::within(-128, -128), -128, -128},
                                      {foreground::within(-3, 5), -3, 5},
                                      {foreground::within(-127, 127), -127, 127},
                                      {foreground::within(-500, 500), -128, 127},
                                      {foreground::within(-500, -129), 1, 0}});
  expect_taken<std::int8_t>({-128, -1, 0, 1, 127}, foreground::nonzero(), "##.##");
}

TEST(label_exact_limits, signed_integers_of_64_bits) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(), max = -(lowest + 1), e53 = 1LL << 53;
  const std::vector<std::int64_t> pixels = {
      lowest,  lowest + 1, lowest + 2048, -e53 - 2, -e53 - 1, -e53,      -e53 + 1,   -1,         0,       1,
      e53 - 1, e53,        e53 + 1,       e53 + 2,  e53 + 3,  1LL << 62, max - 1023, max - 1022, max - 1, max};
  expect_limits<std::int64_t>(pixels, {{foreground::above(0x1p53), e53 + 1, max},
                                       {foreground::at_least(0x1p53), e53, max},
                                       {foreground::above(0x1p53 - 1), e53, max},
                                       {foreground::above(0x1p53 + 2), e53 + 3, max},
                                       {foreground::within(0x1p53, 0x1p53), e53, e53},
                                       {foreground::within(-0x1p53, 0x1p53 + 2), -e53, e53 + 2},
                                       {foreground::above(-0x1p53), -e53 + 1, max},
                                       {foreground::above(-0x1p53 - 2), -e53 - 1, max},
                                       {foreground::within(-infinity, -0x1p53 - 2), lowest, -e53 - 2},
                                       {foreground::at_least(0x1p63), 1, 0},
                                       {foreground::above(0x1p63), 1, 0},
                                       {foreground::at_least(0x1p63 - 1024), max - 1023, max},
                                       {foreground::above(0x1p63 - 1024), max - 1022, max},
                                       {foreground::within(0x1p63 - 1024, 0x1p63), max - 1023, max},
                                       {foreground::within(0, 0x1p63 - 1024), 0, max - 1023},
                                       {foreground::at_least(-0x1p63), lowest, max},
                                       {foreground::above(-0x1p63), lowest + 1, max},
                                       {foreground::above(-0x1p63 - 2048), lowest, max},
                                       {foreground::within(-0x1p63, -0x1p63), lowest, lowest},
                                       {foreground::within(-infinity, -0x1p63 - 2048), 1, 0},
                                       {foreground::above(-0.5), 0, max},
                                       {foreground::above(0.5), 1, max},
                                       {foreground::within(0.25, 0.75), 1, 0},
                                       {foreground::above(infinity), 1, 0},
                                       {foreground::at_least(infinity), 1, 0},
                                       {foreground::above(-infinity), lowest, max},
                                       {foreground::at_least(-1e300), lowest, max}});
  expect_taken<std::int64_t>({lowest, 0, 1LL << 32, -1, 0, 1LL << 62}, foreground::nonzero(), "#.##.#");
}

TEST(label_exact_limits, unsigned_integers_of_64_bits) {
  constexpr std::uint64_t max = ~0ULL, e53 = 1ULL << 53, e63 = 1ULL << 63;
  const std::vector<std::uint64_t> pixels = {0,          1,          e53 - 1,    e53,     e53 + 1,
                                             e53 + 2,    e53 + 3,    e63 - 1,    e63,     e63 + 1,
                                             e63 + 2048, max - 2047, max - 2046, max - 1, max};
  expect_limits<std::uint64_t>(pixels, {{foreground::above(0x1p53), e53 + 1, max},
                                        {foreground::at_least(0x1p53), e53, max},
                                        {foreground::above(0x1p53 + 2), e53 + 3, max},
                                        {foreground::within(0x1p53, 0x1p53 + 2), e53, e53 + 2},
                                        {foreground::above(0x1p63), e63 + 1, max},
                                        {foreground::at_least(0x1p63), e63, max},
                                        {foreground::within(0, 0x1p63), 0, e63},
                                        {foreground::within(0x1p63, 0x1p63 + 2048), e63, e63 + 2048},
                                        {foreground::at_least(0x1p64), 1, 0},
                                        {foreground::above(0x1p64), 1, 0},
                                        {foreground::at_least(0x1p64 - 2048), max - 2047, max},
                                        {foreground::above(0x1p64 - 2048), max - 2046, max},
                                        {foreground::within(0x1p64 - 2048, 0x1p64), max - 2047, max},
                                        {foreground::within(0, 0x1p64 - 2048), 0, max - 2047},
                                        {foreground::above(-1), 0, max},
                                        {foreground::above(-0.0), 1, max},
                                        {foreground::within(0, 0), 0, 0},
                                        {foreground::within(-5, -1), 1, 0},
                                        {foreground::at_least(0.5), 1, max},
                                        {foreground::at_least(-infinity), 0, max},
                                        {foreground::above(infinity), 1, 0}});
  expect_taken<std::uint64_t>({0, 1, 1ULL << 32, 0, e63}, foreground::nonzero(), ".##.#");
}

struct half {
  std::uint16_t bits;
  double number;
};

const double not_a_number = std::nan("");
const std::vector<half> halves = {{0xfc00, -infinity},
                                  {0xfbff, -65504},
                                  {0xbc00, -1},
                                  {0x8400, -0x1p-14},
                                  {0x8001, -0x1p-24},
                                  {0x8000, -0.0},
                                  {0x0000, 0},
                                  {0x0001, 0x1p-24},
                                  {0x03ff, 1023 * 0x1p-24},
                                  {0x0400, 0x1p-14},
                                  {0x2e66, 0x1.998p-4},
                                  {0x2e67, 0x1.99cp-4},
                                  {0x3c00, 1},
                                  {0x3c01, 1 + 0x1p-10},
                                  {0x7bff, 65504},
                                  {0x7c00, infinity},
                                  {0x7c01, not_a_number},
                                  {0x7e00, not_a_number},
                                  {0xfc01, not_a_number},
                                  {0xffff, not_a_number}};

TEST(label_exact_limits, binary16) {
  std::vector<float16_bits> pixels;
  for (const half& one : halves) pixels.push_back({one.bits});
  const std::vector<limit_case<double>> cases = {{foreground::above(0), 0x1p-24, infinity},
                                                 {foreground::at_least(0), 0, infinity},
                                                 {foreground::at_least(-0.0), 0, infinity},
                                                 {foreground::above(-0x1p-25), 0, infinity},
                                                 {foreground::at_least(0x1p-25), 0x1p-24, infinity},
                                                 {foreground::above(5e-324), 0x1p-24, infinity},
                                                 {foreground::above(0x1p-24), 0x1p-23, infinity},
                                                 {foreground::above(-0x1p-24), 0, infinity},
                                                 {foreground::within(-0x1p-24, 0x1p-24), -0x1p-24, 0x1p-24},
                                                 {foreground::within(-0.0, 0), 0, 0},
                                                 {foreground::above(1023 * 0x1p-24), 0x1p-14, infinity},
                                                 {foreground::above(0.1), 0x1.99cp-4, infinity},  // 0x1.998p-4 < 0.1
                                                 {foreground::within(0.1, 0.1), 1, 0},
                                                 {foreground::within(1, 1.0005), 1, 1},
                                                 {foreground::above(65504), infinity, infinity},
                                                 {foreground::at_least(65519), infinity, infinity},
                                                 {foreground::at_least(1e300), infinity, infinity},
                                                 {foreground::within(-65504, 65504), -65504, 65504},
                                                 {foreground::within(-infinity, -65505), -infinity, -infinity},
                                                 {foreground::within(-infinity, infinity), -infinity, infinity},
                                                 {foreground::above(-infinity), -65504, infinity},
                                                 {foreground::at_least(infinity), infinity, infinity},
                                                 {foreground::above(infinity), 1, 0}};
  for (const limit_case<double>& one : cases) {
    std::string want;
    for (const half& pixel : halves) want += one.least <= pixel.number && pixel.number <= one.most ? '#' : '.';
    expect_taken(pixels, one.rule, want);
  }
  expect_taken(pixels, foreground::nonzero(), "#####..#########....");
}

// All 65536 of them; the reference reads each by its definition.
TEST(label_exact_limits, every_binary16) {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i * 40503);  // odd: each once
  const image_view image(bits.data(), dtype::f16, extent(256, 256));
  std::vector<foreground> rules = {foreground::nonzero()};
  for (const half& one : halves) {
    if (std::isnan(one.number)) continue;
    rules.push_back(foreground::above(one.number));
    rules.push_back(foreground::at_least(one.number));
    rules.push_back(foreground::within(-std::abs(one.number), std::nextafter(std::abs(one.number), 0)));
  }
  for (const foreground& rule : rules)
    with_each_instruction_set([&](const std::string& name) {
      SCOPED_TRACE(name);
      const question asked = {.image = image, .options = with_connectivity(8, rule)};
      const reference::answer want = expected_answer(asked);
      for (named_engine& each : each_engine()) expect_measured(each.on, asked, want);
    });
}

}  // namespace
}  // namespace skerry::test

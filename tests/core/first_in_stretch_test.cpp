// SPDX-License-Identifier: Apache-2.0
#include "core/first_in_stretch.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace skerry {
namespace {

// Bit by bit: a start waits for the next pair, its own bit included, until the next start.
std::vector<u64> one_by_one(const std::vector<u64>& pairs, const std::vector<u64>& starts) {
  std::vector<u64> firsts(pairs.size());
  bool waits = false;
  for (std::size_t w = 0; w < pairs.size(); ++w)
    for (int bit = 0; bit < 64; ++bit) {
      waits = waits || (starts[w] >> bit & 1) != 0;
      if (!waits || (pairs[w] >> bit & 1) == 0) continue;
      firsts[w] |= u64{1} << bit;
      waits = false;
    }
  return firsts;
}

std::vector<u64> word_by_word(const std::vector<u64>& pairs, const std::vector<u64>& starts) {
  first_in_stretch of_stretches;
  std::vector<u64> firsts;
  for (std::size_t w = 0; w < pairs.size(); ++w) firsts.push_back(of_stretches.of(pairs[w], starts[w]));
  return firsts;
}

TEST(first_in_stretch, is_found_across_words) {
  constexpr u64 last = u64{1} << 63;
  const std::vector<u64> starts = {last, 0, 1, last | 1}, pairs = {0, 0b110, 0, last | 0b11};
  EXPECT_EQ(word_by_word(pairs, starts), (std::vector<u64>{0, 0b10, 0, last | 1}));
}

TEST(first_in_stretch, is_that_of_single_steps) {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 2000; ++turn) {
    std::vector<u64> starts(7), pairs(7);
    for (u64& word : starts) word = turn % 3 == 0 ? random() : random() & random() & random();
    for (u64& word : pairs) word = turn % 2 == 0 ? random() : random() & random() & random() & random();
    ASSERT_EQ(word_by_word(pairs, starts), one_by_one(pairs, starts)) << turn;
  }
}

}  // namespace
}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#include "core/union_find.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/engines.hpp"

namespace skerry::test {
namespace {

using pairs = std::vector<std::pair<u32, u32>>;

// The smallest member of each one's set, by spreading the smallest until nothing changes.
std::vector<u32> smallest_members(u32 members, const pairs& united) {
  std::vector<u32> smallest(members);
  std::iota(smallest.begin(), smallest.end(), 0U);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : united) {
      const u32 less = std::min(smallest[a], smallest[b]);
      changed = changed || smallest[a] != less || smallest[b] != less;
      smallest[a] = smallest[b] = less;
    }
  }
  return smallest;
}

pairs random_pairs(u32 members, std::size_t count, std::uint32_t seed) {
  std::mt19937 draw(seed);
  pairs all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(draw() % members, draw() % members);
  return all;
}

template <sharing Who>
std::vector<u32> roots_of(std::vector<u32>& parent) {
  std::vector<u32> roots;
  const union_find<u32, Who> sets(parent.data());
  for (u32 i = 0; i < parent.size(); ++i) roots.push_back(sets.find(i));
  return roots;
}

TEST(core_union_find, one_thread) {
  for (const std::size_t count : {0, 10, 300, 1000})
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      const pairs united = random_pairs(500, count, seed);
      std::vector<u32> parent(500);
      std::iota(parent.begin(), parent.end(), 0U);
      const union_find<u32, sharing::one_thread> sets(parent.data());
      for (const auto& [a, b] : united) {
        sets.unite(a, b);
        for (u32 i = 0; i < parent.size(); ++i) ASSERT_LE(parent[i], i);
      }
      EXPECT_EQ(roots_of<sharing::one_thread>(parent), smallest_members(500, united));
    }
}

TEST(core_union_find, many_threads) {
  constexpr std::size_t threads = 4;
  for (int repeat = 0; repeat < scaled(40); ++repeat) {
    const u32 members = repeat % 2 == 0 ? 50 : 20000;
    const pairs united = random_pairs(members, members, static_cast<std::uint32_t>(repeat));
    std::vector<u32> parent(members);
    std::iota(parent.begin(), parent.end(), 0U);
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        const union_find<u32, sharing::device> sets(parent.data());
        for (std::size_t i = t; i < united.size(); i += threads) sets.unite(united[i].first, united[i].second);
      });
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(roots_of<sharing::device>(parent), smallest_members(members, united));
  }
}

}  // namespace
}  // namespace skerry::test

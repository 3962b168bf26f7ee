// SPDX-License-Identifier: Apache-2.0
#include "core/union_find.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
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

// Unites all pairs, dealt to several threads.
template <class Unite>
void unite_in_threads(const pairs& united, const Unite& unite) {
  constexpr std::size_t threads = 4;
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      for (std::size_t i = t; i < united.size(); i += threads) unite(united[i].first, united[i].second);
    });
  for (std::thread& worker : workers) worker.join();
}

// Runs `work(members, pairs, seed)` for small sets, where threads meet all the time, and for large ones.
template <class Work>
void in_small_and_large_sets(const Work& work) {
  for (int repeat = 0; repeat < scaled(40); ++repeat) {
    const u32 members = repeat % 2 == 0 ? 50 : 20000;
    const auto seed = static_cast<std::uint32_t>(repeat);
    work(members, random_pairs(members, members, seed), seed);
  }
}

std::vector<u32> sets_of_one(u32 members) {
  std::vector<u32> parent(members);
  std::iota(parent.begin(), parent.end(), 0U);
  return parent;
}

using shared_words = array_words<u32, sharing::device>;

TEST(core_union_find, many_threads) {
  in_small_and_large_sets([](u32 members, const pairs& united, std::uint32_t) {
    std::vector<u32> parent = sets_of_one(members);
    const union_find<u32, sharing::device> sets(parent.data());
    unite_in_threads(united, [&](u32 a, u32 b) { sets.unite(a, b); });
    EXPECT_EQ(roots_of<sharing::device>(parent), smallest_members(members, united));
  });
}

TEST(core_union_find, whoever_is_hooked_is_told_once) {
  for (const bool by_lowering : {false, true})
    in_small_and_large_sets([&](u32 members, const pairs& united, std::uint32_t) {
      std::vector<u32> parent = sets_of_one(members), hooked(members);
      const shared_words words{parent.data()};
      const auto count = [&](u32 member) { atomic_ref<u32, sharing::device>(hooked[member]).fetch_add(1); };
      unite_in_threads(united, [&](u32 a, u32 b) {
        if (by_lowering) unite_by_lowering(words, a, b, count);
        else unite_roots(words, a, b, count);
      });
      const std::vector<u32> smallest = smallest_members(members, united);
      for (u32 i = 0; i < members; ++i) ASSERT_EQ(hooked[i], smallest[i] == i ? 0U : 1U);
      EXPECT_EQ(roots_of<sharing::device>(parent), smallest);
    });
}

// While some threads unite, others shorten the way up of every member.
TEST(core_union_find, unions_among_threads_that_shorten) {
  for (const bool by_lowering : {false, true})
    in_small_and_large_sets([&](u32 members, const pairs& united, std::uint32_t) {
      std::vector<u32> parent = sets_of_one(members);
      const shared_words words{parent.data()};
      std::atomic<bool> done = false;
      std::vector<std::thread> others;
      for (int k = 0; k < 2; ++k)
        others.emplace_back([&] {
          while (!done)
            for (u32 i = 0; i < members; ++i) {
              jump(words, i);
              find_root<shortening::splitting>(words, i);
            }
        });
      unite_in_threads(united, [&](u32 a, u32 b) {
        if (by_lowering) unite_by_lowering(words, a, b, [](u32) {});
        else unite_roots(words, a, b, [](u32) {});
      });
      done = true;
      for (std::thread& worker : others) worker.join();
      EXPECT_EQ(roots_of<sharing::device>(parent), smallest_members(members, united));
    });
}

TEST(core_union_find, by_splicing) {
  in_small_and_large_sets([](u32 members, const pairs& united, std::uint32_t) {
    std::vector<u32> parent = sets_of_one(members);
    unite_in_threads(united, [&](u32 a, u32 b) { unite_by_splicing(shared_words{parent.data()}, a, b); });
    for (u32 i = 0; i < members; ++i) ASSERT_LE(parent[i], i);
    EXPECT_EQ(roots_of<sharing::device>(parent), smallest_members(members, united));
  });
}

// Words that order members otherwise than their numbers do: the place in a random order above the member.
TEST(core_union_find, by_splicing_in_another_order) {
  in_small_and_large_sets([](u32 members, const pairs& united, std::uint32_t seed) {
    std::vector<u32> place = sets_of_one(members), member_at(members), words(members);
    std::shuffle(place.begin(), place.end(), std::mt19937(seed));
    const auto word_of = [&](u32 member) { return place[member] << 16 | member; };
    const auto member_of = [](u32 word) { return word & 0xffff; };
    for (u32 i = 0; i < members; ++i) words[i] = word_of(i), member_at[place[i]] = i;
    const shared_words parent{words.data()};
    unite_in_threads(united, [&](u32 a, u32 b) { unite_by_splicing(parent, a, b, member_of); });
    pairs places;
    for (const auto& [a, b] : united) places.emplace_back(place[a], place[b]);
    const std::vector<u32> first = smallest_members(members, places);
    for (u32 i = 0; i < members; ++i) {
      const u32 root = link_to_root(parent, i, member_of(parent.load(i)), member_of);
      ASSERT_EQ(root, member_at[first[place[i]]]);
      ASSERT_EQ(words[i], word_of(root));
    }
  });
}

TEST(core_union_find, climbing_both_ways_in_another_order) {
  in_small_and_large_sets([](u32 members, const pairs& united, std::uint32_t) {
    std::vector<u32> parent = sets_of_one(members);
    const shared_words words{parent.data()};
    unite_in_threads(united,
                     [&](u32 a, u32 b) { unite_climbing_both(words, a, b, [](u32 x, u32 y) { return x > y; }); });
    pairs reversed;
    for (const auto& [a, b] : united) reversed.emplace_back(members - 1 - a, members - 1 - b);
    const std::vector<u32> first = smallest_members(members, reversed);
    for (u32 i = 0; i < members; ++i) {
      const u32 largest = members - 1 - first[members - 1 - i];
      ASSERT_EQ(find_root<shortening::none>(words, i), largest);
      ASSERT_EQ(find_root<shortening::splitting>(words, i), largest);
    }
  });
}

// Words of a thread that is overtaken: before each exchange, another thread unites a pair of its own. So the loser of a race is
// the same in every run.
template <class Unite>
struct overtaken_words {
  shared_words words;
  const Unite& unite;
  const pairs& of_others;
  std::size_t& united;

  u32 load(u64 member) const { return words.load(member); }
  void store(u64 member, u32 above) const { words.store(member, above); }
  void be_overtaken() const {
    if (united == of_others.size()) return;
    const auto [a, b] = of_others[united++];
    unite(words, a, b);
  }
  u32 exchange_if(u64 member, u32 seen, u32 above) const {
    be_overtaken();
    return words.exchange_if(member, seen, above);
  }
  u32 lower(u64 member, u32 above) const {
    be_overtaken();
    return words.lower(member, above);
  }
};

template <class Unite>
void expect_that_overtaken_unions_are_made(const Unite& unite) {
  constexpr u32 members = 12;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const pairs own = random_pairs(members, 8, 2 * seed), of_others = random_pairs(members, 8, 2 * seed + 1);
    std::vector<u32> parent = sets_of_one(members), roots;
    std::size_t united = 0;
    const overtaken_words<Unite> words{{parent.data()}, unite, of_others, united};
    for (const auto& [a, b] : own) unite(words, a, b);
    pairs all = own;
    all.insert(all.end(), of_others.begin(), of_others.begin() + static_cast<std::ptrdiff_t>(united));
    for (u32 i = 0; i < members; ++i) roots.push_back(find_root<shortening::none>(words.words, i));
    ASSERT_EQ(roots, smallest_members(members, all)) << seed;
  }
}

TEST(core_union_find, whoever_is_overtaken_goes_on) {
  expect_that_overtaken_unions_are_made([](const auto& words, u32 a, u32 b) { unite_roots(words, a, b, [](u32) {}); });
  expect_that_overtaken_unions_are_made([](const auto& words, u32 a, u32 b) { unite_by_splicing(words, a, b); });
  expect_that_overtaken_unions_are_made(
      [](const auto& words, u32 a, u32 b) { unite_by_lowering(words, a, b, [](u32) {}); });
  expect_that_overtaken_unions_are_made(
      [](const auto& words, u32 a, u32 b) { unite_climbing_both(words, a, b, [](u32 x, u32 y) { return x < y; }); });
}

TEST(core_union_find, ways_become_shorter) {
  constexpr u32 members = 64;
  const auto chain = [] {
    std::vector<u32> parent(members);
    for (u32 i = 1; i < members; ++i) parent[i] = i - 1;
    return parent;
  };
  const auto steps_of = [](const std::vector<u32>& parent, u32 member) {
    u32 steps = 0;
    for (; parent[member] != member; member = parent[member]) ++steps;
    return steps;
  };
  const u32 last = members - 1;
  std::vector<u32> parent = chain();
  const auto words = [&] { return array_words<u32, sharing::one_thread>{parent.data()}; };
  EXPECT_EQ(find_root<shortening::none>(words(), last), 0U);
  EXPECT_EQ(parent, chain());
  EXPECT_EQ(find_root<shortening::halving>(words(), last), 0U);
  EXPECT_EQ(steps_of(parent, last), members / 2);
  EXPECT_EQ(steps_of(parent, last - 1), members / 2) << "passed over";
  parent = chain();
  EXPECT_EQ(find_root<shortening::splitting>(words(), last), 0U);
  EXPECT_EQ(steps_of(parent, last), members / 2);
  EXPECT_EQ(steps_of(parent, last - 1), members / 2 - 1);
  parent = chain();
  EXPECT_EQ(find_root<shortening::splitting>(words(), last, last - 1), 0U) << "the word of the member is known";
  EXPECT_EQ(steps_of(parent, last), members / 2);
  parent = chain();
  jump(words(), last);
  EXPECT_EQ(parent[last], last - 2);
  EXPECT_EQ(link_to_root(words(), last, parent[last]), 0U);
  EXPECT_EQ(parent[last], 0U);
}

}  // namespace
}  // namespace skerry::test

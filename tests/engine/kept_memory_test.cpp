// SPDX-License-Identifier: Apache-2.0
// Memory that one call leaves to the next.
#include "engine/cpu/kept_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

#include "engine/cpu/new_memory.hpp"

namespace skerry::test {
namespace {

using list = std::pmr::vector<std::uint64_t>;

TEST(kept_memory, goes_to_a_list_of_the_next_call) {
  kept_memory memory;
  const void* at = nullptr;
  for (const std::size_t count : {100000U, 100000U, 105000U, 60000U}) {
    {
      list items(&memory);
      resize_in_large_pages(items, count);
      EXPECT_EQ(items.back(), 0U);
      items.back() = 7;
      if (at != nullptr) {
        EXPECT_EQ(items.data(), at) << count;
      }
      at = items.data();
    }
    memory.end_call();
    EXPECT_GE(memory.bytes(), 100000 * sizeof(std::uint64_t));
  }
}

TEST(kept_memory, is_given_back_when_a_call_has_no_use_for_it) {
  kept_memory memory;
  list(100000, 1, &memory);
  memory.end_call();
  EXPECT_GT(memory.bytes(), 100000 * sizeof(std::uint64_t));
  list(40000, 1, &memory);  // much less: it has a block of its own
  memory.end_call();
  EXPECT_LT(memory.bytes(), 50000 * sizeof(std::uint64_t));
  list(100, 1, &memory);  // small lists are not kept
  memory.end_call();
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST(kept_memory, of_lists_that_there_are_stays) {
  kept_memory memory;
  const list first(100000, 1, &memory), second(100000, 2, &memory);
  EXPECT_NE(first.data(), second.data());
  memory.end_call();
  memory.end_call();
  EXPECT_GE(memory.bytes(), 200000 * sizeof(std::uint64_t));
  EXPECT_EQ(first.back() + second.back(), 3U);
}

TEST(kept_memory, is_taken_by_several_threads) {
  kept_memory memory;
  const auto work = [&](std::uint64_t own) {
    for (int repeat = 0; repeat < 100; ++repeat) {
      const list items(20000, own, &memory);
      ASSERT_EQ(items.front() + items.back(), 2 * own);
    }
  };
  std::jthread one(work, 1), two(work, 2);
  one.join(), two.join();
  memory.end_call();
  EXPECT_LE(memory.bytes(), 2 * 22501 * sizeof(std::uint64_t));
}

}  // namespace
}  // namespace skerry::test

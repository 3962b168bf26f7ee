// SPDX-License-Identifier: Apache-2.0
#include "core/sort_by_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace skerry::test {
namespace {

struct item {
  u32 key, value;
  friend bool operator==(const item&, const item&) = default;
};

TEST(core_sort_by_key, any_number_of_keys_near_and_far) {
  std::mt19937 draw(5);
  std::vector<item> scratch;
  for (const std::size_t count : {0, 1, 2, 256, 257, 5000})
    for (const u32 range : {1U, 1U << 10, 1U << 21, 0xfffffff0U}) {
      std::vector<item> got;
      for (std::size_t k = 0; k < count; ++k) {
        const u32 key = 7 + static_cast<u32>(draw()) % range;
        got.push_back({key, key / 3});
      }
      std::vector<item> want = got;
      std::sort(want.begin(), want.end(), [](const item& a, const item& b) { return a.key < b.key; });
      sort_by_key(got, scratch, [](const item& one) { return one.key; });
      ASSERT_EQ(got, want) << count << " keys in a range of " << range;
    }
}

}  // namespace
}  // namespace skerry::test

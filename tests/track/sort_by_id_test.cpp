// SPDX-License-Identifier: Apache-2.0
#include "track/sort_by_id.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace skerry::test {
namespace {

TEST(track_sort_by_id, any_number_of_ids_near_and_far) {
  std::mt19937 draw(5);
  std::vector<track_event> scratch;
  for (const std::size_t count : {0, 1, 2, 256, 257, 5000})
    for (const std::uint32_t range : {1U, 1U << 10, 1U << 21, 0xfffffff0U}) {
      std::vector<track_event> got;
      for (std::size_t k = 0; k < count; ++k)
        got.push_back({track_event_kind::merge, 7 + static_cast<std::uint32_t>(draw()) % range, 0});
      for (track_event& event : got) event.other = event.id / 3;
      std::vector<track_event> want = got;
      std::sort(want.begin(), want.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
      track_steps::sort_by_id(got, scratch);
      ASSERT_EQ(got, want) << count << " ids in a range of " << range;
    }
}

}  // namespace
}  // namespace skerry::test

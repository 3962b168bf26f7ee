// SPDX-License-Identifier: Apache-2.0
// Many objects: more than ever before, and more than a result holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "film.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

TEST(track_capacity, thousands_of_objects_come_and_go) {
  const extent size(160, 160);
  std::vector<mask> frames;
  for (const int n : {0, 5000, 5000, 0, 1, 5000, 2500, 0}) frames.push_back(dots(size, n));
  track_options options = options_for(frames[0]);
  options.capacity = 6400;
  engine on = engine::cpu(2);
  const std::vector<seen_frame> seen = track(on, options, frames);
  EXPECT_EQ(seen[1].result.count, 5000U);
  EXPECT_EQ(seen[1].result.objects[4999].id, 5000U);
  EXPECT_EQ(seen[2].result.happened, 0U);
  EXPECT_EQ(seen[3].result.happened, 5000U);
  EXPECT_EQ(ids_of(seen[4].result), "5001");
  EXPECT_EQ(seen[6].result.objects.size(), 2500U);
  EXPECT_EQ(seen[7].result.happened, 2500U);
  engine oracle = engine::reference();
  frames.resize(4);
  expect_same({seen.begin(), seen.begin() + 4}, track(oracle, options, frames), "5000 objects");
}

TEST(track_capacity, what_does_not_fit_is_said_and_still_tracked) {
  const extent size(8, 40);
  std::vector<mask> frames = {dots(size, 3), dots(size, 50), dots(size, 50), dots(size, 3), dots(size, 50)};
  track_options options = options_for(frames[0]);
  options.capacity = 4;
  for (named_engine& each : each_engine()) {
    const std::vector<seen_frame> seen = track(each.on, options, frames);
    EXPECT_FALSE(seen[0].result.overflow);
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
      const frame_result& result = seen[i].result;
      EXPECT_TRUE(result.overflow) << i;
      EXPECT_EQ(result.count, 50U);
      EXPECT_EQ(result.objects.size(), 4U);
      EXPECT_EQ(result.table.size(), 4U);
      EXPECT_EQ(result.table.moments.size(), 4U);
      EXPECT_EQ(result.table.intensities.size(), 4U);
    }
    EXPECT_EQ(seen[1].result.happened, 47U);
    EXPECT_EQ(seen[1].result.happened_by_kind, (std::array<std::uint64_t, 6>{0, 47, 0, 0, 0, 0}));
    EXPECT_EQ(seen[1].result.events.size(), 8U);
    EXPECT_EQ(seen[2].result.happened, 0U);  // those beyond the capacity had ids all the same
    EXPECT_EQ(seen[3].result.happened, 47U);
    EXPECT_EQ(seen[3].result.happened_by_kind, (std::array<std::uint64_t, 6>{0, 0, 0, 0, 0, 47}));
    EXPECT_TRUE(seen[3].result.overflow);
    EXPECT_EQ(seen[4].result.objects[3].id, 51U);
    EXPECT_EQ(*std::max_element(seen[2].ids.begin(), seen[2].ids.end()), 50U);
  }
}

}  // namespace
}  // namespace skerry::test

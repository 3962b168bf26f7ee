// SPDX-License-Identifier: Apache-2.0
// Rows of small components in one word.
#include <gtest/gtest.h>

#include <random>

#include "core/feature.hpp"
#include "core/short_row.hpp"

namespace skerry::test {
namespace {

// Some pixels of a box: the first and the last of it, and others.
geometry some_of(const extent& box, const i64 (&at)[3], std::mt19937& random, u32 share) {
  geometry g = empty_geometry(box.rank);
  for (i64 z = 0; z < box.depth; ++z)
    for (i64 y = 0; y < box.height; ++y)
      for (i64 x = 0; x < box.width; ++x) {
        const bool corner = z + y + x == 0 || (z == box.depth - 1 && y == box.height - 1 && x == box.width - 1);
        if (!corner && random() % 100 >= share) continue;
        join<3>(g, geometry_of(placed_run{at[0] + z, at[1] + y, at[1] + y + 1, at[2] + x, at[2] + x + 1}),
                join_alone());
      }
  return g;
}

bool fits(const geometry& g, int rank) {
  const i64 side = rank == 2 ? 8 : 4;
  for (int axis = 0; axis < 3; ++axis)
    if (g.max[axis] - g.min[axis] >= side) return false;
  return g.area <= (rank == 2 ? 64 : 32);
}

void expect_there_and_back(const geometry& g, const extent& size) {
  const row_frame frame = frame_of(size);
  const u64 row = short_row(g, frame);
  ASSERT_EQ(is_listed(row), !fits(g, size.rank));
  if (!is_listed(row)) {
    ASSERT_EQ(geometry_of(row, frame), g);
  }
}

TEST(short_rows, keep_all_of_a_small_component) {
  std::mt19937 random(3);
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  for (int round = 0; round < 20000; ++round) {
    const bool plane = round % 2 == 0;
    const extent size = plane ? extent(1 + below(1 << 15), 1 + below(1 << 16))
                              : extent(1 + below(1 << 9), 1 + below(1 << 11), 1 + below(1 << 11));
    const i64 most = plane ? 9 : 5;
    const auto side = [&](i64 of) { return 1 + below(std::min(most, of)); };
    const extent box = plane ? extent(side(size.height), side(size.width))
                             : extent(side(size.depth), side(size.height), side(size.width));
    const i64 at[3] = {below(size.depth - box.depth + 1), below(size.height - box.height + 1),
                       below(size.width - box.width + 1)};
    expect_there_and_back(some_of(box, at, random, 100 - round % 3 * 40), size);
  }
}

TEST(short_rows, have_room_for_the_last_pixel_of_2_to_the_31_and_not_of_more) {
  std::mt19937 random(4);
  for (const extent& size : {extent(1 << 15, 1 << 16), extent(1, INT32_MAX), extent(128, 1 << 12, 1 << 12)}) {
    const i64 last[3] = {size.depth - 1, size.height - 1, size.width - 1};
    expect_there_and_back(some_of(size.rank == 2 ? extent(1, 1) : extent(1, 1, 1), last, random, 100), size);
  }
  const i64 beyond[3] = {0, 1 << 15, 0};
  EXPECT_TRUE(is_listed(short_row(some_of(extent(1, 1), beyond, random, 100), frame_of(extent(1 << 16, 1 << 16)))));
}

TEST(short_rows, of_the_list_have_a_place) {
  EXPECT_TRUE(is_listed(listed_row(0)));
  EXPECT_EQ(place_in_list(listed_row(12345)), 12345U);
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include "core/adjacency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace skerry::test {
namespace {

constexpr std::array connectivities = {4, 8, 6, 18, 26};

// A connectivity is the number of a pixel's neighbours: all within one step on each axis whose squared distance is small.
int neighbours_within(int rank, int squared_distance) {
  int found = 0;
  for (int dz = rank == 3 ? -1 : 0; dz <= (rank == 3 ? 1 : 0); ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int distance = dz * dz + dy * dy + dx * dx;
        found += distance != 0 && distance <= squared_distance ? 1 : 0;
      }
  return found;
}

TEST(core_adjacency, a_connectivity_counts_neighbours) {
  for (const int connectivity : connectivities)
    EXPECT_EQ(neighbours_within(rank_of_connectivity(connectivity), axes_of(connectivity)), connectivity);
  for (int number = -1; number <= 30; ++number)
    if (std::find(connectivities.begin(), connectivities.end(), number) == connectivities.end()) {
      EXPECT_EQ(rank_of_connectivity(number), 0) << number;
    }
}

TEST(core_adjacency, pixels_touch_within_a_squared_distance) {
  for (int axes = 1; axes <= 3; ++axes)
    for (int dz = -2; dz <= 2; ++dz)
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
          const int farthest = std::max({std::abs(dz), std::abs(dy), std::abs(dx)});
          EXPECT_EQ(touch(axes, dz, dy, dx), farthest == 1 && dz * dz + dy * dy + dx * dx <= axes)
              << axes << ": " << dz << ' ' << dy << ' ' << dx;
        }
}

TEST(core_adjacency, rows_hold_all_neighbours_in_raster_order) {
  for (const int connectivity : connectivities) {
    int pixels = 0;
    std::pair<int, int> before{-2, 0};
    each_row_of_neighbours(rank_of_connectivity(connectivity), axes_of(connectivity), [&](int dz, int dy, int reach) {
      EXPECT_LT(before, std::pair(dz, dy));
      before = {dz, dy};
      pixels += 2 * reach + 1;
    });
    EXPECT_EQ(pixels, connectivity + 1) << "with the pixel itself";
  }
}

}  // namespace
}  // namespace skerry::test

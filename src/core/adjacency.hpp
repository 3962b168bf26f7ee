// SPDX-License-Identifier: Apache-2.0
// Which pixels touch, on every engine: two pixels do when they differ by at most 1 on each axis, and on at most so many axes.
//
//   axes        1   2   3
//   planes      4   8
//   volumes     6  18  26
#pragma once
#include "core/portable.hpp"

namespace skerry {

/// Of planes or of volumes; 0 for a number that is no connectivity.
SKERRY_BOTH constexpr int rank_of_connectivity(int connectivity) {
  if (connectivity == 4 || connectivity == 8) return 2;
  return connectivity == 6 || connectivity == 18 || connectivity == 26 ? 3 : 0;
}

/// On how many axes neighbours may differ.
SKERRY_BOTH constexpr int axes_of(int connectivity) {
  if (connectivity == 4 || connectivity == 6) return 1;
  return connectivity == 26 ? 3 : 2;
}

/// How far pixels may differ along two rows that differ by 1 on `moved` axes; below 0: they do not touch.
SKERRY_BOTH constexpr int reach_of(int axes, int moved) { return moved > axes ? -1 : moved < axes ? 1 : 0; }

/// The same for rows that differ by dz and dy.
SKERRY_BOTH constexpr int reach_of(int axes, int dz, int dy) {
  const bool near = dz >= -1 && dz <= 1 && dy >= -1 && dy <= 1;
  return near ? reach_of(axes, (dz != 0) + (dy != 0)) : -1;
}

/// Whether two pixels touch; a pixel does not touch itself.
SKERRY_BOTH constexpr bool touch(int axes, int dz, int dy, int dx) {
  const int reach = reach_of(axes, dz, dy);
  return dx >= -reach && dx <= reach && (dz != 0 || dy != 0 || dx != 0);
}

/// Calls visit(dz, dy, reach) for each row with neighbours of a pixel, in raster order, its own row among them.
template <class Visit>
constexpr void each_row_of_neighbours(int rank, int axes, Visit visit) {
  const int slices = rank == 3 ? 1 : 0;
  for (int dz = -slices; dz <= slices; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      if (const int reach = reach_of(axes, dz, dy); reach >= 0) visit(dz, dy, reach);
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Gaps of a region, which lie between two of its runs in one row, and which of them touch: what holes are made of.
//
// What is not the region is connected by corners. A gap touches the *outside* if it touches what lies before the first run or
// behind the last run of a neighbouring row, or if that row has no runs or lies outside the image.
//
// Of two gaps that touch, the one that begins farther right finds the other: that is the leftmost gap of its row that the first
// one touches. So each gap is united with one gap of each neighbouring row, however long it is.
#pragma once
#include "regions/region_runs.hpp"
#include "skerry/image.hpp"

namespace skerry::regions {

// Of one region.
struct region_holes {
  u64 pixels = 0, holes = 0;
  friend bool operator==(const region_holes&, const region_holes&) = default;
};

// Calls visit(row) for the rows around one, of the same slice and of its neighbours; -1 stands for a row outside the image.
template <class Visit>
SKERRY_BOTH void each_row_around(i64 row, const extent& size, Visit visit) {
  const i64 z = row / size.height, y = row % size.height, reach = size.rank == 3 ? 1 : 0;
  for (i64 other_z = z - reach; other_z <= z + reach; ++other_z)
    for (i64 other_y = y - 1; other_y <= y + 1; ++other_y) {
      if (other_z == z && other_y == y) continue;
      const bool is_inside = other_z >= 0 && other_z < size.depth && other_y >= 0 && other_y < size.height;
      visit(is_inside ? other_z * size.height + other_y : i64{-1});
    }
}

// Runs [first, end) of a list are those of the region, in raster order. A gap has the number of the run behind it; `first`, which
// is no gap, stands for the outside.
struct region_gaps {
  const row_stretch* runs;
  u64 first, end;

  [[nodiscard]] SKERRY_BOTH bool has(u64 gap) const { return gap > first && runs[gap - 1].row == runs[gap].row; }
  [[nodiscard]] SKERRY_BOTH u64 pixels(u64 gap) const { return static_cast<u64>(runs[gap].begin - runs[gap - 1].end); }

  // Calls unite(gap, other) for what a gap is to be united with in a neighbouring row. Run `next` is the first one of that row that
  // does not begin before the gap, or the first one behind that row.
  template <class Unite>
  SKERRY_BOTH void join(u64 gap, i64 row, u64 next, Unite unite) const {
    const i32 stop = runs[gap].begin;
    const bool has_before = next > first && runs[next - 1].row == row;
    if (has_before && runs[next - 1].end > stop) return;  // that run covers the gap
    if (!has_before || !is_in(next, row)) return unite(gap, first);
    unite(gap, next);
    if (runs[next].end > stop) return;
    const u64 behind =
        first_near(next + 1, end, [&](const row_stretch& run) { return run.row != row || run.end > stop; });
    if (!is_in(behind, row)) unite(gap, first);  // it touches what lies behind the last run
  }

  // The same of all neighbouring rows, which are searched for.
  template <class Unite>
  SKERRY_BOTH void join_around(u64 gap, const extent& size, Unite unite) const {
    const i64 own = runs[gap].row;
    const i32 begin = runs[gap - 1].end;
    each_row_around(own, size, [&](i64 row) {
      const bool is_earlier = row < own;
      const u64 next = first_of(is_earlier ? first : gap + 1, is_earlier ? gap : end, [&](const row_stretch& run) {
        return run.row > row || (run.row == row && run.begin >= begin);
      });
      join(gap, row, next, unite);
    });
  }

 private:
  [[nodiscard]] SKERRY_BOTH bool is_in(u64 run, i64 row) const { return run < end && runs[run].row == row; }

  // The first of runs [from, to) that is so, or `to`; those behind it are, too.
  template <class IsSo>
  [[nodiscard]] SKERRY_BOTH u64 first_of(u64 from, u64 to, IsSo is_so) const {
    while (from < to) {
      const u64 middle = from + (to - from) / 2;
      if (is_so(runs[middle])) to = middle;
      else from = middle + 1;
    }
    return from;
  }
  // The same where it is probably one of the next runs. On a device, bisection has as many steps for each thread of a warp.
  template <class IsSo>
  [[nodiscard]] SKERRY_BOTH u64 first_near(u64 from, u64 to, IsSo is_so) const {
#ifndef __CUDA_ARCH__
    u64 at = from;
    for (u64 step = 1; at < to && !is_so(runs[at]); step *= 2) {
      from = at + 1;
      at += step;
    }
    if (at < to) to = at;
#endif
    return first_of(from, to, is_so);
  }
};

}  // namespace skerry::regions

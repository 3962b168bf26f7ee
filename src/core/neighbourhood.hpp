// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/adjacency.hpp"
#include "core/bit_row.hpp"

namespace skerry {

// The rows before (z, y) that can hold neighbours of its pixels, as (dz, dy): every connectivity looks at some of them.
struct earlier_rows {
  row_cursor above;       // (0, -1)
  row_cursor back_above;  // (-1, -1)
  row_cursor back;        // (-1, 0)
  row_cursor back_below;  // (-1, +1)
};

// One bit for each pair of touching runs of a row and one of those before it.
struct earlier_pairs {
  u64 above = 0, back_above = 0, back = 0, back_below = 0;
};

// Which rows touch, and the pairs of runs of a row and those before it; `Axes` as in adjacency.hpp.
template <int Rank, int Axes>
struct neighbourhood {
  static_assert(Rank == 2 || Rank == 3);
  static_assert(1 <= Axes && Axes <= Rank);
  static constexpr int rank = Rank;
  static constexpr int axes = Axes;

  // A pair is left out when other pairs imply it: when a pixel of a third row touches both its pixels. In each rule below the third row's
  // two contacts are pairs themselves, or implied by rows nearer the beginning, so nothing is lost.
  SKERRY_BOTH static earlier_pairs pairs_of(const earlier_rows& rows, const row_cursor& row) {
    earlier_pairs pairs;
    if constexpr (Rank == 2) {
      pairs.above = touching_pairs<reach_of(Axes, 1)>(rows.above, row);
    } else if constexpr (Axes == 1) {
      // back and back_above at p: this row touches back, back touches back_above, back_above touches above.
      pairs.above = touching_pairs<0>(rows.above, row) & ~(rows.back.now & rows.back_above.now);
      pairs.back = touching_pairs<0>(rows.back, row);
    } else {
      const u64 near_back = rows.back.now | rows.back.before;
      const u64 near_above = rows.above.now | rows.above.before;
      const u64 above_pairs = touching_pairs<1>(rows.above, row);
      pairs.back = touching_pairs<1>(rows.back, row);
      if constexpr (Axes == 2) {
        // back touches above only straight: the witness stands where above's pixel is, which is at p, or else at p - 1.
        const u64 straight = (rows.above.now & rows.back.now) | (~rows.above.now & rows.back.before);
        pairs.above = above_pairs & ~straight;
        pairs.back_above = touching_pairs<0>(rows.back_above, row) & ~(near_back | near_above);
        pairs.back_below = touching_pairs<0>(rows.back_below, row) & ~near_back;
      } else {
        pairs.above = above_pairs & ~near_back;
        pairs.back_above = touching_pairs<1>(rows.back_above, row) & ~(near_back | near_above);
        pairs.back_below = touching_pairs<1>(rows.back_below, row) & ~near_back;
      }
    }
    return pairs;
  }
};

using near_4 = neighbourhood<2, 1>;
using near_8 = neighbourhood<2, 2>;
using near_6 = neighbourhood<3, 1>;
using near_18 = neighbourhood<3, 2>;
using near_26 = neighbourhood<3, 3>;

// Calls work.operator()<Near>() for 4, 8, 6, 18 or 26.
template <class Work>
auto with_neighbourhood(int connectivity, Work work) {
  switch (connectivity) {
    case 4: return work.template operator()<near_4>();
    case 8: return work.template operator()<near_8>();
    case 6: return work.template operator()<near_6>();
    case 18: return work.template operator()<near_18>();
    default: return work.template operator()<near_26>();
  }
}

}  // namespace skerry

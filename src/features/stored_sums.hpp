// SPDX-License-Identifier: Apache-2.0
// What a group knows of the regions of blocks, as plain numbers: blocks join without the group, and travel as bytes.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/portable.hpp"
#include "regions/medians.hpp"
#include "regions/power_parts.hpp"
#include "skerry/image.hpp"

namespace skerry::features {

using regions::sums_anchor;

// Where an image that was walked lies in the whole image.
struct block_origin {
  extent walked, whole;
  i64 z, y, x;

  // The number of a row, z · height + y.
  [[nodiscard]] i64 row_in_whole(i64 row) const {
    return (row / walked.height + z) * whole.height + row % walked.height + y;
  }
};

// Pixels [begin, end) of row z · height + y of the whole image, of one region.
struct stored_stretch {
  i64 row;
  u32 region;
  i32 begin, end;
  u32 unused = 0;  // rows travel as they lie in memory

  friend bool operator<(const stored_stretch& a, const stored_stretch& b) {
    if (a.region != b.region) return a.region < b.region;
    return a.row != b.row ? a.row < b.row : a.begin < b.begin;
  }
};

struct stored_sums {
  // Of each region `numbers` integers in two's complement, of `words` words each.
  u32 numbers = 0, words = 1;
  std::vector<u64> sums;
  std::vector<sums_anchor> anchors;  // of each region, or none
  // In order, apart from each other: those of a row that touch are one; with `spans`, all of a region's row are.
  u8 spans = 0;
  std::vector<stored_stretch> stretches;
  std::vector<regions::value_count> values;  // in order, each once

  [[nodiscard]] u64 memory() const;
};

// The rows that the regions of two lists have in the joined one; both ascend, and so do those of the joined list.
struct joined_rows {
  std::vector<u32> first, second;
  std::size_t count;
};

// Throws invalid_argument where the anchors of a region differ.
[[nodiscard]] stored_sums joined(const stored_sums& a, const stored_sums& b, const joined_rows& rows);

// Brings stretches that were gathered in any order into that of stored_sums.
void settle(std::vector<stored_stretch>& stretches, bool spans);

}  // namespace skerry::features

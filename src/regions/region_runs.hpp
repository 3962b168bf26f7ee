// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "core/feature.hpp"

namespace skerry::regions {

// Runs of a group of equal rows that are no background, each with the number of its region.
struct region_runs {
  struct run {
    u32 begin, end, number;
  };
  i64 z, top, bottom;
  std::span<const run> runs;

  // Calls visit(run, number).
  template <class Visit>
  void each(Visit visit) const {
    for (const run& each : runs) visit(placed_run{z, top, bottom, i64{each.begin}, i64{each.end}}, each.number);
  }
};

// Pixels [begin, end) of row z · height + y.
struct row_stretch {
  i64 row;
  i32 begin, end;
};

// All runs of an image that are no background, row after row.
struct image_runs {
  std::vector<region_runs::run> runs;
  std::vector<u64> first;  // of each row, and the end

  [[nodiscard]] std::span<const region_runs::run> of(i64 row) const {
    const auto at = static_cast<std::size_t>(row);
    return std::span(runs).subspan(first[at], first[at + 1] - first[at]);
  }
};

}  // namespace skerry::regions

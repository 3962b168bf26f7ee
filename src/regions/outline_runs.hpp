// SPDX-License-Identifier: Apache-2.0
// A label image as runs of equal labels, which is all that outlines need of it.
#pragma once
#include <vector>

#include "core/portable.hpp"
#include "engine/engine_state.hpp"
#include "skerry/outline.hpp"

namespace skerry::regions {

// A stretch of equal labels in a row; it ends where the next one begins.
struct outline_run {
  u64 order;       // of its label; only of a region
  u32 begin;       // its first column
  bool is_region;  // neither background nor outside of the image
};

[[nodiscard]] constexpr bool same_region(const outline_run& a, const outline_run& b) {
  return a.is_region && b.is_region && a.order == b.order;
}

// Groups of equal rows from top to bottom, each with its runs, and behind them one that is outside and begins at the width.
struct outline_runs {
  std::vector<outline_run> runs;
  std::vector<i64> tops;    // the first row of each group, and then the height
  std::vector<u64> firsts;  // the first run of each group, and then the number of runs

  [[nodiscard]] std::size_t groups() const { return tops.size() - 1; }
};

// Reads an image that has pixels.
[[nodiscard]] outline_runs read_runs(engine::state& on, const outline_request& asked);

}  // namespace skerry::regions

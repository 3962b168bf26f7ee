// SPDX-License-Identifier: Apache-2.0
// The sides of runs, and which follows which along the outlines.
//
// A run of a region has a left side, number 2 · run, which its outline goes up, and a right side, 2 · run + 1, which it goes
// down: the region is on the right hand. All rows of a group share their sides.
#pragma once
#include <vector>

#include "regions/outline_runs.hpp"

namespace skerry::regions {

struct outline_sides {
  std::vector<u64> component;  // of each run: the first run of its polygon
  std::vector<u64> next;       // of each side of a region: the one that follows
};

[[nodiscard]] constexpr u64 left_side(u64 run) { return 2 * run; }
[[nodiscard]] constexpr u64 right_side(u64 run) { return 2 * run + 1; }
[[nodiscard]] constexpr bool is_right(u64 side) { return side % 2 != 0; }

[[nodiscard]] outline_sides join_sides(engine::state& on, const outline_runs& image, int connectivity);

}  // namespace skerry::regions

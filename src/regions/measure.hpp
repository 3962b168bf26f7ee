// SPDX-License-Identifier: Apache-2.0
// Shares of a label image: each thread measures the rows of its own, and their tables are joined.
#pragma once
#include <vector>

#include "engine/engine_state.hpp"
#include "regions/label_slots.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

// Rows [begin, end) of an image, and the regions that have pixels in them.
struct measured_share {
  measured_share(i64 first, i64 last, u64 dense) : begin(first), end(last), slots(dense) {}

  i64 begin, end;
  label_slots slots;
  feature_table table;         // the row of each slot
  std::vector<u32> ascending;  // slots by label
};

// Measures the rows of a share.
void measure_share(const region_request& asked, measured_share& share);

// Joins shares that have been measured, in ascending order of labels; rows of the first may move to the table.
void join_shares(engine::state& on, const region_request& asked, std::vector<measured_share>& shares,
                 region_table& table);

// The row of a label that has no pixels.
[[nodiscard]] geometry geometry_of_nothing();

}  // namespace skerry::regions

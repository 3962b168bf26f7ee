// SPDX-License-Identifier: Apache-2.0
// The table of a small label image as a device gives it: by label, with gaps. The host makes a region_table of it.
#pragma once
#include <span>

#include "core/short_row.hpp"
#include "engine/engine_state.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

/// Of a label that the image does not have.
inline constexpr u64 no_short_row = ~u64{0};

struct small_table {
  u64* end;        // the largest label and one more
  u64* words;      // [end] a short row of each label, the place of its row in the list, or no_short_row
  geometry* list;  // rows that are not short, in any order
};

/// Rows of the labels that there are, in ascending order, with the threads of the engine.
void take_rows(engine::state& on, const small_table& from, const row_frame& frame, region_table& table);

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// What follows from the choice of columns, for whole images as for blocks.
#pragma once
#include <vector>

#include "engine/engine_state.hpp"
#include "features/choice.hpp"
#include "features/walk.hpp"

namespace skerry::features {

[[nodiscard]] bool wants(const std::vector<chosen_column>& columns, const feature_group& group);

// Which rows of regions columns need besides the geometry.
struct wanted_rows {
  bool moments, intensities;
};
// `has_reals` when an image of intensities is summed as reals.
[[nodiscard]] wanted_rows rows_for(const std::vector<chosen_column>& columns, bool has_reals);

// Groups that have sums, once for each channel, in the order of the table.
[[nodiscard]] std::vector<walked_group> groups_with_sums(const std::vector<chosen_column>& columns);

// The values of a column, in pieces of regions on all threads.
void fill_column(engine::state& on, const column_source& from, const chosen_column& chosen, table_column& to);

}  // namespace skerry::features

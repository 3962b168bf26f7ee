// SPDX-License-Identifier: Apache-2.0
// What follows from the choice of columns, for whole images as for blocks.
#pragma once
#include <vector>

#include "engine/engine_state.hpp"
#include "features/choice.hpp"
#include "features/walk.hpp"

namespace skerry::features {

[[nodiscard]] bool wants(const std::vector<chosen_column>& columns, const feature_group& group);

// The images of intensities, whether they are numbered or one. Throws invalid_argument when both are given.
[[nodiscard]] std::vector<image_view> channels_of(const column_request& asked);

// Throws invalid_argument for bounds that hold no value.
void check_bounds(const std::vector<column_bounds>& bounds);

// The columns of a request. `of` is what is measured, and `name` what the caller calls it. Throws invalid_argument for a spacing,
// an image of intensities or a name that cannot be.
[[nodiscard]] std::vector<chosen_column> checked_columns(const std::string& name, const image_view& of,
                                                         const column_request& asked);

// The rows of regions that these columns need.
[[nodiscard]] region_request regions_asked(const image_view& labels, const column_request& asked,
                                           const std::vector<chosen_column>& columns);

// Groups that have sums, once for each channel, in the order of the table.
[[nodiscard]] std::vector<walked_group> groups_with_sums(const std::vector<chosen_column>& columns);

// Fills the columns of `to`, which have names and types, on all threads. `sums` belong to the first sums.size() of `groups`.
void fill_columns(engine::state& on, const std::vector<region_frame>& frames, const std::vector<walked_group>& groups,
                  const sums_of_groups& sums, const std::vector<chosen_column>& columns, std::vector<table_column>& to);

}  // namespace skerry::features

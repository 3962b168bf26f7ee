// SPDX-License-Identifier: Apache-2.0
// The one pass over a label image that all groups share.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine_state.hpp"
#include "features/group.hpp"
#include "regions/region_runs.hpp"

namespace skerry::features {

// A group that has sums, and what it reads.
struct walked_group {
  const feature_group* group;
  std::size_t channel;
};

// Pixels from `begin` to before `end` on each axis: z, y, x.
struct walked_part {
  i64 begin[3], end[3];
};

struct walk_job {
  const image_view& labels;
  const skerry::background& background;
  const std::vector<image_view>& channels;
  const std::vector<region_frame>& frames;  // of each channel, or one
  std::vector<walked_group> groups;
  // Of a block with the pixels around it: the block alone, which the channels are of, too.
  std::optional<walked_part> part = {};
};

using sums_of_groups = std::vector<std::unique_ptr<feature_sums>>;

// The sums of each group over the image, or the part of it.
[[nodiscard]] sums_of_groups sum_rows(engine::state& on, const walk_job& job);

// To be called when all that there is of the regions is in.
void finish(engine::state& on, const region_frame& frame, feature_sums& sums);

// The sums of each group over the whole image, finished.
[[nodiscard]] sums_of_groups walk(engine::state& on, const walk_job& job);

// The same of a group that needs runs alone, from those of the whole image.
[[nodiscard]] std::unique_ptr<feature_sums> sum_runs(engine::state& on, const region_frame& frame,
                                                     const feature_group& group, const regions::image_runs& runs);

}  // namespace skerry::features

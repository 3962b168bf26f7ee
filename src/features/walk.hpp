// SPDX-License-Identifier: Apache-2.0
// The one pass over a label image that all groups share.
#pragma once
#include <memory>
#include <vector>

#include "engine/engine_state.hpp"
#include "features/group.hpp"

namespace skerry::features {

// A group that has sums, and what it reads.
struct walked_group {
  const feature_group* group;
  std::size_t channel;
};

struct walk_job {
  const image_view& labels;
  const skerry::background& background;
  const std::vector<image_view>& channels;
  const std::vector<region_frame>& frames;  // of each channel, or one
  std::vector<walked_group> groups;
};

using sums_of_groups = std::vector<std::unique_ptr<feature_sums>>;

// The sums of each group over the whole image, joined and finished.
[[nodiscard]] sums_of_groups walk(engine::state& on, const walk_job& job);

}  // namespace skerry::features

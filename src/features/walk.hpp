// SPDX-License-Identifier: Apache-2.0
// The one pass over a label image that all groups share.
#pragma once
#include <memory>
#include <vector>

#include "engine/engine_state.hpp"
#include "features/group.hpp"

namespace skerry::features {

struct walk_job {
  const image_view& labels;
  const skerry::background& background;
  const image_view& intensity;
  const region_frame& frame;
  std::vector<const feature_group*> groups;  // that have sums
};

using sums_of_groups = std::vector<std::unique_ptr<feature_sums>>;

// The sums of each group over the whole image, joined and finished.
[[nodiscard]] sums_of_groups walk(engine::state& on, const walk_job& job);

}  // namespace skerry::features

// SPDX-License-Identifier: Apache-2.0
// Sums of groups on a CUDA engine: patterns, powers and holes end there; of other groups, those of runs that the device finds, on the host.
#pragma once
#include <vector>

#include "features/walk.hpp"

namespace skerry::features {

// The sums of each group over the whole image, finished; `patterns` are those of a plane, counted before.
[[nodiscard]] sums_of_groups sums_on_cuda(engine::state& on, const walk_job& job,
                                          const std::vector<regions::plane_patterns>& patterns);

}  // namespace skerry::features

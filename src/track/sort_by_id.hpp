// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "skerry/track.hpp"

namespace skerry::track_steps {

// Sorts events, thousands of them digit by digit. `scratch` may hold anything.
void sort_by_id(std::vector<track_event>& events, std::vector<track_event>& scratch);

}  // namespace skerry::track_steps

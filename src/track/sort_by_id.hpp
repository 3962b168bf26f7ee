// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "skerry/track.hpp"

namespace skerry::track_steps {

// Sorts events by id: up to 256 by comparison, more by radix, 10 bits at a time. The contents of `scratch` do not matter and are
// overwritten.
void sort_by_id(std::vector<track_event>& events, std::vector<track_event>& scratch);

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
// Everything that a caller of a tracker can get wrong. Each throws invalid_argument.
#pragma once
#include "skerry/track.hpp"

namespace skerry::track_steps {

void check(const track_options& options);
void check_frame(const image_view& frame, const track_options& options);

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
// Calls that label an image of rank 1, as those that label a plane of one row.
#pragma once
#include "skerry/measure.hpp"

namespace skerry {

// Both throw invalid_argument for what only other images have.
[[nodiscard]] label_request request_in_plane(const label_request& asked);
[[nodiscard]] label_outputs outputs_in_plane(const label_outputs& outputs);

}  // namespace skerry

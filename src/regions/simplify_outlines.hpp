// SPDX-License-Identifier: Apache-2.0
// Outlines with fewer vertices.
#pragma once
#include "engine/engine_state.hpp"
#include "regions/outline_rings.hpp"

namespace skerry::regions {

/// Simplifies rings whose vertices are where they turn, as outline_request::simplify says.
void simplify_outlines(engine::state& on, const outline_runs& image, double tolerance, outline_rings& rings);

}  // namespace skerry::regions

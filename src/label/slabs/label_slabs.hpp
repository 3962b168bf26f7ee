// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/engine_state.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// Whether a call on one image, which has been checked, is cut into slabs: that of an engine of several devices, on an image
/// that is large enough, if not all of it is one device's work.
[[nodiscard]] bool takes_slabs(const engine::state& on, const label_request& asked, const label_outputs& out);

/// Such a call.
std::uint64_t label_in_slabs(engine::state& on, const label_request& asked, const label_outputs& out);

}  // namespace skerry

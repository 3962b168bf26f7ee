// SPDX-License-Identifier: Apache-2.0
// The blocking calls on the CUDA engine: results are in the caller's memory when they return.
#pragma once
#include <cstdint>

#include "engine/engine_state.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// Labels and measures an image that lies in host or device memory.
/// Throws invalid_argument for what the CUDA engine cannot number; label_overflow; out_of_memory; device_error.
std::uint64_t run_on_cuda(engine::state& on, const label_request& asked, const label_outputs& out);

}  // namespace skerry

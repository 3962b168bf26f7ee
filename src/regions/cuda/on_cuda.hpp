// SPDX-License-Identifier: Apache-2.0
// Given label images on the CUDA engine: results are in the caller's memory when a call returns.
#pragma once
#include "engine/engine_state.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

/// Whether an image lies where only a device can read it.
[[nodiscard]] bool is_on_device(const image_view& image);

/// Measures all regions of a label image that has pixels, in host or device memory; a row for each label, in ascending order.
/// Throws invalid_argument for more labels than the CUDA engine can number; out_of_memory; device_error.
void measure_on_cuda(engine::state& on, const region_request& asked, region_table& table);

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// The blocking calls on the CUDA engine: results are in the caller's memory when they return.
#pragma once
#include <cstdint>
#include <memory>

#include "engine/job_scratch.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// Labels and measures an image that lies in host or device memory; `labels` and `table` may be left out.
/// Throws invalid_argument for what the CUDA engine does not do; label_overflow; out_of_memory; device_error.
std::uint64_t run_on_cuda(std::unique_ptr<job_scratch>& scratch, int device, const image_view& image,
                          const label_options& options, const mutable_image& labels, feature_table* table);

}  // namespace skerry

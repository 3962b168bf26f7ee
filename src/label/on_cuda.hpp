// SPDX-License-Identifier: Apache-2.0
// The blocking calls on the CUDA engine: results are in the caller's memory when they return.
#pragma once
#include <cstdint>
#include <memory>

#include "engine/engine_state.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// Where the results of a call go; each may be left out.
struct device_outputs {
  mutable_image labels;
  std::vector<labelled_run>* runs = nullptr;
  feature_table* table = nullptr;
  measure_options features;
};

/// Labels and measures an image that lies in host or device memory.
/// Throws invalid_argument for what the CUDA engine cannot number; label_overflow; out_of_memory; device_error.
std::uint64_t run_on_cuda(engine::state& on, const image_view& image, const label_options& options,
                          const device_outputs& out);

}  // namespace skerry

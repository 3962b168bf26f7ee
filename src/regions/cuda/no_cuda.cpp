// SPDX-License-Identifier: Apache-2.0
// In place of the CUDA engine in a build without it: there is no way to get one.
#include "regions/cuda/on_cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {

bool is_on_device(const image_view&) { return false; }

void measure_on_cuda(engine::state&, const region_request&, region_table&) {
  throw device_error("engine cuda: this build has no CUDA engine");
}

}  // namespace skerry::regions

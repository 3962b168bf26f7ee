// SPDX-License-Identifier: Apache-2.0
// In place of the CUDA engine in a build without it: there is no way to get one.
#include "max_tree/cuda/frames.hpp"
#include "max_tree/cuda/on_cuda.hpp"
#include "skerry/error.hpp"

namespace skerry {

std::int64_t build_on_cuda(engine::state&, const image_view&, const tree_options&, tree_parts&) {
  throw device_error("engine cuda: this build has no CUDA engine");
}

std::unique_ptr<frames_on_device> make_frames_on_device(const engine::state&, const tree_stream_options&) {
  throw device_error("engine cuda: this build has no CUDA engine");
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// In place of cuda_work.cu in a build without CUDA: no engine of that kind can be made.
#include "skerry/error.hpp"
#include "track/cuda_work.hpp"

namespace skerry::track_steps {

std::unique_ptr<frame_work> make_cuda_work(engine&, int, const track_options&) {
  throw device_error("engine cuda: this build has no CUDA engine");
}

}  // namespace skerry::track_steps

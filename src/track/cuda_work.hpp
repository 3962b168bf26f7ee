// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "track/frame_work.hpp"

namespace skerry::track_steps {

// Work on a device, as make_host_work() in host memory; `on` labels images there. Throws device_error, out_of_memory.
[[nodiscard]] std::unique_ptr<frame_work> make_cuda_work(engine& on, int device, const track_options& options);

}  // namespace skerry::track_steps

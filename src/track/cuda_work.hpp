// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "track/frame_work.hpp"

namespace skerry::track_steps {

// Work of a CUDA engine, as make_host_work() of the others. Throws device_error, out_of_memory.
[[nodiscard]] std::unique_ptr<frame_work> make_cuda_work(engine& on, const track_options& options);

}  // namespace skerry::track_steps

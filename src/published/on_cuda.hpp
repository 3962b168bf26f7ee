// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "published/published.hpp"

namespace skerry::published {

/// run() for a method on the CUDA engine; image and labels may lie in host or in device memory.
/// Throws out_of_memory; device_error.
std::uint64_t run_on_cuda(engine::state& on, const image_view& image, const label_options& options, const outputs& out);

}  // namespace skerry::published

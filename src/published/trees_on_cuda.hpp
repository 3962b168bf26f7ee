// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "published/trees.hpp"

namespace skerry::published {

/// build() for a method on the CUDA engine; the image may lie in host or in device memory.
/// Throws out_of_memory; device_error.
void build_on_cuda(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree);

}  // namespace skerry::published

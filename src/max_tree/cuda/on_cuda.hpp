// SPDX-License-Identifier: Apache-2.0
// The blocking calls on the CUDA engine: the tree is in the caller's memory when they return.
#pragma once
#include "engine/engine_state.hpp"
#include "skerry/max_tree.hpp"

namespace skerry {

/// Builds the tree of an image that lies in host or device memory and has pixels. Returns the raster index of the first
/// NaN, or -1; with a NaN the tree is of no use. Throws out_of_memory; device_error.
std::int64_t build_on_cuda(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree);

}  // namespace skerry

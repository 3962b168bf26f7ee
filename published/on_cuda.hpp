// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "engine/engine_state.hpp"
#include "skerry/max_tree.hpp"
#include "skerry/measure.hpp"

namespace skerry::published {

/// Labels and measures by a method on the CUDA engine; image and labels may lie in host or in device memory.
/// Throws label_overflow; out_of_memory; device_error.
std::uint64_t run_on_cuda(engine::state& on, std::string_view by, const label_request& asked, const label_outputs& out);

/// Builds a tree by a method on the CUDA engine; the image may lie in host or in device memory.
/// Throws out_of_memory; device_error.
void build_on_cuda(engine::state& on, std::string_view by, const image_view& image, tree_parts& tree);

}  // namespace skerry::published

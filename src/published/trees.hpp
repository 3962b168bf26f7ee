// SPDX-License-Identifier: Apache-2.0
// The other door of this room: the driver of `max_tree` calls a published method here.
#pragma once
#include "engine/engine_state.hpp"
#include "skerry/max_tree.hpp"

namespace skerry::published {

/// Throws invalid_argument when there is no such method, or when it cannot do this job; names the method and its limit.
void check(engine_kind on, const image_view& image, const tree_options& options);

/// Builds the tree of an image, with pixels, whose arguments have been checked. Kind, connectivity, type and size of `tree`
/// are those of the job already.
/// Throws out_of_memory; device_error.
void build(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree);

}  // namespace skerry::published

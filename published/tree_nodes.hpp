// SPDX-License-Identifier: Apache-2.0
// The way from the parent image of a published method to numbered nodes, which is not its own work and not counted as such.
#pragma once
#include "core/portable.hpp"
#include "skerry/max_tree.hpp"

namespace skerry::published {

/// In an image of parents: the root has none.
inline constexpr u32 no_parent = ~u32{0};

/// Numbers the nodes of a tree of u8 levels, with pixels, whose kind and size are there already.
///
///   parents  of each pixel: one chosen pixel of its node, whichever that is; of a chosen pixel: the one of the node below
///   levels   of each pixel
///
/// Cost: three passes over the pixels, on one thread.
void number_nodes(const u32* parents, const u8* levels, tree_parts& tree);

}  // namespace skerry::published

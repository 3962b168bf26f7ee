// SPDX-License-Identifier: Apache-2.0
// Blocks that are given with the pixels around them.
#pragma once
#include "blocks/boxes.hpp"
#include "skerry/blocks.hpp"

namespace skerry::blocks {

/// The block within the image of its labels. Throws invalid_argument when that has not the size of a block at `placed` and a halo of
/// so many pixels, fewer where the image ends before.
[[nodiscard]] box block_in_halo(const extent& labels, const extent& whole, const box& placed, i64 halo);

/// The pixels of the block itself.
[[nodiscard]] image_view without_halo(const image_view& labels, const box& block);

}  // namespace skerry::blocks

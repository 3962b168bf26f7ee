// SPDX-License-Identifier: Apache-2.0
// Where a row of regions differs from what is around it, so that the inner parts of regions cost a comparison.
#pragma once
#include <cstddef>

#include "core/portable.hpp"

namespace skerry::features {

// The rows may be read from one place before the first on. Places are written in ascending order, and there is room for all;
// returns how many there are.

// The places x < count at which the pixels at x and x - 1 of two rows are not all of the same region.
std::size_t find_windows(const u32* above, const u32* below, std::size_t count, u32* places);

// The places x < count of pixels of a row that differ from one of their four neighbours. The row may be read at `count`, too.
std::size_t find_borders(const u32* const (&rows)[3], std::size_t count, u32* places);

}  // namespace skerry::features

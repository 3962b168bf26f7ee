// SPDX-License-Identifier: Apache-2.0
// Where the runs of equal labels of a row begin.
#pragma once
#include <cstddef>

#include "core/portable.hpp"

namespace skerry::regions {

// Writes the place of each label that is not equal to the one before it, the first included, and then the width. Returns the number
// of runs. `starts` has room for width + 1 places; the width is not 0.
std::size_t find_starts(const u8* row, std::size_t width, u32* starts);
std::size_t find_starts(const u16* row, std::size_t width, u32* starts);
std::size_t find_starts(const u32* row, std::size_t width, u32* starts);
std::size_t find_starts(const u64* row, std::size_t width, u32* starts);

}  // namespace skerry::regions

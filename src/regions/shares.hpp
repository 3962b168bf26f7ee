// SPDX-License-Identifier: Apache-2.0
// How the rows of an image are dealt to threads.
#pragma once
#include <limits>
#include <vector>

#include "core/portable.hpp"
#include "engine/engine_state.hpp"
#include "skerry/image.hpp"

namespace skerry::regions {

// Rows z · height + y.
struct row_range {
  i64 begin, end;
};

// One range for each thread that is worth waking, and no more than are useful; but none has more than 2^31 pixels, unless it is one
// row, so that 32 bits number what is in it.
[[nodiscard]] std::vector<row_range> split_rows(const engine::state& on, const extent& size,
                                                i64 useful = std::numeric_limits<i64>::max());

}  // namespace skerry::regions

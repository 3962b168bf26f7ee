// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "skerry/measure.hpp"

namespace skerry::bench {

/// Geometry, and second moments in y and x if the table has them, must be those summed pixel by pixel over `labels`.
/// Throws std::runtime_error with `who` and what differs.
void require_right_table(const std::string& who, const std::uint32_t* labels, const extent& size,
                         const feature_table& table);

}  // namespace skerry::bench

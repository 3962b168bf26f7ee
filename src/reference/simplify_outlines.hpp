// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "skerry/outline.hpp"

namespace skerry::reference {

/// Outlines of regions with fewer vertices, as outline_request::simplify says.
///   owner  of each pixel in raster order: its region, from 1; 0 is background
///   table  outlines whose vertices are where they turn; replaced
void simplify_outlines(const std::vector<std::size_t>& owner, const extent& size, double tolerance,
                       outline_table& table);

}  // namespace skerry::reference

// SPDX-License-Identifier: Apache-2.0
// Exact geometry of shortcuts: lines that take the place of a part of an arc.
#pragma once
#include <span>

#include "core/exact_number.hpp"
#include "skerry/outline.hpp"

namespace skerry::regions {

struct farthest_point {
  std::size_t index;
  double squared_distance;  // from the line, exact before one division
};

/// Of the points between the first and the last, the one that is farthest from the line between these two; of several the first in
/// raster order. There is at least one.
[[nodiscard]] farthest_point find_farthest(std::span<const corner> points);

/// Whether lines a b and c d share a point that is not an end of both.
[[nodiscard]] bool lines_touch(const corner& a, const corner& b, const corner& c, const corner& d);

/// Whether a point lies between a part of an arc and the line from its first to its last point: inside the loop of both, by the
/// even-odd rule. It is on neither.
[[nodiscard]] bool lies_between(const corner& point, std::span<const corner> points);

}  // namespace skerry::regions

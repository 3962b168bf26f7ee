// SPDX-License-Identifier: Apache-2.0
#include "regions/shares.hpp"

#include <algorithm>

namespace skerry::regions {

std::vector<row_range> split_rows(const engine::state& on, const extent& size, i64 useful) {
  constexpr i64 most_pixels = i64{1} << 31;
  const i64 pixels = size.pixels(), rows = size.rows();
  const i64 most_shares = std::min({i64{on.threads}, rows, useful});
  i64 count = std::clamp<i64>(pixels / on.least_pixels_per_strip, 1, std::max<i64>(most_shares, 1));
  count = std::min(rows, std::max(count, 2 * pixels / most_pixels));  // twice, since rows are dealt whole
  std::vector<row_range> ranges;
  for (i64 s = 0; s < count; ++s) ranges.push_back({rows * s / count, rows * (s + 1) / count});
  return ranges;
}

}  // namespace skerry::regions

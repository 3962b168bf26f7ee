// SPDX-License-Identifier: Apache-2.0
// Which rows touch which, and how an image is cut into strips.
#include <algorithm>
#include <cstdlib>

#include "max_tree/stages.hpp"

namespace skerry::tree_stages {

std::vector<row_range> cut(const extent& size, i64 pixels) {
  const i64 rows = size.rows(), each = std::max<i64>(1, pixels / std::max<i64>(1, size.width));
  std::vector<row_range> ranges;
  for (i64 begin = 0; begin < rows; begin += each) ranges.push_back({begin, std::min(rows, begin + each)});
  return ranges;
}

neighbourhood_rows::neighbourhood_rows(const extent& size, int connectivity) : size_(size) {
  const bool straight = connectivity == 4 || connectivity == 6;
  const i64 slices = size.rank == 3 ? 1 : 0;
  for (i64 dz = -slices; dz <= slices; ++dz)
    for (i64 dy = -1; dy <= 1; ++dy) {
      const i64 moved = std::abs(dz) + std::abs(dy);
      if (straight && moved > 1) continue;
      rows_[count_++] = {dz, dy, (dz * size.height + dy) * size.width, straight && moved == 1 ? 0 : 1};
    }
}

i64 neighbourhood_rows::row_number(i64 from, const row& to) const {
  const i64 z = from / size_.height + to.dz, y = from % size_.height + to.dy;
  return 0 <= z && z < size_.depth && 0 <= y && y < size_.height ? z * size_.height + y : -1;
}

}  // namespace skerry::tree_stages

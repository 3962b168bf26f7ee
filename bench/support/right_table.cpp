// SPDX-License-Identifier: Apache-2.0
#include "support/right_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace skerry::bench {
namespace {

// 64 bits are enough: images of benches have sides below 2^16, so 2^32 pixels of products below 2^32.
struct plain_moments {
  std::uint64_t yy = 0, yx = 0, xx = 0;
};

void add(geometry& to, const std::int64_t (&at)[3]) {
  ++to.area;
  for (int axis = 0; axis < 3; ++axis) {
    to.sum[axis] += static_cast<std::uint64_t>(at[axis]);
    to.min[axis] = std::min(to.min[axis], static_cast<std::int32_t>(at[axis]));
    to.max[axis] = std::max(to.max[axis], static_cast<std::int32_t>(at[axis]));
  }
}

}  // namespace

void require_right_table(const std::string& who, const std::uint32_t* labels, const extent& size,
                         const feature_table& table) {
  std::vector<geometry> right(table.size());
  std::vector<plain_moments> moments(table.size());
  for (std::int64_t row = 0; row < size.rows(); ++row)
    for (std::int64_t x = 0; x < size.width; ++x) {
      const std::uint32_t label = *labels++;
      if (label == 0) continue;
      if (label > right.size()) throw std::runtime_error(who + ": no row for label " + std::to_string(label));
      const std::int64_t y = row % size.height;
      add(right[label - 1], {row / size.height, y, x});
      moments[label - 1].yy += static_cast<std::uint64_t>(y * y);
      moments[label - 1].yx += static_cast<std::uint64_t>(y * x);
      moments[label - 1].xx += static_cast<std::uint64_t>(x * x);
    }
  for (std::size_t i = 0; i < right.size(); ++i) {
    const std::string where = " of label " + std::to_string(i + 1);
    if (table.components[i] != right[i]) throw std::runtime_error(who + ": wrong geometry" + where);
    if (table.moments.empty()) continue;
    const second_moments& m = table.moments[i];
    if (m.yy != wide_integer{moments[i].yy, 0} || m.yx != wide_integer{moments[i].yx, 0} ||
        m.xx != wide_integer{moments[i].xx, 0})
      throw std::runtime_error(who + ": wrong moments" + where);
  }
}

}  // namespace skerry::bench

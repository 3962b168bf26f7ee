// SPDX-License-Identifier: Apache-2.0
// Selections: which components stay. Between stages 5 and 6: they need areas and boxes, and stage 6 needs their labels.
#include "label/select.hpp"

#include <algorithm>

#include "core/feature_groups.hpp"
#include "engine/stop.hpp"

namespace skerry::label_stages {
namespace {

bool touches_border(const geometry& g, const image_border& border) {
  const extent& size = border.size;
  const i64 last[3] = {size.depth - 1, size.height - 1, size.width - 1};
  const bool wraps[3] = {border.periodic.z || size.rank == 2, border.periodic.y, border.periodic.x};
  for (int axis = 0; axis < 3; ++axis)
    if (!wraps[axis] && (g.min[axis] == 0 || g.max[axis] == last[axis])) return true;
  return false;
}

// Keeps the k largest of the rows that are kept so far; among equal areas the earlier one.
void keep_largest(u64 k, const table_rows<geometry>& rows, std::vector<u32>& kept, std::vector<u32>& order) {
  order.clear();
  order.reserve(static_cast<std::size_t>(std::count(kept.begin(), kept.end(), 1U)));
  for (u32 i = 0; i < rows.size(); ++i)
    if (kept[i] != 0) order.push_back(i);
  if (order.size() <= k) return;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                   [&](u32 a, u32 b) { return rows[a].area != rows[b].area ? rows[a].area > rows[b].area : a < b; });
  for (std::size_t i = k; i < order.size(); ++i) kept[order[i]] = 0;
}

template <class Row>
void keep_rows(const std::vector<u32>& renumbered, u64 left, table_rows<Row>& rows) {
  if (rows.empty()) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    stop_point(i);
    if (renumbered[i] != 0) rows[renumbered[i] - 1] = rows[i];
  }
  rows.resize(left);
}

}  // namespace

u64 choose(const selection& keep, const image_border& border, const table_rows<geometry>& rows,
           std::vector<u32>& renumbered, std::vector<u32>& order) {
  renumbered.assign(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    stop_point(i);
    const geometry& g = rows[i];
    const bool stays =
        keep.min_area <= g.area && g.area <= keep.max_area && !(keep.clear_border && touches_border(g, border));
    renumbered[i] = stays ? 1 : 0;
  }
  if (keep.largest != 0) keep_largest(keep.largest, rows, renumbered, order);
  u32 left = 0;
  for (u32& label : renumbered) label = label != 0 ? ++left : 0;
  return left;
}

void keep_chosen(const std::vector<u32>& renumbered, u64 left, feature_table& table) {
  each_feature_group([&](auto group) { keep_rows(renumbered, left, table.*group.rows); });
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/portable.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry::label_stages {

/// Whether components are dropped; holes that are filled drop none.
[[nodiscard]] constexpr bool selects(const selection& keep) {
  const selection all;
  return keep.min_area > 1 || keep.max_area != all.max_area || keep.clear_border || keep.largest != 0;
}

/// Whether components are dropped that touch the border, and no others.
[[nodiscard]] constexpr bool selects_by_border_alone(const selection& keep) {
  selection others = keep;
  others.clear_border = false;
  return keep.clear_border && !selects(others);
}

/// Where components touch the border: axes that wrap around have none.
struct image_border {
  extent size;
  periodic_axes periodic;
};

/// Makes `renumbered` the new label of each row, 1…, or 0 for one that is dropped; `order` is scratch. Returns how many stay.
u64 choose(const selection& keep, const image_border& border, const table_rows<geometry>& rows,
           std::vector<u32>& renumbered, std::vector<u32>& order);
/// Keeps these `left` rows of every group.
void keep_chosen(const std::vector<u32>& renumbered, u64 left, feature_table& table);

/// The connectivity of the background, when the foreground's is `connectivity`.
[[nodiscard]] constexpr int dual_of(int connectivity) {
  switch (connectivity) {
    case 4: return 8;
    case 8: return 4;
    case 6: return 26;
    default: return 6;
  }
}

}  // namespace skerry::label_stages

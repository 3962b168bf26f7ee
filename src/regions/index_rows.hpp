// SPDX-License-Identifier: Apache-2.0
// Which rows the labels of a caller's index have.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "regions/label_slots.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

// The row of each label of `index` in a table with these labels, in ascending order; labels.size() where it has none.
[[nodiscard]] inline std::vector<std::size_t> rows_of_index(const std::vector<label_bits>& index,
                                                            const std::vector<label_bits>& labels, bool are_signed) {
  const auto below = [&](label_bits a, label_bits b) {
    return order_of_label(a, are_signed) < order_of_label(b, are_signed);
  };
  std::vector<std::size_t> rows(index.size(), labels.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto at = std::lower_bound(labels.begin(), labels.end(), index[i], below);
    if (at != labels.end() && *at == index[i]) rows[i] = static_cast<std::size_t>(at - labels.begin());
  }
  return rows;
}

}  // namespace skerry::regions

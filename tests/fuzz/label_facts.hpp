// SPDX-License-Identifier: Apache-2.0
// What follows from a label image alone: the order of its labels, its runs, and the rows of its table.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry::fuzz {

/// Integer pixels in raster order.
[[nodiscard]] std::vector<std::uint64_t> values_of(const image_view& image);

/// True for the same bits, the sign of zero included.
[[nodiscard]] bool same_table(const feature_table& a, const feature_table& b);

/// Promises that labels are 1…count in raster order of their first pixels, and that runs are those of the labels.
void check_labels(const std::vector<std::uint64_t>& labels, std::uint64_t count, const extent& size,
                  const std::vector<labelled_run>& runs);

/// Promises that the rows of a table are sums over the pixels of each label. Of intensities: ranges, and sums of integers.
void check_table(const std::vector<std::uint64_t>& labels, const extent& size, const feature_table& table,
                 const image_view& intensity);

}  // namespace skerry::fuzz

// SPDX-License-Identifier: Apache-2.0
// Answers about given label images, each from its definition.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/region_values.hpp"
#include "skerry/regions.hpp"
#include "skerry/relabel.hpp"

namespace skerry::reference {

/// Measures the regions of a label image; arguments have been checked.
region_table measure_regions(const region_request& asked);

/// 1 for each pixel that has a label and is no background, 0 for the others, in (z, y, x) order.
std::vector<std::uint64_t> membership(const image_view& labels, const background& rule, label_bits label);

struct relabelled {
  std::vector<std::uint64_t> labels;  // dense, in (z, y, x) order
  std::vector<label_bits> originals;
};
relabelled relabel(const image_view& labels, const relabel_options& options);

/// Labels, dense, in (z, y, x) order; what is refused has been.
std::vector<std::uint64_t> remap(const image_view& labels, const label_map& map);

region_extrema find_extrema(const region_pixels& asked);
region_histograms count_histograms(const region_pixels& asked, const std::vector<double>& edges);
region_quantiles find_quantiles(const region_pixels& asked, const std::vector<double>& fractions);

}  // namespace skerry::reference

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "skerry/region_values.hpp"

namespace skerry::regions {

/// The median of the values of each region, in the order of find_quantiles(), as NumPy's median: of an even number of values the
/// middle of the two that are nearest, also where one of them is infinite. Arguments are those of find_quantiles(), checked.
[[nodiscard]] std::vector<double> find_medians(engine& on, const region_pixels& asked);

}  // namespace skerry::regions

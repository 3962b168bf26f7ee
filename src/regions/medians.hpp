// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "engine/engine_state.hpp"
#include "skerry/region_values.hpp"

namespace skerry::regions {

/// The median of the values of each region, in the order of find_quantiles(), as NumPy's median: of an even number of values the
/// middle of the two that are nearest, also where one of them is infinite. Arguments are those of find_quantiles(), checked.
[[nodiscard]] std::vector<double> find_medians(engine& on, const region_pixels& asked);

/// How often a region has a value: all NaN are one, and -0.0 is 0.0. 64-bit integers are rounded, which moves no median: it is
/// of rounded values in find_medians(), too.
struct value_count {
  double value;
  std::uint64_t count;
  std::uint32_t region;      // its row in the list of labels
  std::uint32_t unused = 0;  // rows travel as they lie in memory

  /// By region and value; NaN last.
  friend bool operator<(const value_count& a, const value_count& b) {
    if (a.region != b.region) return a.region < b.region;
    return a.value < b.value || (std::isnan(b.value) && !std::isnan(a.value));
  }
};

/// Counts the values of each region, regions in ascending order of their labels, each value once. Arguments as those of
/// find_quantiles(), checked.
[[nodiscard]] std::vector<value_count> count_values(engine::state& on, const region_pixels& asked);

/// The median of the values of one region, as find_medians() has it: NaN where one is, or there are none.
[[nodiscard]] double median_of(std::span<const value_count> values);

}  // namespace skerry::regions

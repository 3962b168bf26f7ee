// SPDX-License-Identifier: Apache-2.0
// Columns of intensities, from their sums and from the areas of the same rows.
#pragma once
#include <string_view>

#include "core/derived.hpp"
#include "skerry/measure.hpp"

namespace skerry {

struct intensity_rows {
  const feature_table& regions;  // areas
  const feature_table& sums;     // of intensities; the same table, but for one of several channels
};

// Calls use() for the row of a region, which is of one of two kinds.
template <class Use>
double of_intensity(const intensity_rows& of, std::size_t row, Use use) {
  return of.sums.real_intensities.empty() ? use(of.sums.intensities[row]) : use(of.sums.real_intensities[row]);
}

// A region that is asked for and has no pixels.
inline bool is_missing(const intensity_rows& of, std::size_t row) { return of.regions.components[row].area == 0; }

inline double intensity_min(const intensity_rows& of, std::size_t row) {
  if (is_missing(of, row)) return not_a_number;
  return of_intensity(of, row, [](const auto& i) { return has_nan(i) ? not_a_number : i.min; });
}

inline double intensity_max(const intensity_rows& of, std::size_t row) {
  if (is_missing(of, row)) return not_a_number;
  return of_intensity(of, row, [](const auto& i) { return has_nan(i) ? not_a_number : i.max; });
}

inline double intensity_sum(const intensity_rows& of, std::size_t row) {
  return of_intensity(of, row, [](const auto& i) { return sum_of(i); });
}

inline double intensity_mean(const intensity_rows& of, std::size_t row) {
  if (is_missing(of, row)) return not_a_number;
  return of_intensity(of, row, [&](const auto& i) { return mean_of(i, of.regions.components[row].area); });
}

// Of the population.
inline double intensity_std(const intensity_rows& of, std::size_t row) {
  if (is_missing(of, row)) return not_a_number;
  return of_intensity(of, row, [&](const auto& i) { return deviation_of(i, of.regions.components[row].area); });
}

struct intensity_column {
  std::string_view name;
  double (*value)(const intensity_rows& of, std::size_t row);
};

// In the order of tables.
inline constexpr intensity_column intensity_columns[] = {{"intensity_min", intensity_min},
                                                         {"intensity_max", intensity_max},
                                                         {"intensity_mean", intensity_mean},
                                                         {"intensity_std", intensity_std},
                                                         {"intensity_sum", intensity_sum}};

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Group "intensity": extremes, mean, median and deviation, of intensities of any type. From the exact sums of the
// table of regions, and from find_quantiles().
#include "core/derived.hpp"
#include "features/groups.hpp"

namespace skerry::features {
namespace {

// Calls use() for the row of a region, which is of one of two kinds.
template <class Use>
double of_intensity(const column_source& from, std::size_t row, Use use) {
  const feature_table& table = from.frame.features();
  return table.real_intensities.empty() ? use(table.intensities[row]) : use(table.real_intensities[row]);
}

double intensity_min(const column_source& from, std::size_t row, int) {
  return of_intensity(from, row, [](const auto& i) { return has_nan(i) ? not_a_number : i.min; });
}

double intensity_max(const column_source& from, std::size_t row, int) {
  return of_intensity(from, row, [](const auto& i) { return has_nan(i) ? not_a_number : i.max; });
}

double intensity_mean(const column_source& from, std::size_t row, int) {
  return of_intensity(from, row, [&](const auto& i) { return mean_of(i, from.frame.region(row).area); });
}

double intensity_std(const column_source& from, std::size_t row, int) {
  return of_intensity(from, row, [&](const auto& i) { return deviation_of(i, from.frame.region(row).area); });
}

double intensity_median(const column_source& from, std::size_t row, int) { return from.frame.medians[row]; }

constexpr feature_column intensity_columns[] = {
    {"intensity_min", intensity_min, column_shape::single, needs_intensities},
    {"intensity_max", intensity_max, column_shape::single, needs_intensities},
    {"intensity_mean", intensity_mean, column_shape::single, needs_intensities},
    {"intensity_median", intensity_median, column_shape::single, needs_intensities | uses_medians},
    {"intensity_std", intensity_std, column_shape::single, needs_intensities},
};

}  // namespace

const feature_group intensity_group = {.name = "intensity", .columns = intensity_columns};

}  // namespace skerry::features

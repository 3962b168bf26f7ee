// SPDX-License-Identifier: Apache-2.0
// Group "intensity": extremes, mean, median and deviation, of intensities of any type. From the exact sums of the
// table of regions, and from find_quantiles().
#include "core/intensity_columns.hpp"
#include "features/groups.hpp"

namespace skerry::features {
namespace {

template <double (*Formula)(const intensity_rows&, std::size_t)>
double of_pixels(const column_source& from, std::size_t row, int) {
  return Formula({from.frame.features(), *from.frame.intensities}, row);
}

double intensity_median(const column_source& from, std::size_t row, int) { return from.frame.medians[row]; }

constexpr feature_column intensity_columns[] = {
    {"intensity_min", of_pixels<intensity_min>, column_shape::single, needs_intensities},
    {"intensity_max", of_pixels<intensity_max>, column_shape::single, needs_intensities},
    {"intensity_mean", of_pixels<intensity_mean>, column_shape::single, needs_intensities},
    {"intensity_median", intensity_median, column_shape::single, needs_intensities | uses_medians},
    {"intensity_std", of_pixels<intensity_std>, column_shape::single, needs_intensities},
};

}  // namespace

const feature_group intensity_group = {.name = "intensity", .columns = intensity_columns};

}  // namespace skerry::features

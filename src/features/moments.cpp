// SPDX-License-Identifier: Apache-2.0
// Group "power_sums": moments of the regions' pixels. Closed sums over runs.
#include "core/feature.hpp"
#include "features/groups.hpp"
#include "features/power_sums.hpp"

namespace skerry::features {
namespace {

// Sum of x³ for 0 <= x < end: (end (end - 1) / 2)².
unsigned_wide sum_of_cubes(u64 end) {
  const unsigned_wide pairs = static_cast<unsigned_wide>(end) * (end - (end != 0 ? 1 : 0)) / 2;
  return pairs * pairs;
}

row_powers powers_of(u64 begin, u64 end) {
  const unsigned_wide pixels = end - begin;
  return {{long_sum(end - begin), long_sum(pixels * (begin + end - 1) / 2),
           long_sum(unsigned_from(sum_of_squares(begin, end))), long_sum(sum_of_cubes(end) - sum_of_cubes(begin))}};
}

class pixel_power_sums final : public power_sums {
 public:
  explicit pixel_power_sums(const region_frame& frame) : power_sums(frame, 0) {}

  void add(const image_row& row) override {
    for (const region_run& run : row.runs) {
      const i64 corner = region(run.region).min[2];
      add_stretch(run.region, row.z, row.y,
                  powers_of(static_cast<u64>(run.begin - corner), static_cast<u64>(run.end - corner)));
    }
  }
};

constexpr feature_column moment_columns[] = {
    {"moments", raw_moment, column_shape::powers},
    {"moments_central", central_moment, column_shape::powers, uses_central_moments},
    {"moments_normalized", normalized_moment, column_shape::powers, uses_central_moments},
    {"moments_hu", hu_moment, column_shape::seven, needs_rank_2 | needs_unit_sides | uses_central_moments},
};

std::unique_ptr<feature_sums> start_moments(const region_frame& frame) {
  return std::make_unique<pixel_power_sums>(frame);
}

}  // namespace

const feature_group power_sums_group = {.name = "power_sums", .columns = moment_columns, .start = start_moments};

}  // namespace skerry::features

// SPDX-License-Identifier: Apache-2.0
// Group "power_sums": moments of the regions' pixels. Closed sums over runs, and over rows that have the same.
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

row_powers wide_powers_of(u64 begin, u64 end) {
  const unsigned_wide pixels = end - begin;
  return {{long_sum(end - begin), long_sum(pixels * (begin + end - 1) / 2),
           long_sum(unsigned_from(sum_of_squares(begin, end))), long_sum(sum_of_cubes(end) - sum_of_cubes(begin))}};
}

// Of regions whose sums are long, the x-powers of the runs in their last rows are added up before they are multiplied.
class pixel_power_sums final : public power_sums {
 public:
  explicit pixel_power_sums(const region_frame& frame) : power_sums(frame, 0), open_(long_regions()) {}

  void add(const image_row& row) override {
    for (const region_run& run : row.runs) {
      const geometry& box = region(run.region);
      const auto begin = static_cast<u64>(run.begin - box.min[2]), end = static_cast<u64>(run.end - box.min[2]);
      if (has_short_sums(run.region)) {
        const auto top = static_cast<u64>(row.y - box.min[1]);
        add_short(run.region,
                  {static_cast<u64>(row.z - box.min[0]), top, top + static_cast<u64>(row.rows), powers_of(begin, end)});
      } else if (box.max[2] - box.min[2] < most_along) {
        add_to_open(run.region, row, powers_of(begin, end));
      } else {
        for (i64 y = row.y; y < row.y + row.rows; ++y) add_stretch(run.region, row.z, y, wide_powers_of(begin, end));
      }
    }
  }

  void join(feature_sums& later) override {
    close_all();
    static_cast<pixel_power_sums&>(later).close_all();
    power_sums::join(later);
  }

  void store(stored_sums& to, const block_origin& block) override {
    close_all();
    power_sums::store(to, block);
  }

  void prepare(const region_frame& frame) override {
    close_all();
    power_sums::prepare(frame);
  }

 private:
  static constexpr i64 most_along = i64{1} << 16;  // then 64 bits hold the sums of a row

  struct open_rows {
    u32 region = 0;
    i64 z = 0, y = 0, rows = 0;
    power_list along{};
  };

  void add_to_open(u32 region, const image_row& row, const power_list& along) {
    open_rows& to = open_[long_place(region)];
    if (to.z != row.z || to.y != row.y) close(to);
    if (to.rows == 0) to = {region, row.z, row.y, row.rows, {}};
    for (std::size_t i = 0; i < exponents; ++i) to.along.of[i] += along.of[i];
  }

  void close(open_rows& of) {
    row_powers along;
    for (std::size_t i = 0; i < exponents; ++i) along.of[i] = long_sum(of.along.of[i]);
    for (i64 y = of.y; y < of.y + of.rows; ++y) add_stretch(of.region, of.z, y, along);
    of.rows = 0;
  }

  void close_all() {
    for (open_rows& each : open_) close(each);
  }

  std::vector<open_rows> open_;
};

constexpr feature_column moment_columns[] = {
    {"moments", raw_moment, column_shape::powers},
    {"moments_central", central_moment, column_shape::powers, uses_central_moments, central_moments},
    {"moments_normalized", normalized_moment, column_shape::powers, uses_central_moments},
    {"moments_hu", hu_moment, column_shape::seven, needs_rank_2 | needs_unit_sides | uses_central_moments},
};

std::unique_ptr<feature_sums> start_moments(const region_frame& frame) {
  return std::make_unique<pixel_power_sums>(frame);
}

}  // namespace

const feature_group power_sums_group = {.name = "power_sums",
                                        .columns = moment_columns,
                                        .start = start_moments,
                                        .takes_equal_rows = true,
                                        .has_power_sums = true};

}  // namespace skerry::features

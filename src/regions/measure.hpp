// SPDX-License-Identifier: Apache-2.0
// Shares of a label image: each thread measures rows into tables of its own, which are joined.
#pragma once
#include <span>
#include <vector>

#include "core/feature_groups.hpp"
#include "engine/engine_state.hpp"
#include "engine/job_scratch.hpp"
#include "regions/label_slots.hpp"
#include "regions/patterns.hpp"
#include "regions/row_dealer.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

// The regions that have pixels in some rows of an image.
struct measured_share {
  label_slots slots;
  feature_table features;  // the row of each slot
  std::vector<feature_table> channels;
  std::vector<u32> ascending;  // slots by label, where these do not ascend
};

// What its rows take, with room for more.
[[nodiscard]] std::size_t bytes_of(const feature_table& table);

// What the CPU engine keeps from call to call.
struct measure_scratch final : job_scratch {
  std::vector<measured_share> shares;
  std::size_t regions = 0;  // of the last call

  [[nodiscard]] std::size_t bytes() const override;
};

// What is measured is table 0, the features, and a table for each channel, of a share or of the result.
[[nodiscard]] inline measure_options options_of_table(const region_request& asked, std::size_t table) {
  return table == 0 ? asked.features : measure_options{false, asked.channels[table - 1]};
}

template <class Tables>
[[nodiscard]] auto& table_of(Tables& of, std::size_t table) {
  return table == 0 ? of.features : of.channels[table - 1];
}

// Calls visit(group, table) for each group of features that is wanted of each table.
template <class Visit>
void each_wanted_group(const region_request& asked, Visit visit) {
  each_feature_group([&]<class Group>(Group group) {
    for (std::size_t table = 0; table <= asked.channels.size(); ++table)
      if ((table == 0 || Group::reads_intensity) && Group::is_wanted(options_of_table(asked, table)))
        visit(group, table);
  });
}

[[nodiscard]] measure_scratch& measure_scratch_of(engine::state& on);

// Empties `count` shares; the first has the memory of the table, where its rows may stay.
std::span<measured_share> begin_shares(measure_scratch& scratch, std::size_t count, const region_request& asked,
                                       region_table& table);

// Measures the rows of an interval.
void measure_share(const region_request& asked, row_dealer& rows, std::size_t interval, measured_share& share);

// Joins shares that have been measured, in ascending order of labels.
void join_shares(engine::state& on, const region_request& asked, std::span<measured_share> shares, region_table& table);

// measure_regions() on this engine; on CUDA, of a plane without `index`, with the patterns of each region, if there is place for them.
std::uint64_t measure_with_patterns(engine::state& on, const region_request& asked, region_table& table,
                                    std::vector<plane_patterns>* patterns);

// The row of a label that has no pixels.
[[nodiscard]] geometry geometry_of_nothing();

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// Shares of a label image: each thread measures the rows of its own, and their tables are joined.
#pragma once
#include <vector>

#include "core/feature_groups.hpp"
#include "engine/engine_state.hpp"
#include "regions/label_slots.hpp"
#include "regions/plane_patterns.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

// Rows [begin, end) of an image, and the regions that have pixels in them.
struct measured_share {
  measured_share(i64 first, i64 last, u64 dense) : begin(first), end(last), slots(dense) {}

  i64 begin, end;
  label_slots slots;
  feature_table features;  // the row of each slot
  std::vector<feature_table> channels;
  std::vector<u32> ascending;  // slots by label
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

// Measures the rows of a share.
void measure_share(const region_request& asked, measured_share& share);

// Joins shares that have been measured, in ascending order of labels; rows of the first may move to the table.
void join_shares(engine::state& on, const region_request& asked, std::vector<measured_share>& shares,
                 region_table& table);

// measure_regions(); on the CUDA engine, of a plane without `index`, with the patterns of each region, if there is place for them.
std::uint64_t measure_with_patterns(engine& on, const region_request& asked, region_table& table,
                                    std::vector<plane_patterns>* patterns);

// The row of a label that has no pixels.
[[nodiscard]] geometry geometry_of_nothing();

}  // namespace skerry::regions

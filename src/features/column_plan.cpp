// SPDX-License-Identifier: Apache-2.0
#include "features/column_plan.hpp"

#include <algorithm>

#include "engine/cpu/parallel.hpp"
#include "features/groups.hpp"

namespace skerry::features {

bool wants(const std::vector<chosen_column>& columns, const feature_group& group) {
  return std::any_of(columns.begin(), columns.end(), [&](const chosen_column& c) { return c.group == &group; });
}

wanted_rows rows_for(const std::vector<chosen_column>& columns, bool has_reals) {
  wanted_rows wanted{false, false};
  for (const chosen_column& column : columns) wanted.moments |= column.group->reads_second_moments;
  // Real weights have a unit that follows from the largest of their region.
  wanted.intensities = wants(columns, intensity_group) || (has_reals && wants(columns, weighted_group));
  return wanted;
}

std::vector<walked_group> groups_with_sums(const std::vector<chosen_column>& columns) {
  std::vector<walked_group> groups;
  for (const feature_group* group : all_groups())
    for (const chosen_column& column : columns) {
      const auto same = [&](const walked_group& each) { return each.group == group && each.channel == column.channel; };
      if (column.group == group && group->start != nullptr && std::none_of(groups.begin(), groups.end(), same))
        groups.push_back({group, column.channel});
    }
  return groups;
}

void fill_column(engine::state& on, const column_source& from, const chosen_column& chosen, table_column& to) {
  constexpr std::size_t regions_of_piece = 1024;
  const std::size_t count = from.frame.count();
  const feature_column& column = *chosen.column;
  const double* const all = column.numbers == nullptr || count == 0 ? nullptr : column.numbers(from, chosen.place);
  if (all != nullptr) return to.numbers.assign(all, all + count);
  if (to.is_integer) to.integers.resize(count);
  else to.numbers.resize(count);
  for_each_in_parallel(on, (count + regions_of_piece - 1) / regions_of_piece, [&](std::size_t piece) {
    const std::size_t end = std::min(count, (piece + 1) * regions_of_piece);
    for (std::size_t row = piece * regions_of_piece; row < end; ++row) {
      if (to.is_integer) to.integers[row] = column.integer(from, row, chosen.place);
      else to.numbers[row] = column.number(from, row, chosen.place);
    }
  });
}

}  // namespace skerry::features

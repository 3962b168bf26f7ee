// SPDX-License-Identifier: Apache-2.0
#include "features/column_plan.hpp"

#include <algorithm>
#include <string>

#include "core/real_intensity.hpp"
#include "engine/cpu/new_memory.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/image_checks.hpp"
#include "engine/spacing_check.hpp"
#include "features/groups.hpp"
#include "features/in_pieces.hpp"
#include "regions/check.hpp"

namespace skerry::features {

bool wants(const std::vector<chosen_column>& columns, const feature_group& group) {
  return std::any_of(columns.begin(), columns.end(), [&](const chosen_column& c) { return c.group == &group; });
}

void check_bounds(const std::vector<column_bounds>& bounds) {
  for (const column_bounds& each : bounds)
    if (!(each.least <= each.most))
      refuse("bounds: " + each.column + " from " + shortest(each.least) + " to " + shortest(each.most) +
             " keeps nothing; give numbers, the smaller one first");
}

std::vector<image_view> channels_of(const column_request& asked) {
  if (asked.intensity.data == nullptr) return asked.channels;
  if (!asked.channels.empty()) refuse("channels: an intensity is given as well; make it one of them");
  return {asked.intensity};
}

std::vector<chosen_column> checked_columns(const std::string& name, const image_view& of, const column_request& asked) {
  check_spacing(asked.spacing, of.size.rank);
  const std::vector<image_view> channels = channels_of(asked);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const std::string channel = asked.channels.empty() ? "intensity" : "channels[" + std::to_string(c) + "]";
    regions::check_value_image(channel, channels[c], of, name);
  }
  return chosen_columns(asked.columns, {of.size.rank, asked.spacing, !channels.empty(), asked.channels.size(), name});
}

region_request regions_asked(const image_view& labels, const column_request& asked,
                             const std::vector<chosen_column>& columns) {
  region_request request;
  request.labels = labels;
  request.background = asked.background;
  for (const chosen_column& column : columns) request.features.moments |= column.group->reads_second_moments;
  const std::vector<image_view> channels = channels_of(asked);
  const bool has_reals =
      std::any_of(channels.begin(), channels.end(), [](const image_view& each) { return sums_reals(each.type); });
  // Real weights have a unit that follows from the largest of their region.
  if (!wants(columns, intensity_group) && !(has_reals && wants(columns, weighted_group))) return request;
  request.features.intensity = asked.intensity;
  request.channels = asked.channels;
  return request;
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

namespace {

// Writes rows [begin, end) of a column.
void fill(const column_source& from, const chosen_column& chosen, const double* all, std::size_t begin, std::size_t end,
          table_column& to) {
  const feature_column& column = *chosen.column;
  if (all != nullptr) {
    std::copy(all + begin, all + end, to.numbers.data() + begin);
    return;
  }
  for (std::size_t row = begin; row < end; ++row)
    if (to.is_integer) to.integers[row] = column.integer(from, row, chosen.place);
    else to.numbers[row] = column.number(from, row, chosen.place);
}

// Each thread resizes whole columns: the first write to new memory is what takes time.
void make_room(engine::state& on, std::size_t regions, std::vector<table_column>& columns) {
  each_of_regions(on, regions, columns.size(), [&](std::size_t c) {
    if (columns[c].is_integer) resize_in_large_pages(columns[c].integers, regions);
    else resize_in_large_pages(columns[c].numbers, regions);
  });
}

}  // namespace

void fill_columns(engine::state& on, const std::vector<region_frame>& frames, const std::vector<walked_group>& groups,
                  const sums_of_groups& sums, const std::vector<chosen_column>& columns,
                  std::vector<table_column>& to) {
  const std::size_t regions = frames.front().count();
  if (regions == 0) return;
  std::vector<column_source> sources;
  std::vector<const double*> all;  // for each column its values, if they lie side by side already, else null
  for (const chosen_column& chosen : columns) {
    const feature_sums* of_group = nullptr;
    for (std::size_t g = 0; g < sums.size(); ++g)
      if (groups[g].group == chosen.group && groups[g].channel == chosen.channel) of_group = sums[g].get();
    sources.push_back({frames[chosen.channel], of_group});
    const auto numbers = chosen.column->numbers;
    all.push_back(numbers == nullptr ? nullptr : numbers(sources.back(), chosen.place));
  }
  make_room(on, regions, to);
  each_in_pieces(on, columns.size() * regions, [&](std::size_t begin, std::size_t end) {
    for (std::size_t stop = begin; begin < end; begin = stop) {
      const std::size_t c = begin / regions;
      stop = std::min(end, (c + 1) * regions);
      fill(sources[c], columns[c], all[c], begin - c * regions, stop - c * regions, to[c]);
    }
  });
}

}  // namespace skerry::features

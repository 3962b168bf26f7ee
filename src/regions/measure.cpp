// SPDX-License-Identifier: Apache-2.0
// The driver of measure_regions(): check, turn an image in Fortran order, measure shares of rows on threads and join them, or
// measure on a device, and pick the labels that were asked for.
#include "regions/measure.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "core/label_type.hpp"
#include "engine/begin_call.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/line.hpp"
#include "label/axis_order.hpp"
#include "label/check.hpp"
#include "reference/regions.hpp"
#include "regions/check.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/index_rows.hpp"
#include "regions/row_dealer.hpp"
#include "regions/shares.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {
namespace {

void check_measuring(const region_request& asked) {
  check_label_image("labels", asked.labels);
  check_background(asked.background);
  check_features(asked.labels, asked.features, "labels");
  if (asked.channels.empty()) return;
  if (asked.features.intensity.data != nullptr) refuse("channels: an intensity is given as well; make it one of them");
  for (std::size_t c = 0; c < asked.channels.size(); ++c)
    check_intensity("channels[" + std::to_string(c) + "]", asked.channels[c], asked.labels, "labels");
}

region_request turned_by(const axis_order& order, const region_request& asked) {
  region_request turned = asked;
  turned.labels = order.turned(asked.labels);
  if (asked.features.intensity.data != nullptr) turned.features.intensity = order.turned(asked.features.intensity);
  for (image_view& channel : turned.channels) channel = order.turned(channel);
  return turned;
}

// A thread that has no one to help takes its rows at once.
row_dealer deal_rows(const engine::state& on, const std::vector<row_range>& ranges, const extent& size) {
  const bool alone = on.useful_threads < 2 || ranges.size() == 1;
  const i64 rows_of_block = std::max<i64>(1, 4 * on.least_pixels_per_strip / std::max<i64>(1, size.width));
  return row_dealer(ranges, alone ? size.rows() : rows_of_block, alone ? 0 : 2 * ranges.size());
}

void measure_all(engine::state& on, const region_request& asked, region_table& table,
                 std::vector<plane_patterns>* patterns) {
  if (on.kind == engine_kind::cuda) return measure_on_cuda(on, asked, table, patterns);
  measure_scratch& scratch = measure_scratch_of(on);
  const std::vector<row_range> ranges = split_rows(on, asked.labels.size);
  row_dealer rows = deal_rows(on, ranges, asked.labels.size);
  const std::span<measured_share> shares = begin_shares(scratch, rows.intervals(), asked, table);
  for_each_in_parallel(on, ranges.size(), [&](std::size_t range) {
    stage_timer time(on.clock, stage::measure, stage_timer::by::all_threads);
    time.run([&] {
      for (std::optional<std::size_t> i = range; i.has_value(); i = rows.split())
        measure_share(asked, rows, *i, shares[*i]);
    });
  });
  stage_timer time(on.clock, stage::merge, stage_timer::by::one_thread);
  time.run([&] { join_shares(on, asked, shares, table); });
  scratch.regions = table.size();
}

// The rows of some labels, in their order; `table` has all labels in ascending order.
region_table picked(const region_request& asked, const region_table& table) {
  const std::vector<label_bits>& index = *asked.index;
  region_table result;
  result.labels = index;
  const std::vector<std::size_t> row_of = rows_of_index(index, table.labels, table.signed_labels);
  result.channels.resize(asked.channels.size());
  each_wanted_group(asked, [&]<class Group>(Group, std::size_t t) {
    const auto& from = table_of(table, t).*Group::rows;
    typename Group::row nothing{};
    if constexpr (std::is_same_v<typename Group::row, geometry>) nothing = geometry_of_nothing();
    for (const std::size_t row : row_of)
      (table_of(result, t).*Group::rows).push_back(row < from.size() ? from[row] : nothing);
  });
  return result;
}

// A line, as a plane of one row.
region_request regions_in_plane(const region_request& line) {
  region_request asked = line;
  asked.labels = as_plane("labels", line.labels);
  asked.features.intensity = as_plane_beside_line("intensity", line.features.intensity);
  for (image_view& channel : asked.channels) channel = as_plane_beside_line("channels", channel);
  return asked;
}

void empty_rows(region_table& table) {
  each_feature_group([&](auto group) {
    (table.features.*group.rows).clear();
    for (feature_table& channel : table.channels) (channel.*group.rows).clear();
  });
}

void empty(region_table& table) {
  empty_rows(table);
  table.labels.clear();
  table.channels.clear();
}

void measure_on(engine::state& on, const region_request& asked, region_table& table,
                std::vector<plane_patterns>* patterns) {
  if (on.kind == engine_kind::reference) {
    table = reference::measure_regions(asked);
    return;
  }
  empty_rows(table);
  // Each label is written; emptied before, it would be written twice, once as 0.
  if (asked.labels.size.pixels() == 0) table.labels.clear();
  table.channels.resize(asked.channels.size());
  table.signed_labels = is_signed_label_type(asked.labels.type);
  const axis_order order = axis_order::stored(asked.labels);
  if (asked.labels.size.pixels() != 0) {
    if (order.is_row_major()) measure_all(on, asked, table, patterns);
    else measure_all(on, turned_by(order, asked), table, patterns);
    if (!order.is_row_major()) order.turn_back(table.features);
  }
  if (asked.index.has_value()) table = picked(asked, table);
  table.signed_labels = is_signed_label_type(asked.labels.type);
  table.features.rank = asked.labels.size.rank;
  table.features.has_moments = asked.features.moments;
  table.features.has_intensities = asked.features.intensity.data != nullptr;
  for (feature_table& channel : table.channels) channel.rank = table.features.rank, channel.has_intensities = true;
}

// Checks, lets choose() say which engine measures, and measures there.
template <class Choose>
std::uint64_t measure_checked(const region_request& asked, region_table& table, std::vector<plane_patterns>* patterns,
                              Choose choose) {
  if (is_line(asked.labels.size)) {
    const std::uint64_t rows = measure_checked(regions_in_plane(asked), table, patterns, choose);
    table.features.rank = 1;
    return rows;
  }
  check_measuring(asked);
  engine::state& inside = choose(asked);
  const running_call call(inside);
  try {
    measure_on(inside, asked, table, patterns);
  } catch (const std::bad_alloc&) {
    empty(table);
    throw out_of_memory("out of memory: the table of regions does not fit");
  } catch (...) {
    empty(table);
    throw;
  }
  return table.size();
}

}  // namespace

geometry geometry_of_nothing() {
  geometry g;
  for (int axis = 0; axis < 3; ++axis) g.min[axis] = 0, g.max[axis] = -1;
  return g;
}

std::uint64_t measure_with_patterns(engine::state& on, const region_request& asked, region_table& table,
                                    std::vector<plane_patterns>* patterns) {
  return measure_checked(asked, table, patterns, [&](const region_request&) -> engine::state& { return on; });
}

}  // namespace skerry::regions

namespace skerry {

std::uint64_t measure_regions(engine& on, const region_request& asked, region_table& table) {
  return regions::measure_checked(asked, table, nullptr, [&](const region_request& plane) -> engine::state& {
    return engine_for(on, {{"labels", plane.labels}, {"intensity", plane.features.intensity}}, plane.channels);
  });
}

}  // namespace skerry

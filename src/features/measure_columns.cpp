// SPDX-License-Identifier: Apache-2.0
// The driver of measure_columns(): check, choose columns, measure regions, walk once more for the groups that need it, and turn
// integers into columns.
#include <algorithm>
#include <new>
#include <string>

#include "engine/cpu/parallel.hpp"
#include "engine/line.hpp"
#include "engine/spacing_check.hpp"
#include "engine/stop.hpp"
#include "features/choice.hpp"
#include "features/groups.hpp"
#include "features/walk.hpp"
#include "reference/columns.hpp"
#include "regions/check.hpp"
#include "regions/medians.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using features::chosen_column;

// `of` is what is measured, and `name` what the caller calls it.
std::vector<chosen_column> checked_columns(const std::string& name, const image_view& of, const column_request& asked) {
  check_spacing(asked.spacing, of.size.rank);
  const bool has_intensities = asked.intensity.data != nullptr;
  if (has_intensities) regions::check_value_image("intensity", asked.intensity, of, name);
  const bool weighted = has_intensities && !sums_reals(asked.intensity.type);
  return features::chosen_columns(asked.columns, {of.size.rank, asked.spacing, has_intensities, weighted});
}

bool wants(const std::vector<chosen_column>& columns, const features::feature_group& group) {
  return std::any_of(columns.begin(), columns.end(), [&](const chosen_column& c) { return c.group == &group; });
}

region_request regions_asked(const image_view& labels, const column_request& asked,
                             const std::vector<chosen_column>& columns) {
  region_request request;
  request.labels = labels;
  request.background = asked.background;
  for (const chosen_column& column : columns) request.features.moments |= column.group->reads_second_moments;
  if (wants(columns, features::intensity_group)) request.features.intensity = asked.intensity;
  return request;
}

// The values of a column, in pieces of regions on all threads.
void fill(engine::state& on, const features::column_source& from, const chosen_column& chosen, table_column& to) {
  constexpr std::size_t regions_of_piece = 1024;
  const std::size_t count = from.frame.count();
  const features::feature_column& column = *chosen.column;
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

void measure_on(engine& on, const image_view& labels, const column_request& asked,
                const std::vector<chosen_column>& columns, column_table& table) {
  region_table rows;
  measure_regions(on, regions_asked(labels, asked, columns), rows);
  for (const chosen_column& chosen : columns)
    table.columns.push_back({chosen.name, chosen.column->integer != nullptr, {}, {}});
  engine::state& inside = on.inside();
  if (inside.kind == engine_kind::reference) {
    reference::measure_columns(labels, asked, rows, table);
    return;
  }
  const image_view in_plane = as_plane("labels", labels);
  const int rank = labels.size.rank;
  unsigned wanted = 0;
  for (const chosen_column& column : columns) wanted |= column.column->needs;
  std::vector<double> medians;
  if ((wanted & features::uses_medians) != 0)
    medians = regions::find_medians(on, {in_plane, asked.intensity, asked.background});
  const features::region_frame frame = {
      labels.size, &rows,          {rank == 3 ? asked.spacing.z : 1, rank == 1 ? 1 : asked.spacing.y, asked.spacing.x},
      wanted,      medians.data(), static_cast<int>(8 * size_of(asked.intensity.type))};
  features::walk_job job = {in_plane, asked.background, asked.intensity, frame, {}};
  for (const features::feature_group* group : features::all_groups())
    if (group->start != nullptr && wants(columns, *group)) job.groups.push_back(group);
  features::sums_of_groups sums;
  if (!job.groups.empty() && rows.size() != 0) sums = features::walk(inside, job);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto at = std::find(job.groups.begin(), job.groups.end(), columns[c].group) - job.groups.begin();
    const auto place = static_cast<std::size_t>(at);
    fill(inside, {frame, place < sums.size() ? sums[place].get() : nullptr}, columns[c], table.columns[c]);
  }
}

}  // namespace

const table_column& column_table::column(std::string_view name) const {
  for (const table_column& each : columns)
    if (each.name == name) return each;
  throw invalid_argument("name: the table has no column '" + std::string(name) + "'");
}

std::vector<std::string> column_groups() {
  std::vector<std::string> names;
  for (const features::feature_group* group : features::all_groups()) names.emplace_back(group->name);
  return names;
}

std::uint64_t measure_columns(engine& on, const image_view& labels, const column_request& asked, column_table& table) {
  table.columns.clear();
  regions::check_engine(on, "measure_columns");
  regions::check_label_image("labels", as_plane("labels", labels));
  regions::check_background(asked.background);
  const std::vector<chosen_column> columns = checked_columns("labels", labels, asked);
  table.rank = labels.size.rank;
  const stop_scope stoppable(on.inside().stop);
  try {
    measure_on(on, labels, asked, columns, table);
  } catch (const std::bad_alloc&) {
    table.columns.clear();
    throw out_of_memory("out of memory: the columns of regions do not fit");
  } catch (...) {
    table.columns.clear();
    throw;
  }
  return table.size();
}

std::uint64_t measure_columns(engine& on, const image_view& image, const label_options& options,
                              const column_request& asked, column_table& table) {
  table.columns.clear();
  regions::check_engine(on, "measure_columns");
  check_image("image", as_plane("image", image));
  checked_columns("image", image, asked);  // before the image is labelled
  std::vector<std::uint32_t> pixels;
  mutable_image labels;
  label_outputs outputs;
  outputs.labels_for = [&](std::uint64_t count) {
    if (count > ~std::uint32_t{0}) refuse("image: has more components than labels of 32 bits");
    pixels.resize(static_cast<std::size_t>(image.size.pixels()));
    return labels = mutable_image(pixels.data(), image.size);
  };
  label(on, {image, options, {}}, outputs);
  column_request of_labels = asked;
  of_labels.background = background::zero_and_below();
  return measure_columns(on, labels, of_labels, table);
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Regions chosen by their columns: measured, compared, and the others made 0.
#include <algorithm>

#include "engine/line.hpp"
#include "features/choice.hpp"
#include "features/column_plan.hpp"
#include "regions/check.hpp"
#include "skerry/columns.hpp"
#include "skerry/relabel.hpp"

namespace skerry {
namespace {

bool is_within(const column_bounds& bounds, const table_column& column, std::size_t row) {
  const double value = column.is_integer ? static_cast<double>(column.integers[row]) : column.numbers[row];
  return bounds.contains(value);
}

column_table measured(engine& on, const image_view& labels, const std::vector<column_bounds>& bounds,
                      column_request asked) {
  asked.columns.clear();
  asked.index.reset();
  for (const column_bounds& each : bounds) asked.columns.push_back(each.column);
  column_table table;
  measure_columns(on, labels, asked, table);
  for (const column_bounds& each : bounds) {
    const auto named = [&](const table_column& column) { return column.name == each.column; };
    if (std::any_of(table.columns.begin(), table.columns.end(), named)) continue;
    const std::vector<std::string> groups = column_groups();
    const bool is_group = each.column == "all" || each.column == features::shape_group ||
                          std::find(groups.begin(), groups.end(), each.column) != groups.end();
    if (is_group) refuse("bounds: '" + each.column + "' is a group; name one column");
    refuse("bounds: '" + each.column + "' is several columns; give one, such as '" + each.column + "-0'");
  }
  return table;
}

}  // namespace

std::vector<label_bits> keep_regions(engine& on, const image_view& labels, const std::vector<column_bounds>& bounds,
                                     const column_request& asked, const mutable_image& out) {
  const image_view from = as_plane("labels", labels);
  const mutable_image to = is_line(labels.size) ? as_plane_beside_line("out", out) : out;
  regions::check_label_image("labels", from);
  regions::check_label_output("out", to, from);
  features::check_bounds(bounds);
  const column_table table = measured(on, labels, bounds, asked);
  label_map kept;
  kept.unnamed = unnamed_labels::zero;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto is_kept = [&](const column_bounds& each) { return is_within(each, table.column(each.column), row); };
    if (std::all_of(bounds.begin(), bounds.end(), is_kept))
      kept.from.push_back(static_cast<label_bits>(table.column("label").integers[row]));
  }
  kept.to = kept.from;
  remap(on, from, kept, to);
  return kept.from;
}

}  // namespace skerry

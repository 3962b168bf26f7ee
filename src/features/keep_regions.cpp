// SPDX-License-Identifier: Apache-2.0
// Regions chosen by their columns: measured, compared, and the others made 0.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/label_type.hpp"
#include "engine/line.hpp"
#include "features/choice.hpp"
#include "features/column_plan.hpp"
#include "regions/check.hpp"
#include "skerry/columns.hpp"
#include "skerry/relabel.hpp"

namespace skerry {
namespace {

// Doubles do not hold every integer of 64 bits.
bool is_within(const column_bounds& bounds, i128 integer) {
  constexpr double below_all = -0x1p63, above_all = 0x1p64;
  const bool reaches =
      bounds.least <= below_all || (bounds.least < above_all && integer >= static_cast<i128>(std::ceil(bounds.least)));
  const bool exceeds =
      bounds.most < above_all && (bounds.most < below_all || integer > static_cast<i128>(std::floor(bounds.most)));
  return reaches && !exceeds;
}

bool is_within(const column_bounds& bounds, const table_column& column, std::size_t row, bool is_signed) {
  if (!column.is_integer) return bounds.contains(column.numbers[row]);
  const std::int64_t integer = column.integers[row];
  return is_within(bounds, is_signed ? i128{integer} : i128{static_cast<std::uint64_t>(integer)});
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

// The labels of the regions within all bounds.
std::vector<label_bits> labels_within(const std::vector<column_bounds>& bounds, const column_table& table,
                                      bool are_signed) {
  std::vector<label_bits> kept;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto is_kept = [&](const column_bounds& each) {
      return is_within(each, table.column(each.column), row, are_signed || each.column != "label");
    };
    if (std::all_of(bounds.begin(), bounds.end(), is_kept))
      kept.push_back(static_cast<label_bits>(table.column("label").integers[row]));
  }
  return kept;
}

std::vector<label_bits> keep(engine& on, const image_view& labels, const std::vector<column_bounds>& bounds,
                             const column_request& asked, const mutable_image& out) {
  const image_view from = as_plane("labels", labels);
  const mutable_image to = is_line(labels.size) ? as_plane_beside_line("out", out) : out;
  regions::check_label_image("labels", from);
  regions::check_label_output("out", to, from);
  features::check_bounds(bounds);
  const bool are_signed = is_signed_label_type(labels.type);
  label_map kept{.from = labels_within(bounds, measured(on, labels, bounds, asked), are_signed),
                 .to = {},
                 .unnamed = unnamed_labels::zero};
  for (const label_bits label : kept.from) regions::check_fits("out", label, are_signed, out.type);
  kept.to = kept.from;
  remap(on, from, kept, to);
  return std::move(kept.from);  // a copy might not fit the memory, when all is written
}

}  // namespace

std::vector<label_bits> keep_regions(engine& on, const image_view& labels, const std::vector<column_bounds>& bounds,
                                     const column_request& asked, const mutable_image& out) {
  return regions::with_memory([&] { return keep(on, labels, bounds, asked, out); });
}

}  // namespace skerry

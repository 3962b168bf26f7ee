// SPDX-License-Identifier: Apache-2.0
// Components chosen by columns of the table of the whole image, after those that number() chooses.
#include <algorithm>
#include <string>

#include "core/portable.hpp"
#include "engine/image_checks.hpp"
#include "features/column_plan.hpp"
#include "label/select.hpp"
#include "skerry/blocks.hpp"

namespace skerry {
namespace {

std::vector<double> column_of(const feature_table& table, const std::string& name, const pixel_spacing* spacing) {
  const std::vector<std::string> known = spacing != nullptr ? table.column_names(*spacing) : table.column_names();
  if (std::find(known.begin(), known.end(), name) == known.end())
    refuse("bounds: '" + name +
           "' is no column of this table; measure the blocks with moments or intensities, or give what needs whole "
           "components to keep_regions()");
  return spacing != nullptr ? table.column(name, *spacing) : table.column(name);
}

}  // namespace

void keep_components(numbering& of, const std::vector<column_bounds>& bounds, const pixel_spacing* spacing) {
  if (of.table.size() != of.labels.count) refuse("of: has not its table, of which components are chosen");
  features::check_bounds(bounds);
  std::vector<u32> renumbered(of.table.size(), 1);
  for (const column_bounds& each : bounds) {
    const std::vector<double> column = column_of(of.table, each.column, spacing);
    for (std::size_t row = 0; row < renumbered.size(); ++row) renumbered[row] &= each.contains(column[row]) ? 1 : 0;
  }
  u32 count = 0;
  for (u32& label : renumbered) label = label == 0 ? 0 : ++count;
  for (std::uint64_t& label : of.labels.label)
    if (label != 0) label = renumbered[static_cast<std::size_t>(label) - 1];
  of.labels.count = count;
  label_stages::keep_chosen(renumbered, count, of.table);
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#include "reference/regions.hpp"

#include <algorithm>
#include <map>

#include "reference/given_labels.hpp"
#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

// The rows of these labels only, in this order.
template <class Row>
void pick(const std::vector<std::size_t>& rows, const Row& nothing, table_rows<Row>& table) {
  const table_rows<Row> all = table;
  table.clear();
  for (const std::size_t row : rows) table.push_back(row < all.size() ? all[row] : nothing);
}

void pick_labels(const region_request& asked, region_table& table) {
  std::vector<std::size_t> rows;
  for (const label_bits label : *asked.index)
    rows.push_back(
        static_cast<std::size_t>(std::find(table.labels.begin(), table.labels.end(), label) - table.labels.begin()));
  feature_table& features = table.features;
  pick(rows, geometry{0, {0, 0, 0}, {0, 0, 0}, {-1, -1, -1}}, features.components);
  if (features.has_moments) pick(rows, second_moments{}, features.moments);
  if (features.has_intensities && sums_reals(asked.features.intensity.type))
    pick(rows, real_intensity{}, features.real_intensities);
  else if (features.has_intensities) pick(rows, intensity{}, features.intensities);
  table.labels = *asked.index;
}

}  // namespace

region_table measure_regions(const region_request& asked) {
  const dtype type = asked.labels.type;
  const std::vector<wide> labels = labels_of(asked.labels);
  std::map<wide, u64> number;  // of each region, ascending from 1
  for (const wide label : labels)
    if (!is_background(label, asked.background, type)) number[label] = 0;
  region_table table;
  table.signed_labels = is_signed(type);
  u64 count = 0;
  for (auto& [label, its_number] : number) {
    its_number = ++count;
    table.labels.push_back(static_cast<label_bits>(label));
  }
  std::vector<u64> numbered;
  for (const wide label : labels)
    numbered.push_back(is_background(label, asked.background, type) ? 0 : number.at(label));
  table.features = measure(numbered, count, asked.labels.size, asked.features);
  if (asked.index.has_value()) pick_labels(asked, table);
  return table;
}

}  // namespace skerry::reference

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
  const auto pick_intensities = [&](feature_table& of, const image_view& image) {
    if (of.has_intensities && sums_reals(image.type)) pick(rows, real_intensity{}, of.real_intensities);
    else if (of.has_intensities) pick(rows, intensity{}, of.intensities);
  };
  pick_intensities(features, asked.features.intensity);
  for (std::size_t c = 0; c < asked.channels.size(); ++c) pick_intensities(table.channels[c], asked.channels[c]);
  table.labels = *asked.index;
}

}  // namespace

std::vector<u64> membership(const image_view& labels, const background& rule, label_bits label) {
  std::vector<u64> is_in;
  for (const wide one : labels_of(labels))
    is_in.push_back(one == number_of(label, labels.type) && !is_background(one, rule) ? 1 : 0);
  return is_in;
}

relabelled relabel(const image_view& labels, const relabel_options& options) {
  const std::vector<wide> old = labels_of(labels);
  std::vector<wide> regions;  // in the order of their new labels
  for (const wide label : old)
    if (!is_background(label, options.background) && std::find(regions.begin(), regions.end(), label) == regions.end())
      regions.push_back(label);
  if (options.order == region_order::ascending) std::sort(regions.begin(), regions.end());
  relabelled result;
  for (const wide region : regions) result.originals.push_back(static_cast<label_bits>(region));
  for (const wide label : old) {
    const auto at = std::find(regions.begin(), regions.end(), label);
    result.labels.push_back(at == regions.end() ? 0 : static_cast<u64>(at - regions.begin()) + 1);
  }
  return result;
}

std::vector<u64> remap(const image_view& labels, const label_map& map) {
  std::vector<u64> result;
  for (const wide label : labels_of(labels)) {
    const auto bits = static_cast<label_bits>(label);
    const auto at = std::find(map.from.begin(), map.from.end(), bits);
    if (at != map.from.end()) result.push_back(map.to[static_cast<std::size_t>(at - map.from.begin())]);
    else result.push_back(map.unnamed == unnamed_labels::keep ? bits : 0);
  }
  return result;
}

region_table measure_regions(const region_request& asked) {
  const dtype type = asked.labels.type;
  const std::vector<wide> labels = labels_of(asked.labels);
  std::map<wide, u64> number;  // of each region, ascending from 1
  for (const wide label : labels)
    if (!is_background(label, asked.background)) number[label] = 0;
  region_table table;
  table.signed_labels = is_signed(type);
  u64 count = 0;
  for (auto& [label, its_number] : number) {
    its_number = ++count;
    table.labels.push_back(static_cast<label_bits>(label));
  }
  std::vector<u64> numbered(labels.size());
  std::transform(labels.begin(), labels.end(), numbered.begin(),
                 [&](const wide& label) { return is_background(label, asked.background) ? 0 : number.at(label); });
  table.features = measure(numbered, count, asked.labels.size, asked.features);
  for (const image_view& channel : asked.channels) {
    feature_table& sums = table.channels.emplace_back(measure(numbered, count, asked.labels.size, {false, channel}));
    sums.components.clear();
  }
  if (asked.index.has_value()) pick_labels(asked, table);
  return table;
}

}  // namespace skerry::reference

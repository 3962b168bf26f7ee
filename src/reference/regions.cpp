// SPDX-License-Identifier: Apache-2.0
#include "reference/regions.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

__extension__ using wide = __int128;

bool is_signed(dtype type) {
  return type == dtype::i8 || type == dtype::i16 || type == dtype::i32 || type == dtype::i64;
}

wide number_of(label_bits bits, dtype type) {
  return is_signed(type) ? wide{static_cast<i64>(bits)} : static_cast<wide>(bits);
}

// A label as a number.
wide label_at(const image_view& image, i64 z, i64 y, i64 x) {
  const auto* at =
      static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y + x * image.strides.x;
  u64 bits = 0;
  std::memcpy(&bits, at, size_of(image.type));  // the low bytes come first
  if (image.type == dtype::boolean) return bits != 0 ? 1 : 0;
  const auto above = static_cast<int>(64 - 8 * size_of(image.type));
  return is_signed(image.type) ? wide{static_cast<i64>(bits << above) >> above} : static_cast<wide>(bits);
}

bool is_background(wide label, const background& rule, dtype type) {
  if (rule.kind == background::rule::none) return false;
  if (rule.kind == background::rule::zero_and_below) return label <= 0;
  return label == number_of(rule.label, type);
}

std::vector<wide> labels_of(const image_view& image) {
  std::vector<wide> labels;
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y)
      for (i64 x = 0; x < image.size.width; ++x) labels.push_back(label_at(image, z, y, x));
  return labels;
}

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

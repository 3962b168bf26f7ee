// SPDX-License-Identifier: Apache-2.0
// The columns of a table of regions: those of its features, but for the labels.
#include "core/intensity_columns.hpp"
#include "skerry/regions.hpp"

namespace skerry {
namespace {

constexpr std::string_view label_column = "label";

std::vector<double> numbers_of_labels(const region_table& table) {
  std::vector<double> numbers;
  numbers.reserve(table.size());
  for (const label_bits label : table.labels)
    numbers.push_back(table.signed_labels ? static_cast<double>(static_cast<std::int64_t>(label))
                                          : static_cast<double>(label));
  return numbers;
}

// Calls visit(name, column, channel) for each column of channels.
template <class Visit>
void each_channel_column(const region_table& table, Visit visit) {
  for (const intensity_column& column : intensity_columns)
    for (std::size_t c = 0; c < table.channels.size(); ++c)
      visit(std::string(column.name) + "-" + std::to_string(c), column, table.channels[c]);
}

// The numbers of a column of a channel; empty where the name is of none.
std::optional<std::vector<double>> numbers_of_channel(const region_table& table, std::string_view name) {
  std::optional<std::vector<double>> numbers;
  each_channel_column(table, [&](const std::string& each, const intensity_column& column, const feature_table& sums) {
    if (each != name) return;
    numbers.emplace(table.size());
    for (std::size_t row = 0; row < table.size(); ++row) (*numbers)[row] = column.value({table.features, sums}, row);
  });
  return numbers;
}

std::vector<std::string> with_channels(const region_table& table, std::vector<std::string> names) {
  each_channel_column(table, [&](const std::string& name, const auto&, const auto&) { names.push_back(name); });
  return names;
}

}  // namespace

std::vector<std::string> region_table::column_names() const { return with_channels(*this, features.column_names()); }

std::vector<std::string> region_table::column_names(const pixel_spacing& spacing) const {
  return with_channels(*this, features.column_names(spacing));
}

std::vector<double> region_table::column(std::string_view name) const {
  if (name == label_column) return numbers_of_labels(*this);
  if (const auto numbers = numbers_of_channel(*this, name)) return *numbers;
  return features.column(name);
}

std::vector<double> region_table::column(std::string_view name, const pixel_spacing& spacing) const {
  if (name == label_column) return numbers_of_labels(*this);
  if (const auto numbers = numbers_of_channel(*this, name)) return *numbers;
  return features.column(name, spacing);
}

std::vector<std::uint64_t> region_table::integer_column(std::string_view name) const {
  return name == label_column ? labels : features.integer_column(name);
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// The columns of a table of regions: those of its features, but for the labels.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/column.hpp"
#include "core/intensity_columns.hpp"
#include "engine/cpu/write_columns.hpp"
#include "skerry/regions.hpp"

namespace skerry {
namespace {

constexpr std::string_view label_column = "label";

// Calls visit(name, column, channel) for each column of channels.
template <class Visit>
void each_channel_column(const region_table& table, Visit visit) {
  for (const intensity_column& column : intensity_columns)
    for (std::size_t c = 0; c < table.channels.size(); ++c)
      visit(std::string(column.name) + "-" + std::to_string(c), column, table.channels[c]);
}

written_column column_of_labels(const region_table& table) {
  return {[&table](std::size_t begin, std::size_t end, void* to) {
    auto* number = static_cast<double*>(to);
    for (std::size_t row = begin; row < end; ++row) {
      const label_bits label = table.labels[row];
      *number++ =
          table.signed_labels ? static_cast<double>(static_cast<std::int64_t>(label)) : static_cast<double>(label);
    }
  }};
}

written_column column_of_bits(const region_table& table) {
  return {[&table](std::size_t begin, std::size_t end, void* to) {
    std::copy(table.labels.begin() + static_cast<std::ptrdiff_t>(begin),
              table.labels.begin() + static_cast<std::ptrdiff_t>(end), static_cast<label_bits*>(to));
  }};
}

// A column that is not of table.features; none where the name is of one that is.
template <class Value>
std::optional<written_column> own_column(const region_table& table, std::string_view name) {
  if (name == label_column) return std::is_same_v<Value, label_bits> ? column_of_bits(table) : column_of_labels(table);
  std::optional<written_column> found;
  each_channel_column(table, [&](const std::string& each, const intensity_column& column, const feature_table& sums) {
    if (each != name) return;
    if (std::is_same_v<Value, label_bits>) refuse_integers(name);
    found = written_column{[&table, &sums, value = column.value](std::size_t begin, std::size_t end, void* to) {
      auto* number = static_cast<double*>(to);
      for (std::size_t row = begin; row < end; ++row) *number++ = value({table.features, sums}, row);
    }};
  });
  return found;
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
  if (auto own = own_column<double>(*this, name)) return written_alone<double>(std::move(*own), size());
  return features.column(name);
}

std::vector<double> region_table::column(std::string_view name, const pixel_spacing& spacing) const {
  if (auto own = own_column<double>(*this, name)) return written_alone<double>(std::move(*own), size());
  return features.column(name, spacing);
}

std::vector<std::uint64_t> region_table::integer_column(std::string_view name) const {
  if (auto own = own_column<label_bits>(*this, name)) return written_alone<label_bits>(std::move(*own), size());
  return features.integer_column(name);
}

void region_table::write_columns(engine& on, std::span<const column_place> columns,
                                 const std::optional<pixel_spacing>& spacing) const {
  std::vector<written_column> own;
  std::vector<column_place> of_features;
  for (const column_place& place : columns) {
    auto column =
        place.integers != nullptr ? own_column<label_bits>(*this, place.name) : own_column<double>(*this, place.name);
    const auto it = [&] { return std::move(*column); };
    if (column) own.push_back(written_to(place, size(), it, it));
    else of_features.push_back(place);
  }
  features.write_columns(on, of_features, spacing);  // refuses names before any column is written
  write_in_blocks(on, own, size());
}

}  // namespace skerry

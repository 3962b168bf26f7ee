// SPDX-License-Identifier: Apache-2.0
// The columns of a table of regions: those of its features, but for the labels.
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

}  // namespace

std::vector<std::string> region_table::column_names(const pixel_spacing& spacing) const {
  return features.column_names(spacing);
}

std::vector<double> region_table::column(std::string_view name) const {
  return name == label_column ? numbers_of_labels(*this) : features.column(name);
}

std::vector<double> region_table::column(std::string_view name, const pixel_spacing& spacing) const {
  return name == label_column ? numbers_of_labels(*this) : features.column(name, spacing);
}

std::vector<std::uint64_t> region_table::integer_column(std::string_view name) const {
  return name == label_column ? labels : features.integer_column(name);
}

}  // namespace skerry

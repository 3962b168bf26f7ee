// SPDX-License-Identifier: Apache-2.0
#include "cli/component_filter.hpp"

#include <fmt/format.h>

#include "cli/column_choice.hpp"

namespace skerry::cli {
namespace {

template <class Label>
void relabel(Label* pixel, std::int64_t count, const std::vector<std::uint64_t>& labels) {
  for (; count > 0; --count, ++pixel)
    if (*pixel != 0) *pixel = static_cast<Label>(labels[static_cast<std::size_t>(*pixel) - 1]);
}

}  // namespace

std::vector<double> new_labels::rows(const std::vector<double>& column) const {
  std::vector<double> kept;
  for (std::size_t i = 0; i < column.size(); ++i)
    if (of[i] != 0) kept.push_back(column[i]);
  return kept;
}

void new_labels::apply(const mutable_image& labels) const {
  const std::int64_t pixels = labels.size.pixels();
  switch (labels.type) {
    case dtype::u8: return relabel(static_cast<std::uint8_t*>(labels.data), pixels, of);
    case dtype::u16: return relabel(static_cast<std::uint16_t*>(labels.data), pixels, of);
    case dtype::u32: return relabel(static_cast<std::uint32_t*>(labels.data), pixels, of);
    default: return relabel(static_cast<std::uint64_t*>(labels.data), pixels, of);
  }
}

component_filter::component_filter(const std::vector<std::string>& texts, const table_sources& of)
    : conditions_(texts) {
  if (!wanted()) return;
  const std::vector<std::string> names = conditions_.columns();
  check_sources("--keep", names, of);
  conditions_.require(choose_columns("all", of).names);
  const feature_columns needed = choose_columns(fmt::format("{}", fmt::join(names, ",")), of);
  moments_ = needed.moments;
  intensity_ = needed.intensity;
  more_ = needed.more;
}

bool component_filter::reads(const std::string& column) const { return holds(conditions_.columns(), column); }

new_labels component_filter::number(const measured_columns& rows) const {
  const std::vector<std::uint8_t> kept =
      conditions_.select(rows.size(), [&](const std::string& name) { return rows.column(name); });
  new_labels labels;
  labels.of.reserve(kept.size());
  for (const std::uint8_t each : kept) labels.of.push_back(each != 0 ? ++labels.count : 0);
  return labels;
}

}  // namespace skerry::cli

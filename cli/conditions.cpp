// SPDX-License-Identifier: Apache-2.0
#include "cli/conditions.hpp"

#include <fmt/format.h>

#include "cli/column_choice.hpp"
#include "cli/console.hpp"

namespace skerry::cli {

conditions::conditions(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) add(text);
}

void conditions::add(const std::string& text) {
  try {
    all_.push_back(expression::parse(text));
  } catch (const expression_error& error) {
    throw usage_error(fmt::format("--keep '{}': {}", text, error.what()));
  }
}

std::vector<std::string> conditions::columns() const {
  std::vector<std::string> names;
  for (const expression& each : all_) names.insert(names.end(), each.columns().begin(), each.columns().end());
  return names;
}

void conditions::require(const std::vector<std::string>& known) const {
  for (const std::string& name : columns())
    if (!holds(known, name)) throw usage_error(no_column("--keep", name, known));
}

std::vector<std::uint8_t> conditions::select(
    std::size_t rows, const std::function<std::vector<double>(const std::string& name)>& column) const {
  std::vector<std::uint8_t> kept(rows, 1);
  for (const expression& each : all_) {
    const std::vector<std::uint8_t> met = each.select(rows, column);
    for (std::size_t row = 0; row < rows; ++row) kept[row] &= met[row];
  }
  return kept;
}

}  // namespace skerry::cli

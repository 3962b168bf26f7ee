// SPDX-License-Identifier: Apache-2.0
#include "cli/tree_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/attribute_columns.hpp"
#include "cli/column_choice.hpp"
#include "cli/console.hpp"
#include "cli/number.hpp"

namespace skerry::cli {
namespace {

filter_rule rule_of(const std::string& name) {
  if (name == "min") return filter_rule::min;
  if (name == "max") return filter_rule::max;
  if (name == "subtractive") return filter_rule::subtractive;
  return filter_rule::direct;
}

std::string without_spaces(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

double distance_of(const std::string& option, double value) {
  if (!std::isfinite(value) || value < 0)
    throw usage_error(fmt::format("{}: {} is not a number from 0 up", option, value));
  return value;
}

}  // namespace

tree_filter::tree_filter(const filter_choice& choice) {
  if (choice.min_area) conditions_.push_back({"area", comparison::at_least, static_cast<double>(*choice.min_area)});
  if (choice.min_diagonal)
    conditions_.push_back({"bbox_diagonal", comparison::at_least, distance_of("--min-diagonal", *choice.min_diagonal)});
  for (const std::string& text : choice.keep) conditions_.push_back(parse(text));
  if (choice.h) h_ = distance_of("--h", *choice.h);
  options_ = {rule_of(choice.rule), choice.top_hat};
}

tree_filter::condition tree_filter::parse(const std::string& text) {
  const std::size_t at = std::min(text.find_first_of("<>"), text.size());
  const bool equal = at + 1 < text.size() && text[at + 1] == '=';
  const std::string attribute = without_spaces(text.substr(0, at));
  const std::string number = without_spaces(text.substr(std::min(at + (equal ? 2 : 1), text.size())));
  if (attribute.empty() || number.empty())
    throw usage_error("--keep: '" + text + "' is not a comparison such as 'area>=20', with the quotes");
  const std::optional<double> value = number_of(number);
  if (!value) throw usage_error("--keep '" + text + "': '" + number + "' is not a number");
  const comparison how = text[at] == '>' ? (equal ? comparison::at_least : comparison::above)
                                         : (equal ? comparison::at_most : comparison::below);
  return {attribute, how, *value};
}

bool tree_filter::condition::holds(double number) const {
  switch (how) {
    case comparison::at_least: return number >= value;
    case comparison::at_most: return number <= value;
    case comparison::above: return number > value;
    case comparison::below: return number < value;
  }
  return false;
}

void tree_filter::check(const std::string& name, int rank, dtype type) const {
  const std::vector<std::string> known = attribute_names(rank);
  for (const condition& each : conditions_)
    if (!cli::holds(known, each.attribute))
      throw usage_error(fmt::format("--keep: no '{}'; there are {}", each.attribute, fmt::join(known, ", ")));
  if (h_ && type != dtype::f32 && *h_ != std::floor(*h_))
    throw usage_error(fmt::format("--h: {} is not whole, but {} is of {}", *h_, name, name_of(type)));
}

std::vector<std::string> tree_filter::attributes() const {
  std::vector<std::string> names;
  for (const condition& each : conditions_) names.push_back(each.attribute);
  return names;
}

dtype tree_filter::output_type(dtype type) const { return options_.top_hat && type == dtype::i16 ? dtype::u16 : type; }

void tree_filter::apply(engine& on, const max_tree& tree, const attribute_table& table,
                        const mutable_image& output) const {
  if (h_) {
    extrema_filter(on, tree, *h_, output, options_.top_hat);
    return;
  }
  std::vector<std::uint8_t> keep(tree.nodes(), 1);
  for (const condition& each : conditions_) {
    const std::vector<double> numbers = table.column(tree, each.attribute);
    for (std::size_t node = 0; node < keep.size(); ++node)
      if (!each.holds(numbers[node])) keep[node] = 0;
  }
  filter(on, tree, keep, options_, output);
}

}  // namespace skerry::cli

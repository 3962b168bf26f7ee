// SPDX-License-Identifier: Apache-2.0
#include "cli/tree_filter.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/attribute_columns.hpp"
#include "cli/console.hpp"
#include "io/file_error.hpp"

namespace skerry::cli {
namespace {

filter_rule rule_of(const std::string& name) {
  if (name == "min") return filter_rule::min;
  if (name == "max") return filter_rule::max;
  if (name == "subtractive") return filter_rule::subtractive;
  return filter_rule::direct;
}

double distance_of(const std::string& option, double value) {
  if (!std::isfinite(value) || value < 0)
    throw usage_error(fmt::format("{}: {} is not a number from 0 up", option, value));
  return value;
}

}  // namespace

bool is_float(dtype type) { return type == dtype::f16 || type == dtype::f32 || type == dtype::f64; }

tree_filter::tree_filter(const filter_choice& choice) {
  if (choice.min_area) conditions_.add(fmt::format("area>={}", *choice.min_area));
  if (choice.min_diagonal)
    conditions_.add(fmt::format("bbox_diagonal>={}", distance_of("--min-diagonal", *choice.min_diagonal)));
  for (const std::string& text : choice.keep) conditions_.add(text);
  if (choice.h) h_ = distance_of("--h", *choice.h);
  options_ = {rule_of(choice.rule), choice.top_hat};
}

void tree_filter::check(const std::string& name, int rank, dtype type) const {
  conditions_.require(attribute_names(rank));
  if (h_ && !is_float(type) && *h_ != std::floor(*h_))
    throw io::file_error(name, fmt::format("is of {}, and --h {} is not whole", name_of(type), *h_));
}

dtype tree_filter::output_type(dtype type) const { return options_.top_hat ? top_hat_type(type) : type; }

void tree_filter::apply(engine& on, const max_tree& tree, const attribute_table& table,
                        const mutable_image& output) const {
  if (h_) {
    extrema_filter(on, tree, *h_, output, options_.top_hat);
    return;
  }
  const std::vector<std::uint8_t> keep =
      conditions_.select(tree.nodes(), [&](const std::string& name) { return table.column(tree, name); });
  filter(on, tree, keep, options_, output);
}

}  // namespace skerry::cli

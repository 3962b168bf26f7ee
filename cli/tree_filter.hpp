// SPDX-License-Identifier: Apache-2.0
// From the filter options of `tree` to the library's filters.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/conditions.hpp"
#include "skerry/engine.hpp"
#include "skerry/max_tree.hpp"

namespace skerry::cli {

struct filter_choice {
  std::optional<std::uint64_t> min_area;
  std::optional<double> min_diagonal;
  std::optional<double> h;
  std::vector<std::string> keep;  // "area>=20 and dynamics>3"
  std::string rule = "direct";
  bool top_hat = false;
};

/// Whether the numbers of a type have fractions.
[[nodiscard]] bool is_float(dtype type);

class tree_filter {
 public:
  /// Throws usage_error for a comparison or a number that is none.
  explicit tree_filter(const filter_choice& choice);

  /// False when there is nothing to filter by.
  [[nodiscard]] bool wanted() const { return h_ || !conditions_.empty(); }
  /// Throws usage_error or io::file_error when images of this rank and type cannot be filtered so.
  void check(const std::string& name, int rank, dtype type) const;
  /// The attributes that are compared.
  [[nodiscard]] std::vector<std::string> attributes() const { return conditions_.columns(); }
  /// The type of the filtered image.
  [[nodiscard]] dtype output_type(dtype type) const;
  /// Writes the filtered image. A node stays when it meets all conditions.
  void apply(engine& on, const max_tree& tree, const attribute_table& table, const mutable_image& output) const;

 private:
  conditions conditions_;
  std::optional<double> h_;
  filter_options options_;
};

}  // namespace skerry::cli

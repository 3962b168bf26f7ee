// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "skerry/max_tree.hpp"
#include "skerry/measure.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// Rows of features whose columns are made when they are asked for.
class column_source {
 public:
  virtual ~column_source() = default;
  [[nodiscard]] virtual std::size_t rows() const = 0;
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  /// An array of float64, or of integers for a column of integers. Throws invalid_argument for an unknown name.
  [[nodiscard]] virtual nb::object column(const std::string& name) const = 0;
};

/// Features of components.
class component_columns : public column_source {
 public:
  feature_table table;
  std::optional<pixel_spacing> spacing;

  [[nodiscard]] std::size_t rows() const override { return table.size(); }
  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] nb::object column(const std::string& name) const override;
};

/// A max-tree that never changes, shared by the Python object and its tables.
using shared_tree = std::shared_ptr<const max_tree>;

}  // namespace skerry::python

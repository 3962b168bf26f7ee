// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind/array.hpp"
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

/// Columns of a table of the library, feature_table or region_table.
template <class Rows>
class measured_columns : public column_source {
 public:
  Rows table;
  std::optional<pixel_spacing> spacing;

  [[nodiscard]] std::size_t rows() const override { return table.size(); }

  [[nodiscard]] std::vector<std::string> names() const override {
    return spacing ? table.column_names(*spacing) : table.column_names();
  }

  [[nodiscard]] nb::object column(const std::string& name) const override {
    if (feature_table::is_integer_column(name)) {
      // Only these can reach 2^63; signed ones mix with other integers of NumPy.
      const bool large = name.starts_with("coordinate_sum-");
      return array_of(table.integer_column(name), large ? dtype::u64 : dtype::i64);
    }
    std::vector<double> numbers;
    {
      const nb::gil_scoped_release unlocked;
      numbers = spacing ? table.column(name, *spacing) : table.column(name);
    }
    return array_of(std::move(numbers));
  }
};

using component_columns = measured_columns<feature_table>;

/// The size of a pixel, one number for each axis or one for all; nothing for None. Throws ValueError naming the argument.
[[nodiscard]] std::optional<pixel_spacing> spacing_from(nb::handle sizes, nb::handle unit, int rank);

/// A max-tree that never changes, shared by the Python object and its tables.
using shared_tree = std::shared_ptr<const max_tree>;

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bind/array.hpp"
#include "bind/engine.hpp"
#include "bind/long_call.hpp"
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
  /// A dict of arrays of float64, or of integers for columns of integers. Throws invalid_argument for an unknown name.
  [[nodiscard]] virtual nb::dict columns(const std::vector<std::string>& names) const = 0;
};

/// Columns of a table of the library, feature_table or region_table.
template <class Rows>
class measured_columns : public column_source {
 public:
  Rows table;
  std::optional<pixel_spacing> spacing;
  int threads = 0;  // which write columns; 0 where the call did not say

  [[nodiscard]] std::size_t rows() const override { return table.size(); }

  [[nodiscard]] std::vector<std::string> names() const override {
    return spacing ? table.column_names(*spacing) : table.column_names();
  }

  [[nodiscard]] nb::dict columns(const std::vector<std::string>& names) const override {
    std::vector<nb::object> arrays;
    std::vector<std::string_view> written;
    for (const std::string& name : names)
      if (!arrays.emplace_back(own_column(name)).is_valid()) written.push_back(name);
    const column_memory memory(table.size(), written.size());
    write(written, memory);
    nb::dict found;
    std::size_t next = 0;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!arrays[k].is_valid()) arrays[k] = memory.array(next++, type_of(names[k]));
      found[nb::str(names[k].c_str())] = arrays[k];
    }
    return found;
  }

 protected:
  /// A column that the table of the library does not have, or not as Python wants it; else no object.
  [[nodiscard]] virtual nb::object own_column(const std::string&) const { return {}; }

 private:
  [[nodiscard]] static dtype type_of(std::string_view name) {
    if (!feature_table::is_integer_column(name)) return dtype::f64;
    // Only these can reach 2^63; signed ones mix with other integers of NumPy.
    return name.starts_with("coordinate_sum-") ? dtype::u64 : dtype::i64;
  }

  void write(const std::vector<std::string_view>& names, const column_memory& memory) const {
    if (names.empty()) return;
    std::vector<column_place> places;
    for (const std::string_view name : names) {
      void* const to = memory.at(places.size());
      const bool is_integer = feature_table::is_integer_column(name);
      places.push_back({name, is_integer ? nullptr : static_cast<double*>(to),
                        is_integer ? static_cast<std::uint64_t*>(to) : nullptr});
    }
    const auto values = static_cast<std::int64_t>(names.size() * table.size());
    engine& on = engine_for_values(values, threads);
    run_unlocked(on, {values, pace::columns}, [&] { table.write_columns(on, places, spacing); });
  }
};

using component_columns = measured_columns<feature_table>;

/// The size of a pixel, one number for each axis or one for all; nothing for None. Throws ValueError naming the argument.
[[nodiscard]] std::optional<pixel_spacing> spacing_from(nb::handle sizes, nb::handle unit, int rank);

/// A max-tree that never changes, shared by the Python object and its tables.
using shared_tree = std::shared_ptr<const max_tree>;

}  // namespace skerry::python

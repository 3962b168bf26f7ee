// SPDX-License-Identifier: Apache-2.0
#include "skerry/columns.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/long_call.hpp"
#include "bind/table.hpp"

namespace skerry::python {
namespace {

nb::object array_of_column(const table_column& column, bool are_signed) {
  if (column.name == "label") return array_of_labels({column.integers.begin(), column.integers.end()}, are_signed);
  return column.is_integer ? array_of(std::vector(column.integers)) : array_of(std::vector(column.numbers));
}

// A dict of arrays, in the order of the table.
nb::dict columns_of(nb::handle labels, const std::vector<std::string>& names, nb::handle intensity,
                    nb::handle background, nb::handle spacing, nb::handle threads) {
  const held_image held(labels, "labels");
  std::optional<held_image> greys;
  if (!intensity.is_none()) greys.emplace(intensity, "intensity");
  column_request asked;
  asked.columns = names;
  asked.background = background_from(background);
  if (greys) asked.intensity = greys->view();
  asked.spacing = spacing_from(spacing, "", held.size().rank).value_or(pixel_spacing{});
  engine& on = engine_of_thread(threads);
  column_table table;
  run_unlocked(on, {held.size().pixels(), nanoseconds_of_columns},
               [&] { measure_columns(on, held.view(), asked, table); });
  nb::dict arrays;
  for (const table_column& column : table.columns)
    arrays[nb::str(column.name.c_str())] = array_of_column(column, is_signed(held.view().type));
  return arrays;
}

}  // namespace

void bind_columns(nb::module_& module) {
  module.def("measure_columns", &columns_of, nb::arg("labels"), nb::arg("columns"), nb::arg("intensity").none(),
             nb::arg("background").none(), nb::arg("spacing").none(), nb::arg("threads").none());
  module.def("column_groups", &column_groups);
}

}  // namespace skerry::python

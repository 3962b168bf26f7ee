// SPDX-License-Identifier: Apache-2.0
#include "skerry/measure.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/engine.hpp"
#include "bind/label.hpp"
#include "bind/table.hpp"

namespace skerry::python {
namespace {

// The size of a pixel, one number for each axis or one for all.
pixel_spacing spacing_from(nb::handle sizes, const std::string& unit, int rank) {
  pixel_spacing spacing;
  spacing.unit = unit;
  double* const axes[3] = {&spacing.z, &spacing.y, &spacing.x};
  if (PySequence_Check(sizes.ptr()) == 0) {
    for (double* const axis : axes) *axis = real_number(sizes, "spacing");
    if (rank == 2) spacing.z = 1;
    return spacing;
  }
  if (nb::len(sizes) != static_cast<std::size_t>(rank))
    bad_value("spacing", text_of(sizes) + " has not one number for each of the " + std::to_string(rank) + " axes");
  for (int axis = 0; axis < rank; ++axis) *axes[3 - rank + axis] = real_number(sizes[axis], "spacing");
  return spacing;
}

std::unique_ptr<column_source> measure_array(nb::handle image, const component_choice& chosen, nb::handle intensity,
                                             bool moments, nb::handle spacing, const std::string& unit,
                                             nb::handle threads) {
  const held_image held(image, "image");
  std::optional<held_image> greys;
  if (!intensity.is_none()) greys.emplace(intensity, "intensity");
  auto columns = std::make_unique<component_columns>();
  const image_view source = held.view();
  if (!spacing.is_none()) {
    columns->spacing = spacing_from(spacing, unit, source.size.rank);
    columns->table.rank = source.size.rank;
    static_cast<void>(columns->table.column("label", *columns->spacing));  // checks it, before any work
  } else if (!unit.empty()) {
    bad_value("unit", "needs spacing, the size of a pixel");
  }
  engine& on = engine_of_thread(threads);
  const nb::gil_scoped_release unlocked;
  measure(on, source, chosen.options_for(source), {moments, greys ? greys->view() : image_view()}, columns->table);
  return columns;
}

}  // namespace

std::vector<std::string> component_columns::names() const {
  return spacing ? table.column_names(*spacing) : table.column_names();
}

nb::object component_columns::column(const std::string& name) const {
  if (feature_table::is_integer_column(name)) {
    nb::object integers = array_of(table.integer_column(name));
    // Only these can reach 2^63; signed ones mix with other integers of NumPy.
    return name.starts_with("coordinate_sum-") ? integers : nb::object(integers.attr("view")("int64"));
  }
  std::vector<double> numbers;
  {
    const nb::gil_scoped_release unlocked;
    numbers = spacing ? table.column(name, *spacing) : table.column(name);
  }
  return array_of(std::move(numbers));
}

void bind_measure(nb::module_& module) {
  nb::class_<column_source>(module, "Columns")
      .def_prop_ro("rows", &column_source::rows)
      .def("names", &column_source::names)
      .def("column", &column_source::column, nb::arg("name"));
  module.def("measure", &measure_array, nb::arg("image"), nb::arg("choice"), nb::arg("intensity").none(),
             nb::arg("moments"), nb::arg("spacing").none(), nb::arg("unit"), nb::arg("threads").none());
}

}  // namespace skerry::python

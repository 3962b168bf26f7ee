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
#include "bind/long_call.hpp"
#include "bind/table.hpp"

namespace skerry::python {
namespace {

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// As the library does, before any work.
void check(const pixel_spacing& spacing, int rank) {
  feature_table table;
  table.rank = rank;
  static_cast<void>(table.column("label", spacing));
}

std::unique_ptr<column_source> measure_array(nb::handle image, const component_choice& chosen, nb::handle intensity,
                                             bool moments, nb::handle spacing, nb::handle unit, nb::handle threads) {
  const held_image held(image, "image", held_image::access::read_anywhere);
  std::optional<held_image> greys;
  if (!intensity.is_none()) greys.emplace(intensity, "intensity", held_image::access::read_anywhere);
  auto columns = std::make_unique<component_columns>();
  const image_view source = held.view();
  columns->spacing = spacing_from(spacing, unit, source.size.rank);
  columns->threads = threads_from(threads);
  check_choice(chosen, held.is_on_device());
  engine& on = engine_for_components(held, threads);
  run_unlocked(on, {source.size.pixels(), chosen.pace_of_call()}, [&] {
    measure(on, source, chosen.options_for(on, source), {moments, greys ? greys->view() : image_view()},
            columns->table);
  });
  return columns;
}

}  // namespace

std::optional<pixel_spacing> spacing_from(nb::handle sizes, nb::handle unit, int rank) {
  const std::string name = text_from(unit, "unit");
  if (sizes.is_none()) {
    if (!name.empty()) bad_value("unit", "needs spacing, the size of a pixel");
    return std::nullopt;
  }
  pixel_spacing spacing;
  spacing.unit = name;
  double* const axes[3] = {&spacing.z, &spacing.y, &spacing.x};
  if (nb::isinstance<nb::str>(sizes) || nb::isinstance<nb::bytes>(sizes))
    bad_type("spacing", text_of(sizes) + " is not a number");
  // An array without axes has no length, but the methods of a sequence.
  if (PySequence_Check(sizes.ptr()) == 0 || (nb::hasattr(sizes, "shape") && is_scalar(sizes))) {
    for (double* const axis : axes) *axis = real_number(sizes, "spacing");
    if (rank <= 2) spacing.z = 1;
    if (rank == 1) spacing.y = 1;
  } else {
    const std::size_t count = nb::len(sizes);
    if (count != static_cast<std::size_t>(rank))
      bad_value("spacing", "has " + counted(count, "number") + "; give one" +
                               (rank == 1 ? "" : ", or one for each of the " + std::to_string(rank) + " axes"));
    for (int axis = 0; axis < rank; ++axis) *axes[3 - rank + axis] = real_number(sizes[axis], "spacing");
  }
  check(spacing, rank);
  return spacing;
}

void bind_measure(nb::module_& module) {
  nb::class_<column_source>(module, "Columns")
      .def_prop_ro("rows", &column_source::rows)
      .def("names", &column_source::names)
      .def("columns", &column_source::columns, nb::arg("names"));
  module.def("measure", &measure_array, nb::arg("image").none(), nb::arg("choice"), nb::arg("intensity").none(),
             nb::arg("moments"), nb::arg("spacing").none(), nb::arg("unit").none(), nb::arg("threads").none());
}

}  // namespace skerry::python

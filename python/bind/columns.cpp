// SPDX-License-Identifier: Apache-2.0
#include "skerry/columns.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arguments.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/label.hpp"
#include "bind/long_call.hpp"
#include "bind/table.hpp"

namespace skerry::python {
namespace {

column_request request_of(const held_image& labels, const held_intensities& greys, nb::handle background,
                          nb::handle spacing) {
  column_request asked;
  asked.background = background_from(background);
  asked.intensity = greys.single();
  asked.channels = greys.channels();
  asked.spacing = spacing_from(spacing, nb::str(""), labels.size().rank).value_or(pixel_spacing{});
  return asked;
}

// A dict of arrays, in the order of the table.
nb::dict columns_of(nb::handle labels, const std::vector<std::string>& names, nb::handle intensity, nb::handle index,
                    nb::handle background, nb::handle spacing, nb::handle threads) {
  const held_image held(labels, "labels", held_image::access::read_anywhere);
  const held_intensities greys(intensity, held);
  column_request asked = request_of(held, greys, background, spacing);
  asked.columns = names;
  asked.index = index_from(index);
  engine& on = engine_for(held, threads);
  column_table table;
  run_unlocked(on, {held.size().pixels(), nanoseconds_of_columns},
               [&] { measure_columns(on, held.view(), asked, table); });
  return arrays_of(table, is_signed(held.view().type));
}

// Returns the labels that are kept.
nb::object regions_kept(nb::handle labels, const bound_list& within, nb::handle out, nb::handle intensity,
                        nb::handle background, nb::handle spacing, nb::handle threads) {
  const held_image held(labels, "labels", held_image::access::read_anywhere);
  const held_image written(out, "out", held_image::access::write_anywhere);
  check_place(held, written);
  const held_intensities greys(intensity, held);
  const column_request asked = request_of(held, greys, background, spacing);
  const std::vector<column_bounds> bounds = bounds_from(within);
  engine& on = engine_for(held, threads);
  std::vector<label_bits> kept;
  run_unlocked(on, {held.size().pixels(), nanoseconds_of_columns}, [&] {
    const auto keep = [&] { kept = keep_regions(on, held.view(), bounds, asked, written.writable()); };
    naming("map", "out", [&] { naming("columns", "bounds", keep); });
  });
  return array_of_labels(std::move(kept), is_signed(held.view().type));
}

}  // namespace

void bind_columns(nb::module_& module) {
  module.def("measure_columns", &columns_of, nb::arg("labels").none(), nb::arg("columns"), nb::arg("intensity").none(),
             nb::arg("index").none(), nb::arg("background").none(), nb::arg("spacing").none(),
             nb::arg("threads").none());
  module.def("keep_regions", &regions_kept, nb::arg("labels").none(), nb::arg("bounds"), nb::arg("out").none(),
             nb::arg("intensity").none(), nb::arg("background").none(), nb::arg("spacing").none(),
             nb::arg("threads").none());
  module.def("column_groups", &column_groups);
}

}  // namespace skerry::python

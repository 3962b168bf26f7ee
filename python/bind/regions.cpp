// SPDX-License-Identifier: Apache-2.0
#include "skerry/regions.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/arguments.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/long_call.hpp"

namespace skerry::python {
namespace {

std::unique_ptr<column_source> measure_labels(nb::handle labels, nb::handle intensity, nb::handle index,
                                              nb::handle background, bool moments, nb::handle spacing, nb::handle unit,
                                              nb::handle threads) {
  const held_image held(labels, "labels", held_image::access::read_anywhere);
  const held_intensities greys(intensity, held);
  auto columns = std::make_unique<region_columns>();
  columns->spacing = spacing_from(spacing, unit, held.size().rank);
  columns->threads = threads_from(threads);
  region_request asked{held.view(), background_from(background), {moments}, index_from(index)};
  asked.features.intensity = greys.single();
  asked.channels = greys.channels();
  engine& on = engine_for(held, threads);
  run_unlocked(on, {held.size().pixels(), pace::regions}, [&] { measure_regions(on, asked, columns->table); });
  return columns;
}

}  // namespace

void bind_regions(nb::module_& module) {
  module.def("measure_labels", &measure_labels, nb::arg("labels").none(), nb::arg("intensity").none(),
             nb::arg("index").none(), nb::arg("background").none(), nb::arg("moments"), nb::arg("spacing").none(),
             nb::arg("unit").none(), nb::arg("threads").none());
}

}  // namespace skerry::python

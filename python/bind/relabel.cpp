// SPDX-License-Identifier: Apache-2.0
#include "skerry/relabel.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bind/arguments.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/label.hpp"
#include "bind/long_call.hpp"

namespace skerry::python {
namespace {

// Writes into `out`, which may be `labels`; returns the original labels.
nb::object number_regions(nb::handle labels, nb::handle background, nb::handle order, nb::handle out,
                          nb::handle threads) {
  const held_image held(labels, "labels", held_image::access::read_anywhere);
  const held_image written(out, "out", held_image::access::write_anywhere);
  check_place(held, written);
  relabel_options options;
  options.background = background_from(background);
  options.order = one_of<region_order>(
      order, "order", {{"first_pixel", region_order::first_pixel}, {"ascending", region_order::ascending}});
  engine& on = engine_for(held, threads);
  std::vector<label_bits> originals = run_unlocked(
      on, {held.size().pixels(), pace::regions}, [&] { return relabel(on, held.view(), options, written.writable()); });
  return array_of_labels(std::move(originals), is_signed(held.view().type));
}

void map_labels(nb::handle labels, nb::handle from, nb::handle to, nb::handle unnamed, nb::handle out,
                nb::handle threads) {
  const held_image held(labels, "labels", held_image::access::read_anywhere);
  const held_image written(out, "out", held_image::access::write_anywhere);
  check_place(held, written);
  label_map map{index_from(from).value(), index_from(to).value()};
  map.unnamed = one_of<unnamed_labels>(
      unnamed, "unnamed",
      {{"refuse", unnamed_labels::refuse}, {"keep", unnamed_labels::keep}, {"zero", unnamed_labels::zero}});
  engine& on = engine_for(held, threads);
  run_unlocked(on, {held.size().pixels(), pace::regions},
               [&] { naming("map", "mapping", [&] { remap(on, held.view(), map, written.writable()); }); });
}

}  // namespace

void bind_relabel(nb::module_& module) {
  module.def("relabel", &number_regions, nb::arg("labels").none(), nb::arg("background").none(),
             nb::arg("order").none(), nb::arg("out").none(), nb::arg("threads").none());
  module.def("remap", &map_labels, nb::arg("labels").none(), nb::arg("from_labels"), nb::arg("to_labels"),
             nb::arg("unnamed").none(), nb::arg("out").none(), nb::arg("threads").none());
}

}  // namespace skerry::python

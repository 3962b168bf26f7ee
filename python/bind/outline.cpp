// SPDX-License-Identifier: Apache-2.0
#include "bind/outline.hpp"

#include <utility>

#include "bind/arguments.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/long_call.hpp"

namespace skerry::python {
namespace {

void append_place(const corner& at, std::vector<std::int32_t>& to) {
  to.push_back(at.x);
  to.push_back(at.y);
}

nb::tuple outlines_of(nb::handle labels, nb::handle connectivity, nb::handle background, bool keep_collinear,
                      double simplify, bool through_centres, bool nesting, nb::handle threads) {
  const held_image held(labels, "labels");
  const auto neighbours = static_cast<int>(whole_number(connectivity, "connectivity", 1, 26));
  const outline_request asked{held.view(),     neighbours, background_from(background), keep_collinear, simplify,
                              through_centres, nesting};
  engine& on = engine_of_thread(threads);
  outline_arrays arrays;
  run_unlocked(on, {held.size().pixels(), pace::outlines}, [&] {
    outline_table table;
    outline(on, asked, table);
    arrays = outline_arrays(std::move(table));
  });
  return arrays.give();
}

}  // namespace

outline_arrays::outline_arrays(outline_table table) : table_(std::move(table)) {
  places_.reserve(2 * table_.vertices.size());
  for (const corner& each : table_.vertices) append_place(each, places_);
  parents_.reserve(table_.nesting.size());
  firsts_.reserve(2 * table_.nesting.size());
  for (const ring_nesting& each : table_.nesting) {
    parents_.push_back(each.parent);
    append_place(each.first, firsts_);
  }
}

nb::tuple outline_arrays::give() {
  return nb::make_tuple(array_of_labels(std::move(table_.labels), table_.signed_labels),
                        array_of(std::move(table_.region_offsets)), array_of(std::move(table_.polygon_offsets)),
                        array_of(std::move(table_.ring_offsets)), array_of(std::move(places_)),
                        array_of(std::move(parents_)), array_of(std::move(firsts_)));
}

void bind_outline(nb::module_& module) {
  module.def("outline", &outlines_of, nb::arg("labels").none(), nb::arg("connectivity").none(),
             nb::arg("background").none(), nb::arg("keep_collinear"), nb::arg("simplify"), nb::arg("through_centres"),
             nb::arg("nesting"), nb::arg("threads").none());
}

}  // namespace skerry::python

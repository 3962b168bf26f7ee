// SPDX-License-Identifier: Apache-2.0
#include "skerry/outline.hpp"

#include <nanobind/nanobind.h>

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

// Labels; offsets of regions, polygons and rings; vertices x, y, x, y…; of each ring, if asked, its parent and first corner.
nb::tuple outlines_of(nb::handle labels, nb::handle connectivity, nb::handle background, bool keep_collinear,
                      double simplify, bool through_centres, bool nesting, nb::handle threads) {
  const held_image held(labels, "labels");
  const auto neighbours = static_cast<int>(whole_number(connectivity, "connectivity", 1, 26));
  const outline_request asked{held.view(),     neighbours, background_from(background), keep_collinear, simplify,
                              through_centres, nesting};
  engine& on = engine_of_thread(threads);
  outline_table table;
  std::vector<std::int32_t> places, firsts;
  std::vector<std::int64_t> parents;
  run_unlocked(on, {held.size().pixels(), pace::outlines}, [&] {
    outline(on, asked, table);
    places.reserve(2 * table.vertices.size());
    for (const corner& each : table.vertices) append_place(each, places);
    parents.reserve(table.nesting.size());
    firsts.reserve(2 * table.nesting.size());
    for (const ring_nesting& each : table.nesting) {
      parents.push_back(each.parent);
      append_place(each.first, firsts);
    }
  });
  return nb::make_tuple(array_of_labels(std::move(table.labels), table.signed_labels),
                        array_of(std::move(table.region_offsets)), array_of(std::move(table.polygon_offsets)),
                        array_of(std::move(table.ring_offsets)), array_of(std::move(places)),
                        array_of(std::move(parents)), array_of(std::move(firsts)));
}

}  // namespace

void bind_outline(nb::module_& module) {
  module.def("outline", &outlines_of, nb::arg("labels").none(), nb::arg("connectivity").none(),
             nb::arg("background").none(), nb::arg("keep_collinear"), nb::arg("simplify"), nb::arg("through_centres"),
             nb::arg("nesting"), nb::arg("threads").none());
}

}  // namespace skerry::python

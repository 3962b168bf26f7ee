// SPDX-License-Identifier: Apache-2.0
#include "bind/outline.hpp"

#include <utility>

#include "bind/arguments.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/long_call.hpp"

namespace skerry::python {
namespace {

// An array of x and y of each.
nb::object array_of_corners(std::vector<corner> corners) {
  static_assert(sizeof(corner) == 2 * sizeof(std::int32_t) && alignof(corner) == alignof(std::int32_t));
  const std::size_t count = corners.size();
  const auto [memory, owner] = owned(std::move(corners));
  auto* const numbers = reinterpret_cast<std::int32_t*>(memory);
  return nb::cast(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>(numbers, {count, 2}, owner));
}

nb::tuple outlines_of(nb::handle labels, nb::handle connectivity, nb::handle background, bool keep_collinear,
                      double simplify, bool through_centres, bool nesting, nb::handle threads) {
  const held_image held(labels, "labels", held_image::access::read_anywhere);
  const auto neighbours = static_cast<int>(whole_number(connectivity, "connectivity", 1, 26));
  const outline_request asked{held.view(),     neighbours, background_from(background), keep_collinear, simplify,
                              through_centres, nesting};
  engine& on = engine_for(held, threads);
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
  parents_.reserve(table_.nesting.size());
  firsts_.reserve(table_.nesting.size());
  for (const ring_nesting& each : table_.nesting) {
    parents_.push_back(each.parent);
    firsts_.push_back(each.first);
  }
}

nb::tuple outline_arrays::give() {
  return nb::make_tuple(array_of_labels(std::move(table_.labels), table_.signed_labels),
                        array_of(std::move(table_.region_offsets)), array_of(std::move(table_.polygon_offsets)),
                        array_of(std::move(table_.ring_offsets)), array_of_corners(std::move(table_.vertices)),
                        array_of(std::move(parents_)), array_of_corners(std::move(firsts_)));
}

void bind_outline(nb::module_& module) {
  module.def("outline", &outlines_of, nb::arg("labels").none(), nb::arg("connectivity").none(),
             nb::arg("background").none(), nb::arg("keep_collinear"), nb::arg("simplify"), nb::arg("through_centres"),
             nb::arg("nesting"), nb::arg("threads").none());
}

}  // namespace skerry::python

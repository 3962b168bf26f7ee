// SPDX-License-Identifier: Apache-2.0
#include "skerry/region_blocks.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/block_places.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/without_gil.hpp"

namespace skerry::python {
namespace {

std::unique_ptr<region_piece> measure_one(nb::handle labels, nb::handle origin, nb::handle whole, nb::handle intensity,
                                          nb::handle background, bool moments, nb::handle threads) {
  const held_image held(labels, "labels");
  const held_intensities greys(intensity);
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  region_request asked{held.view(), background_from(background), {moments}, {}};
  asked.features.intensity = greys.single();
  asked.channels = greys.channels();
  engine& on = engine_of_thread(threads);
  const without_gil unlocked;
  return std::make_unique<region_piece>(measure_block(on, asked, place));
}

std::unique_ptr<region_piece> region_piece_of(const nb::bytes& bytes) {
  return piece_from(bytes, &region_piece_from_bytes);
}

std::unique_ptr<column_source> table_of_all(const std::vector<const region_piece*>& pieces, nb::handle spacing,
                                            nb::handle unit) {
  check_pieces(pieces);
  auto columns = std::make_unique<region_columns>();
  columns->spacing = spacing_from(spacing, unit, pieces.empty() ? 2 : pieces.front()->whole().rank);
  {
    const without_gil unlocked;
    const region_piece all = joined<region_piece>(pieces);
    columns->table = table_of({&all, 1});
  }
  return columns;
}

}  // namespace

void bind_region_blocks(nb::module_& module) {
  nb::class_<region_piece>(module, "RegionPiece")
      .def(nb::init<>())
      .def_prop_ro("shape", [](const region_piece& of) { return shape_of(of.whole()); })
      .def_prop_ro("pixels", &region_piece::pixels)
      .def_prop_ro("complete", &region_piece::is_complete)
      .def_prop_ro("regions", &region_piece::regions)
      .def("to_bytes", &bytes_of<region_piece>)
      .def_static("from_bytes", &region_piece_of, nb::arg("bytes"));
  module.def("measure_block", &measure_one, nb::arg("labels").none(), nb::arg("origin").none(), nb::arg("whole").none(),
             nb::arg("intensity").none(), nb::arg("background").none(), nb::arg("moments"), nb::arg("threads").none());
  module.def("join_regions", &join_all<region_piece>, nb::arg("pieces"));
  module.def("table_of", &table_of_all, nb::arg("pieces"), nb::arg("spacing").none(), nb::arg("unit").none());
}

}  // namespace skerry::python

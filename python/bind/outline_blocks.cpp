// SPDX-License-Identifier: Apache-2.0
#include "skerry/outline_blocks.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bind/block_places.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/outline.hpp"
#include "bind/without_gil.hpp"

namespace skerry::python {
namespace {

std::unique_ptr<outline_piece> outline_one(nb::handle labels, nb::handle origin, nb::handle shape, nb::handle whole,
                                           nb::handle connectivity, nb::handle background, bool keep_collinear,
                                           nb::handle threads) {
  const held_image held(labels, "labels");
  const auto neighbours = static_cast<int>(whole_number(connectivity, "connectivity", 1, 26));
  const outline_request asked{held.view(), neighbours, background_from(background), keep_collinear};
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  const extent size = extent_from(shape, "shape");
  engine& on = engine_of_thread(threads);
  const without_gil unlocked;
  return std::make_unique<outline_piece>(outline_block(on, asked, place, size));
}

std::unique_ptr<outline_piece> outline_piece_of(const nb::bytes& bytes) {
  return piece_from(bytes, &outline_piece_from_bytes);
}

// The piece without what is closed, and that.
nb::tuple split(const outline_piece& of) {
  std::unique_ptr<outline_piece> open, closed;
  {
    const without_gil unlocked;
    open = std::make_unique<outline_piece>(of);
    closed = std::make_unique<outline_piece>(open->take_closed());
  }
  return nb::make_tuple(std::move(open), std::move(closed));
}

nb::tuple outline_of_all(const std::vector<const outline_piece*>& pieces) {
  check_pieces(pieces);
  outline_arrays arrays;
  {
    const without_gil unlocked;
    const outline_piece all = joined<outline_piece>(pieces);
    arrays = outline_arrays(outline_of({&all, 1}));
  }
  return arrays.give();
}

}  // namespace

void bind_outline_blocks(nb::module_& module) {
  nb::class_<outline_piece>(module, "OutlinePiece")
      .def(nb::init<>())
      .def_prop_ro("shape", [](const outline_piece& of) { return shape_of(of.whole()); })
      .def_prop_ro("pixels", &outline_piece::pixels)
      .def_prop_ro("complete", &outline_piece::is_complete)
      .def_prop_ro("open", &outline_piece::open_chains)
      .def_prop_ro("closed", &outline_piece::closed_chains)
      .def("split", &split)
      .def("to_bytes", &bytes_of<outline_piece>)
      .def_static("from_bytes", &outline_piece_of, nb::arg("bytes"));
  module.def("outline_block", &outline_one, nb::arg("labels").none(), nb::arg("origin").none(), nb::arg("shape").none(),
             nb::arg("whole").none(), nb::arg("connectivity").none(), nb::arg("background").none(),
             nb::arg("keep_collinear"), nb::arg("threads").none());
  module.def("join_outlines", &join_all<outline_piece>, nb::arg("pieces"));
  module.def("outline_of", &outline_of_all, nb::arg("pieces"));
}

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
#include "skerry/column_blocks.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/block_places.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/without_gil.hpp"

namespace skerry::python {
namespace {

// A spacing as it is checked by the library.
pixel_spacing sides_from(nb::handle spacing, int rank) {
  return spacing_from(spacing, nb::str(""), rank).value_or(pixel_spacing{});
}

// Pixels around a block; whether the table of all blocks has to be known; and whether with intensities. The images have the
// types of the intensities, and no pixels.
std::tuple<std::int64_t, bool, bool> needs_of(int rank, const std::vector<std::string>& columns, nb::handle images,
                                              nb::handle spacing) {
  const held_intensities greys(images);
  const image_view single = greys.single();
  std::vector<dtype> types;
  for (const image_view& channel : greys.channels()) types.push_back(channel.type);
  const dtype* const type = greys.are_single() ? &single.type : nullptr;
  const column_needs needs = needs_of_columns(rank, columns, sides_from(spacing, rank), type, types);
  return {needs.halo, needs.known, needs.intensities};
}

std::unique_ptr<column_piece> measure_one(nb::handle labels, nb::handle origin, nb::handle shape, nb::handle whole,
                                          const std::vector<std::string>& columns, nb::handle intensity,
                                          nb::handle background, nb::handle spacing, const region_piece* known,
                                          nb::handle threads) {
  const held_image held(labels, "labels");
  const held_intensities greys(intensity);
  column_block block{
      held.view(), place_from(origin, extent_from(whole, "whole")), extent_from(shape, "shape"), {}, known};
  block.asked.columns = columns;
  block.asked.background = background_from(background);
  block.asked.spacing = sides_from(spacing, block.size.rank);
  block.asked.intensity = greys.single();
  block.asked.channels = greys.channels();
  engine& on = engine_of_thread(threads);
  const without_gil unlocked;
  return std::make_unique<column_piece>(measure_block(on, block));
}

std::unique_ptr<column_piece> column_piece_of(const nb::bytes& bytes) {
  return piece_from(bytes, &column_piece_from_bytes);
}

nb::dict columns_of_all(const std::vector<const column_piece*>& pieces, const std::vector<std::string>& columns,
                        nb::handle spacing, bool are_signed, nb::handle threads) {
  check_pieces(pieces);
  const int rank = pieces.empty() ? 2 : pieces.front()->regions().whole().rank;
  const pixel_spacing sides = sides_from(spacing, rank);
  engine& on = engine_of_thread(threads);
  column_table table;
  {
    const without_gil unlocked;
    const column_piece all = joined<column_piece>(pieces);
    table = columns_of(on, {&all, 1}, columns, sides);
  }
  return arrays_of(table, are_signed);
}

std::unique_ptr<region_piece> part_of_all(const region_piece& all, const region_piece& block) {
  const without_gil unlocked;
  return std::make_unique<region_piece>(part_of(all, block));
}

}  // namespace

void bind_column_blocks(nb::module_& module) {
  nb::class_<column_piece>(module, "ColumnPiece")
      .def(nb::init<>())
      .def_prop_ro("shape", [](const column_piece& of) { return shape_of(of.regions().whole()); })
      .def_prop_ro("pixels", [](const column_piece& of) { return of.regions().pixels(); })
      .def_prop_ro("complete", [](const column_piece& of) { return of.regions().is_complete(); })
      .def_prop_ro("regions", [](const column_piece& of) { return of.regions().regions(); })
      .def("to_bytes", &bytes_of<column_piece>)
      .def_static("from_bytes", &column_piece_of, nb::arg("bytes"));
  module.def("needs_of_columns", &needs_of, nb::arg("rank"), nb::arg("columns"), nb::arg("intensity").none(),
             nb::arg("spacing").none());
  module.def("measure_block_columns", &measure_one, nb::arg("labels").none(), nb::arg("origin").none(),
             nb::arg("shape").none(), nb::arg("whole").none(), nb::arg("columns"), nb::arg("intensity").none(),
             nb::arg("background").none(), nb::arg("spacing").none(), nb::arg("known").none(),
             nb::arg("threads").none());
  module.def("join_columns", &join_all<column_piece>, nb::arg("pieces"));
  module.def("columns_of", &columns_of_all, nb::arg("pieces"), nb::arg("columns"), nb::arg("spacing").none(),
             nb::arg("are_signed"), nb::arg("threads").none());
  module.def("part_of", &part_of_all, nb::arg("all"), nb::arg("block"));
}

}  // namespace skerry::python

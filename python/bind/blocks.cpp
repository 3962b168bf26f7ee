// SPDX-License-Identifier: Apache-2.0
#include "skerry/blocks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/block_places.hpp"
#include "bind/engine.hpp"
#include "bind/label.hpp"
#include "bind/long_call.hpp"
#include "bind/table.hpp"
#include "skerry/error.hpp"

namespace skerry::python {
namespace {

label_options options_of_block(const component_choice& chosen, const image_view& block) {
  if (chosen.by_otsu) throw invalid_argument("threshold: 'otsu' is of a whole image, not of a block; give a number");
  return chosen.options_for(block);
}

std::unique_ptr<piece> label_one(nb::handle block, nb::handle origin, nb::handle whole, const component_choice& chosen,
                                 nb::handle intensity, bool moments, nb::handle threads) {
  const held_image held(block, "block");
  std::optional<held_image> greys;
  if (!intensity.is_none()) greys.emplace(intensity, "intensity");
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  engine& on = engine_for_components(held, threads);
  const image_view image = held.view();
  return run_unlocked(on, {held.size().pixels(), pace::labels}, [&] {
    return std::make_unique<piece>(label_block(
        on, {image, options_of_block(chosen, image), {moments, greys ? greys->view() : image_view()}}, place));
  });
}

using piece_list = std::vector<const piece*>;

// The steps of filling holes.

std::unique_ptr<piece> background_of(nb::handle block, nb::handle origin, nb::handle whole,
                                     const component_choice& chosen, nb::handle threads) {
  const held_image held(block, "block");
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  engine& on = engine_for_components(held, threads);
  const without_gil unlocked;
  const image_view image = held.view();
  return std::make_unique<piece>(label_background(on, {image, options_of_block(chosen, image), {}}, place));
}

nb::tuple open_and_closed(const piece& whole) {
  auto open = std::make_unique<piece>(), closed = std::make_unique<piece>();
  {
    const without_gil unlocked;
    *open = whole;
    *closed = open->take_closed();
  }
  return nb::make_tuple(std::move(open), std::move(closed));
}

std::unique_ptr<piece> piece_of(const nb::bytes& bytes) { return piece_from(bytes, &piece_from_bytes); }

// Labels of a numbered image, without its table.
nb::tuple number_all(const piece_list& pieces, const component_choice& keep, const bound_list& within,
                     nb::handle spacing, nb::handle unit) {
  check_pieces(pieces);
  auto made = std::make_unique<numbering>();
  auto columns = std::make_unique<component_columns>();
  const int rank = pieces.empty() ? 2 : pieces.front()->whole().rank;
  columns->spacing = spacing_from(spacing, unit, rank);
  const std::vector<column_bounds> bounds = bounds_from(within);
  {
    const without_gil unlocked;
    const piece all = joined<piece>(pieces);
    *made = number({&all, 1}, keep.selection);
    if (!bounds.empty()) keep_components(*made, bounds, columns->spacing ? &*columns->spacing : nullptr);
    columns->table = std::exchange(made->table, {});
  }
  return nb::make_tuple(std::move(made), std::unique_ptr<column_source>(std::move(columns)));
}

using index_array = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

block_labels labels_from(const index_array& first, const index_array& label, std::uint64_t count) {
  return {{first.data(), first.data() + first.size()}, {label.data(), label.data() + label.size()}, count};
}

nb::tuple block_part(const numbering& of, nb::handle origin, nb::handle shape) {
  const extent size = extent_from(shape, "shape");
  const block_place place = place_from(origin, of.whole);
  block_labels part;
  {
    const without_gil unlocked;
    part = labels_of_block(of, place, size);
  }
  return nb::make_tuple(array_of(std::move(part.first)), array_of(std::move(part.label)), part.count);
}

void emit(nb::handle block, nb::handle origin, nb::handle whole, const component_choice& chosen,
          const index_array& first, const index_array& label, std::uint64_t count, nb::handle out, nb::handle threads) {
  const held_image held(block, "block"), written(out, "out", held_image::access::write);
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  const block_labels given = labels_from(first, label, count);
  check_out(written.writable(), held.view());
  engine& on = engine_for_components(held, threads);
  const image_view image = held.view();
  run_unlocked(on, {held.size().pixels(), pace::labels}, [&] {
    naming("labels", "out", [&] {
      emit_block(on, {image, options_of_block(chosen, image), {}}, place, given, written.writable());
    });
  });
}

// Booleans of the block's shape.
nb::object fill(nb::handle block, nb::handle origin, nb::handle whole, const component_choice& chosen,
                const index_array& first, const index_array& label, std::uint64_t count, nb::handle threads) {
  const held_image held(block, "block");
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  const block_labels holes = labels_from(first, label, count);
  engine& on = engine_for_components(held, threads);
  std::vector<std::uint8_t> filled;
  {
    const without_gil unlocked;
    const image_view image = held.view();
    filled = fill_block(on, {image, options_of_block(chosen, image), {}}, place, holes);
  }
  return with_type(array_of(std::move(filled)), dtype::boolean).attr("reshape")(shape_of(held.size()));
}

void set_numbering(numbering* place, nb::handle shape, const index_array& first, const index_array& label,
                   std::uint64_t count) {
  new (place) numbering{extent_from(shape, "shape"), {}, labels_from(first, label, count)};
}

void bind_pieces(nb::module_& module) {
  nb::class_<piece>(module, "Piece")
      .def(nb::init<>())
      .def_prop_ro("shape", [](const piece& of) { return shape_of(of.whole()); })
      .def_prop_ro("pixels", &piece::pixels)
      .def_prop_ro("complete", &piece::is_complete)
      .def_prop_ro("open", &piece::open_components)
      .def_prop_ro("closed", &piece::closed_components)
      .def("split", &open_and_closed)
      .def("to_bytes", &bytes_of<piece>)
      .def_static("from_bytes", &piece_of, nb::arg("bytes"));
  module.def("label_block", &label_one, nb::arg("block").none(), nb::arg("origin").none(), nb::arg("whole").none(),
             nb::arg("choice"), nb::arg("intensity").none(), nb::arg("moments"), nb::arg("threads").none());
  module.def("label_background", &background_of, nb::arg("block").none(), nb::arg("origin").none(),
             nb::arg("whole").none(), nb::arg("choice"), nb::arg("threads").none());
  module.def("join", &join_all<piece>, nb::arg("pieces"));
}

}  // namespace

void bind_blocks(nb::module_& module) {
  bind_pieces(module);
  nb::class_<numbering>(module, "Numbering")
      .def("__init__", &set_numbering, nb::arg("shape").none(), nb::arg("first"), nb::arg("label"), nb::arg("count"))
      .def_prop_ro("shape", [](const numbering& of) { return shape_of(of.whole); })
      .def_prop_ro("count", [](const numbering& of) { return of.labels.count; })
      .def_prop_ro(
          "first",
          [](nb::handle self) { return array_in<std::uint64_t>(self, nb::cast<const numbering&>(self).labels.first); })
      .def_prop_ro(
          "label",
          [](nb::handle self) { return array_in<std::uint64_t>(self, nb::cast<const numbering&>(self).labels.label); })
      .def("labels_of_block", &block_part, nb::arg("origin").none(), nb::arg("shape").none());
  module.def("number", &number_all, nb::arg("pieces"), nb::arg("choice"), nb::arg("bounds"), nb::arg("spacing").none(),
             nb::arg("unit").none());
  module.def("emit_block", &emit, nb::arg("block").none(), nb::arg("origin").none(), nb::arg("whole").none(),
             nb::arg("choice"), nb::arg("first"), nb::arg("label"), nb::arg("count"), nb::arg("out").none(),
             nb::arg("threads").none());
  module.def("fill_block", &fill, nb::arg("block").none(), nb::arg("origin").none(), nb::arg("whole").none(),
             nb::arg("choice"), nb::arg("first"), nb::arg("label"), nb::arg("count"), nb::arg("threads").none());
}

}  // namespace skerry::python

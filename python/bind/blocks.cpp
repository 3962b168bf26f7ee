// SPDX-License-Identifier: Apache-2.0
#include "skerry/blocks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/engine.hpp"
#include "bind/label.hpp"
#include "bind/table.hpp"
#include "skerry/error.hpp"

namespace skerry::python {
namespace {

constexpr std::uint64_t longest_side = 0x7fffffff;

// Two or three integers, from the slowest axis to the fastest; the first is 0 for an image of rank 2.
struct triple {
  std::array<std::int64_t, 3> of{0, 0, 0};
  int rank = 0;
};

triple triple_from(nb::handle given, const char* name) {
  const std::size_t count = PySequence_Check(given.ptr()) != 0 ? nb::len(given) : 0;
  if (count != 2 && count != 3) bad_value(name, text_of(given) + " is not one integer for each of 2 or 3 axes");
  triple made;
  made.rank = static_cast<int>(count);
  for (std::size_t axis = 0; axis < count; ++axis)
    made.of[3 - count + axis] = static_cast<std::int64_t>(whole_number(given[axis], name, 0, longest_side));
  return made;
}

extent extent_from(nb::handle shape, const char* name) {
  const triple sides = triple_from(shape, name);
  return sides.rank == 2 ? extent{sides.of[1], sides.of[2]} : extent{sides.of[0], sides.of[1], sides.of[2]};
}

block_place place_from(nb::handle origin, const extent& whole) {
  const triple first = triple_from(origin, "origin");
  if (first.rank != whole.rank)
    bad_value("origin", text_of(origin) + " has not one integer for each of the " + std::to_string(whole.rank) +
                            " axes of the whole image");
  return {whole, first.of[0], first.of[1], first.of[2]};
}

nb::tuple shape_of(const extent& size) {
  return size.rank == 3 ? nb::make_tuple(size.depth, size.height, size.width) : nb::make_tuple(size.height, size.width);
}

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
  engine& on = engine_of_thread(threads);
  const nb::gil_scoped_release unlocked;
  const image_view image = held.view();
  return std::make_unique<piece>(label_block(
      on, {image, options_of_block(chosen, image), {moments, greys ? greys->view() : image_view()}}, place));
}

using piece_list = std::vector<const piece*>;

void check_pieces(const piece_list& pieces) {
  for (const piece* const each : pieces)
    if (each == nullptr) bad_type("pieces", "None is not a Piece");
}

// In pairs, so that each piece is copied as seldom as can be. Pieces do not change.
piece joined(std::span<const piece* const> pieces) {
  if (pieces.empty()) return {};
  if (pieces.size() == 1) return *pieces[0];
  if (pieces.size() == 2) return join(*pieces[0], *pieces[1]);
  const std::size_t half = pieces.size() / 2;
  return join(joined(pieces.first(half)), joined(pieces.subspan(half)));
}

std::unique_ptr<piece> join_all(const piece_list& pieces) {
  check_pieces(pieces);
  const nb::gil_scoped_release unlocked;
  return std::make_unique<piece>(joined(pieces));
}

nb::tuple open_and_closed(const piece& whole) {
  auto open = std::make_unique<piece>(), closed = std::make_unique<piece>();
  {
    const nb::gil_scoped_release unlocked;
    *open = whole;
    *closed = open->take_closed();
  }
  return nb::make_tuple(std::move(open), std::move(closed));
}

nb::bytes bytes_of(const piece& from) {
  std::vector<std::byte> bytes;
  {
    const nb::gil_scoped_release unlocked;
    bytes = from.to_bytes();
  }
  return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<piece> piece_of(const nb::bytes& bytes) {
  const std::span<const std::byte> held(static_cast<const std::byte*>(bytes.data()), bytes.size());
  const nb::gil_scoped_release unlocked;  // the caller's reference keeps the bytes
  return std::make_unique<piece>(piece_from_bytes(held));
}

// Labels of a numbered image, without its table.
nb::tuple number_all(const piece_list& pieces, const component_choice& keep, nb::handle spacing,
                     const std::string& unit) {
  check_pieces(pieces);
  auto made = std::make_unique<numbering>();
  auto columns = std::make_unique<component_columns>();
  const int rank = pieces.empty() ? 2 : pieces.front()->whole().rank;
  columns->spacing = spacing_from(spacing, unit, rank);
  {
    const nb::gil_scoped_release unlocked;
    const piece all = joined(pieces);
    *made = number({&all, 1}, keep.selection);
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
    const nb::gil_scoped_release unlocked;
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
  engine& on = engine_of_thread(threads);
  const nb::gil_scoped_release unlocked;
  const image_view image = held.view();
  naming_labels("out", [&] {
    emit_block(on, {image, options_of_block(chosen, image), {}}, place, given, written.writable());
  });
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
      .def("to_bytes", &bytes_of)
      .def_static("from_bytes", &piece_of, nb::arg("bytes"));
  module.def("label_block", &label_one, nb::arg("block"), nb::arg("origin"), nb::arg("whole"), nb::arg("choice"),
             nb::arg("intensity").none(), nb::arg("moments"), nb::arg("threads").none());
  module.def("join", &join_all, nb::arg("pieces"));
}

}  // namespace

void bind_blocks(nb::module_& module) {
  bind_pieces(module);
  nb::class_<numbering>(module, "Numbering")
      .def("__init__", &set_numbering, nb::arg("shape"), nb::arg("first"), nb::arg("label"), nb::arg("count"))
      .def_prop_ro("shape", [](const numbering& of) { return shape_of(of.whole); })
      .def_prop_ro("count", [](const numbering& of) { return of.labels.count; })
      .def_prop_ro(
          "first",
          [](nb::handle self) { return array_in<std::uint64_t>(self, nb::cast<const numbering&>(self).labels.first); })
      .def_prop_ro(
          "label",
          [](nb::handle self) { return array_in<std::uint64_t>(self, nb::cast<const numbering&>(self).labels.label); })
      .def("labels_of_block", &block_part, nb::arg("origin"), nb::arg("shape"));
  module.def("number", &number_all, nb::arg("pieces"), nb::arg("choice"), nb::arg("spacing").none(), nb::arg("unit"));
  module.def("emit_block", &emit, nb::arg("block"), nb::arg("origin"), nb::arg("whole"), nb::arg("choice"),
             nb::arg("first"), nb::arg("label"), nb::arg("count"), nb::arg("out"), nb::arg("threads").none());
}

}  // namespace skerry::python

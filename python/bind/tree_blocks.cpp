// SPDX-License-Identifier: Apache-2.0
#include "skerry/tree_blocks.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/array.hpp"
#include "bind/block_places.hpp"
#include "bind/engine.hpp"
#include "bind/without_gil.hpp"

namespace skerry::python {
namespace {

template <class T>
using list_view = nb::ndarray<nb::ro, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> list_of(const list_view<T>& given) {
  return {given.data(), given.data() + given.size()};
}

tree_options options_of(bool of_pits, int connectivity) {
  return {connectivity, of_pits ? tree_kind::min : tree_kind::max};
}

std::unique_ptr<tree_piece> build_one(nb::handle block, nb::handle origin, nb::handle whole, bool of_pits,
                                      int connectivity, nb::handle threads) {
  const held_image held(block, "array");
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  engine& on = engine_of_thread(threads);
  const without_gil unlocked;
  return std::make_unique<tree_piece>(build_block(on, held.view(), options_of(of_pits, connectivity), place));
}

std::unique_ptr<tree_piece> tree_piece_of(const nb::bytes& bytes) { return piece_from(bytes, &tree_piece_from_bytes); }

nb::tuple arrays_of(border_nodes nodes) {
  return nb::make_tuple(array_of(std::move(nodes.first_pixel)), array_of(std::move(nodes.area)),
                        array_of(std::vector<std::int64_t>(nodes.level.begin(), nodes.level.end())));
}

std::unique_ptr<border_nodes> resolve_all(const std::vector<const tree_piece*>& pieces, std::uint64_t area) {
  check_pieces(pieces);
  const without_gil unlocked;
  const tree_piece all = joined<tree_piece>(pieces);
  return std::make_unique<border_nodes>(resolve_areas({&all, 1}, area));
}

border_nodes nodes_from(const list_view<std::uint64_t>& first, const list_view<std::uint64_t>& area,
                        const list_view<std::int64_t>& level) {
  border_nodes nodes{list_of(first), list_of(area), {}};
  for (const std::int64_t each : list_of(level)) nodes.level.push_back(static_cast<std::int16_t>(each));
  return nodes;
}

nb::tuple part_of_block(const border_nodes& of, nb::handle origin, nb::handle shape, nb::handle whole) {
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  return arrays_of(nodes_of_block(of, place, extent_from(shape, "shape")));
}

void filter_one(nb::handle block, nb::handle origin, nb::handle whole, bool of_pits, int connectivity,
                const list_view<std::uint64_t>& first, const list_view<std::uint64_t>& area,
                const list_view<std::int64_t>& level, std::uint64_t least, nb::handle out, nb::handle threads) {
  const held_image held(block, "array"), written(out, "out", held_image::access::write);
  const block_place place = place_from(origin, extent_from(whole, "whole"));
  const border_nodes nodes = nodes_from(first, area, level);
  engine& on = engine_of_thread(threads);
  const without_gil unlocked;
  filter_block(on, held.view(), options_of(of_pits, connectivity), place, nodes, least, written.writable());
}

}  // namespace

void bind_tree_blocks(nb::module_& module) {
  nb::class_<tree_piece>(module, "TreePiece")
      .def(nb::init<>())
      .def_prop_ro("shape", [](const tree_piece& of) { return shape_of(of.whole()); })
      .def_prop_ro("pixels", &tree_piece::pixels)
      .def_prop_ro("complete", &tree_piece::is_complete)
      .def_prop_ro("nodes", &tree_piece::nodes)
      .def("to_bytes", &bytes_of<tree_piece>)
      .def_static("from_bytes", &tree_piece_of, nb::arg("bytes"));
  module.def("build_block", &build_one, nb::arg("block").none(), nb::arg("origin").none(), nb::arg("whole").none(),
             nb::arg("of_pits"), nb::arg("connectivity"), nb::arg("threads").none());
  module.def("join_trees", &join_all<tree_piece>, nb::arg("pieces"));
  module.def("resolve_areas", &resolve_all, nb::arg("pieces"), nb::arg("area"));
  nb::class_<border_nodes>(module, "BorderNodes")
      .def("of_block", &part_of_block, nb::arg("origin").none(), nb::arg("shape").none(), nb::arg("whole").none());
  module.def("filter_block", &filter_one, nb::arg("block").none(), nb::arg("origin").none(), nb::arg("whole").none(),
             nb::arg("of_pits"), nb::arg("connectivity"), nb::arg("first"), nb::arg("area"), nb::arg("level"),
             nb::arg("least"), nb::arg("out").none(), nb::arg("threads").none());
}

}  // namespace skerry::python

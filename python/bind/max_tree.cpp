// SPDX-License-Identifier: Apache-2.0
#include "skerry/max_tree.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>
#include <vector>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/engine.hpp"
#include "bind/long_call.hpp"
#include "bind/table.hpp"

namespace skerry::python {
namespace {

// What the Python object holds. The tree never changes, so that arrays of it may be handed out and any thread may read it.
struct held_tree {
  shared_tree tree;
};

class node_columns final : public column_source {
 public:
  shared_tree tree;
  attribute_table table;

  [[nodiscard]] std::size_t rows() const override { return table.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return table.column_names(); }

  [[nodiscard]] nb::dict columns(const std::vector<std::string>& names) const override {
    nb::dict found;
    for (const std::string& name : names) found[nb::str(name.c_str())] = column(name);
    return found;
  }

 private:
  [[nodiscard]] nb::object column(const std::string& name) const {
    if (attribute_table::is_integer_column(name)) return array_of(table.integer_column(*tree, name), dtype::i64);
    std::vector<double> numbers;
    {
      const without_gil unlocked;
      numbers = table.column(*tree, name);
    }
    return array_of(std::move(numbers));
  }
};

held_tree build_tree(nb::handle image, nb::handle connectivity, nb::handle kind, nb::handle threads) {
  const held_image held(image, "image", held_image::access::read_anywhere);
  const image_view source = held.view();
  tree_options options;
  options.kind = one_of<tree_kind>(kind, "kind", {{"max", tree_kind::max}, {"min", tree_kind::min}});
  options.connectivity = connectivity.is_none() ? all_neighbours(source.size.rank)
                                                : static_cast<int>(whole_number(connectivity, "connectivity", 1, 26));
  engine& on = engine_for(held, threads);
  auto tree = std::make_shared<max_tree>();
  run_unlocked(on, {source.size.pixels(), pace::tree}, [&] { build(on, source, options, *tree); });
  return {std::move(tree)};
}

std::unique_ptr<column_source> measure_nodes(const held_tree& self, bool geometry, bool moments, bool levels,
                                             nb::handle threads) {
  engine& on = engine_of_thread(threads);
  auto columns = std::make_unique<node_columns>();
  columns->tree = self.tree;
  run_unlocked(on, {self.tree->size().pixels(), pace::nodes}, [&] {
    measure(on, *self.tree, {geometry, moments, levels}, columns->table);
  });
  return columns;
}

// The distances of signed integers reach twice as far as their values.
dtype type_of_result(const max_tree& tree, bool top_hat) { return top_hat ? top_hat_type(tree.type()) : tree.type(); }

template <class Filter>
nb::object filtered(const held_tree& self, bool top_hat, nb::handle threads, Filter filter) {
  const nb::object result = empty_array(self.tree->size(), type_of_result(*self.tree, top_hat));
  const held_image written(result, "result", held_image::access::write);
  engine& on = engine_of_thread(threads);
  run_unlocked(on, {self.tree->size().pixels(), pace::nodes}, [&] { filter(on, written.writable()); });
  return result;
}

using decisions = nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object filter_nodes(const held_tree& self, const decisions& keep, nb::handle rule, bool top_hat,
                        nb::handle threads) {
  const auto by = one_of<filter_rule>(rule, "rule",
                                      {{"direct", filter_rule::direct},
                                       {"min", filter_rule::min},
                                       {"max", filter_rule::max},
                                       {"subtractive", filter_rule::subtractive}});
  return filtered(self, top_hat, threads, [&](engine& on, const mutable_image& output) {
    filter(on, *self.tree, {keep.data(), keep.size()}, {by, top_hat}, output);
  });
}

nb::object filter_areas(const held_tree& self, nb::handle area, bool top_hat, nb::handle threads) {
  const std::uint64_t least = whole_number(area, "area", 0, std::numeric_limits<std::uint64_t>::max());
  return filtered(self, top_hat, threads, [&](engine& on, const mutable_image& output) {
    attribute_table table;
    measure(on, *self.tree, {}, table);
    area_filter(on, *self.tree, table, least, output, top_hat);
  });
}

nb::object filter_extrema(const held_tree& self, nb::handle height, bool top_hat, nb::handle threads) {
  const double h = real_number(height, "h");
  return filtered(self, top_hat, threads,
                  [&](engine& on, const mutable_image& output) { extrema_filter(on, *self.tree, h, output, top_hat); });
}

template <class Item>
using items_of = nb::ndarray<nb::ro, const Item, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Item>
std::vector<Item> copied(const items_of<Item>& items) {
  return {items.data(), items.data() + items.size()};
}

// A tree that was taken apart, as pickle does; all parts are checked.
held_tree tree_from_parts(nb::handle like, nb::handle options, const items_of<std::uint32_t>& parent,
                          const items_of<std::uint32_t>& first_pixel, const items_of<double>& level,
                          const items_of<std::uint32_t>& node_of_pixel) {
  const held_image shape_and_type(like, "image");
  tree_parts parts;
  parts.kind = one_of<tree_kind>(options[0], "kind", {{"max", tree_kind::max}, {"min", tree_kind::min}});
  parts.connectivity = static_cast<int>(whole_number(options[1], "connectivity", 1, 26));
  parts.type = shape_and_type.view().type;
  parts.size = shape_and_type.size();
  parts.parent = copied<std::uint32_t>(parent);
  parts.first_pixel = copied<std::uint32_t>(first_pixel);
  parts.level = copied<double>(level);
  parts.node_of_pixel = copied<std::uint32_t>(node_of_pixel);
  const without_gil unlocked;
  return {std::make_shared<max_tree>(max_tree::from_parts(std::move(parts)))};
}

nb::object shape_of_tree(const held_tree& self) { return shape_of(self.tree->size()); }

// An array of the tree's memory, which the array keeps alive.
template <auto member>
nb::object part_of(const nb::object& self) {
  return array_in(self, (nb::cast<const held_tree&>(self).tree.get()->*member)());
}

}  // namespace

void bind_max_tree(nb::module_& module) {
  nb::class_<held_tree>(module, "Tree")
      .def_prop_ro("kind", [](const held_tree& self) { return self.tree->kind() == tree_kind::max ? "max" : "min"; })
      .def_prop_ro("connectivity", [](const held_tree& self) { return self.tree->connectivity(); })
      .def_prop_ro("dtype", [](const held_tree& self) { return name_of(self.tree->type()); })
      .def_prop_ro("shape", &shape_of_tree)
      .def_prop_ro("nodes", [](const held_tree& self) { return self.tree->nodes(); })
      .def("parent", &part_of<&max_tree::parent>)
      .def("first_pixel", &part_of<&max_tree::first_pixel>)
      .def("level", &part_of<&max_tree::level>)
      .def("node_of_pixel", &part_of<&max_tree::node_of_pixel>)
      .def("measure", &measure_nodes, nb::arg("geometry"), nb::arg("moments"), nb::arg("levels"),
           nb::arg("threads").none())
      .def("filter", &filter_nodes, nb::arg("keep"), nb::arg("rule").none(), nb::arg("top_hat"),
           nb::arg("threads").none())
      .def("filter_areas", &filter_areas, nb::arg("area").none(), nb::arg("top_hat"), nb::arg("threads").none())
      .def("filter_extrema", &filter_extrema, nb::arg("h").none(), nb::arg("top_hat"), nb::arg("threads").none());
  module.def("tree_from_parts", &tree_from_parts, nb::arg("like"), nb::arg("options"), nb::arg("parent"),
             nb::arg("first_pixel"), nb::arg("level"), nb::arg("node_of_pixel"));
  module.def("max_tree", &build_tree, nb::arg("image").none(), nb::arg("connectivity").none(), nb::arg("kind").none(),
             nb::arg("threads").none());
}

}  // namespace skerry::python

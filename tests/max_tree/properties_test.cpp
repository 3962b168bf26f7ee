// SPDX-License-Identifier: Apache-2.0
// What must hold for every image, on every engine.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/grey.hpp"

namespace rc {

template <>
struct Arbitrary<skerry::test::grey> {
  static Gen<skerry::test::grey> arbitrary() {
    using skerry::extent;
    const auto side = [](int most) { return gen::inRange<std::int64_t>(1, most); };
    const auto plane = gen::map(gen::pair(side(30), side(40)), [](const std::pair<std::int64_t, std::int64_t>& s) {
      return extent(s.first, s.second);
    });
    const auto volume = gen::map(gen::tuple(side(6), side(8), side(20)),
                                 [](const auto& s) { return extent(std::get<0>(s), std::get<1>(s), std::get<2>(s)); });
    const auto any_size = gen::oneOf(plane, plane, volume);
    const auto parts =
        gen::tuple(any_size, gen::element(1, 2, 5, 30, 256), gen::inRange(1, 4), gen::arbitrary<std::uint32_t>());
    return gen::map(gen::resize(kNominalSize, parts), [](const std::tuple<extent, int, int, std::uint32_t>& t) {
      return skerry::test::random_grey(std::get<0>(t), std::get<1>(t), std::get<2>(t), std::get<3>(t));
    });
  }
};

}  // namespace rc

namespace skerry::test {

// How RapidCheck shows an image that breaks a property.
void showValue(const grey& image, std::ostream& out) {
  out << image.name << ", " << image.size.depth << " x " << image.size.height << " x " << image.size.width
      << " of rank " << image.size.rank << "\n";
}

namespace {

engine& any_engine() {
  const std::vector<named_engine*> engines = tree_engines();
  return engines[*rc::gen::inRange<std::size_t>(0, engines.size())]->on;
}

// That all engines have.
int any_connectivity(const extent& size) { return *rc::gen::elementOf(device_tree_connectivities(size)); }
tree_kind any_kind() { return *rc::gen::element(tree_kind::max, tree_kind::min); }

std::vector<float> floats_of(const grey& image, float sign = 1) {
  std::vector<float> pixels;
  for (const double value : image.values(dtype::f32)) pixels.push_back(sign * static_cast<float>(value));
  return pixels;
}

max_tree tree_of(engine& on, const std::vector<float>& pixels, const extent& size, const tree_options& options) {
  max_tree tree;
  build(on, {pixels.data(), size}, options, tree);
  return tree;
}

RC_GTEST_PROP(max_tree_properties, a_min_tree_is_the_max_tree_of_the_negative, (const grey& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const max_tree low = tree_of(on, floats_of(image), image.size, {connectivity, tree_kind::min});
  tree_parts high = parts_of(tree_of(on, floats_of(image, -1), image.size, {connectivity, tree_kind::max}));
  for (double& level : high.level) level = -level;
  high.kind = tree_kind::min;
  RC_ASSERT(max_tree::from_parts(high) == low);
}

RC_GTEST_PROP(max_tree_properties, attributes_increase_towards_the_root, (const grey& image)) {
  engine& on = any_engine();
  const max_tree tree = tree_of(on, floats_of(image), image.size, {any_connectivity(image.size), any_kind()});
  attribute_table table;
  measure(on, tree, {.geometry = true}, table);
  RC_ASSERT(table.area[0] == image.shades.size());
  const std::vector<double> diagonal = table.column(tree, "bbox_diagonal");
  const std::vector<double> dynamics = table.column(tree, "dynamics"), height = table.column(tree, "height");
  for (std::size_t node = 1; node < tree.nodes(); ++node) {
    const std::size_t parent = tree.parent()[node];
    RC_ASSERT(table.area[node] < table.area[parent]);
    RC_ASSERT(diagonal[node] <= diagonal[parent]);
    RC_ASSERT(dynamics[node] <= dynamics[parent]);
    RC_ASSERT(height[node] <= dynamics[node]);
    RC_ASSERT((tree.kind() == tree_kind::max) == (tree.level()[parent] < tree.level()[node]));
  }
}

RC_GTEST_PROP(max_tree_properties, the_tree_gives_the_image_back, (const grey& image)) {
  engine& on = any_engine();
  const std::vector<float> pixels = floats_of(image);
  const max_tree tree = tree_of(on, pixels, image.size, {any_connectivity(image.size), any_kind()});
  const std::vector<std::uint8_t> keep(tree.nodes(), 1);
  std::vector<float> out(pixels.size());
  for (const filter_rule rule : {filter_rule::direct, filter_rule::min, filter_rule::max, filter_rule::subtractive}) {
    filter(on, tree, keep, {.rule = rule}, {out.data(), image.size});
    RC_ASSERT(out == pixels);
  }
  filter(on, tree, keep, {.top_hat = true}, {out.data(), image.size});
  RC_ASSERT(out == std::vector<float>(out.size(), 0));
}

RC_GTEST_PROP(max_tree_properties, openings_lower_and_are_idempotent, (const grey& image)) {
  engine& on = any_engine();
  const tree_options how{any_connectivity(image.size), any_kind()};
  const auto least = *rc::gen::inRange<std::uint64_t>(1, 60);
  const bool by_area = *rc::gen::arbitrary<bool>();
  const auto open = [&](const std::vector<float>& pixels) {
    const max_tree tree = tree_of(on, pixels, image.size, how);
    attribute_table table;
    measure(on, tree, {.geometry = true}, table);
    std::vector<float> out(pixels.size());
    if (by_area) area_filter(on, tree, table, least, {out.data(), image.size});
    else diagonal_filter(on, tree, table, static_cast<double>(least) / 4, {out.data(), image.size});
    return out;
  };
  const std::vector<float> pixels = floats_of(image), once = open(pixels);
  const float sign = how.kind == tree_kind::max ? 1.0F : -1.0F;
  for (std::size_t p = 0; p < pixels.size(); ++p) RC_ASSERT(sign * once[p] <= sign * pixels[p]);
  RC_ASSERT(open(once) == once);
}

RC_GTEST_PROP(max_tree_properties, rules_agree_where_decisions_only_grow, (const grey& image)) {
  engine& on = any_engine();
  const std::vector<float> pixels = floats_of(image);
  const max_tree tree = tree_of(on, pixels, image.size, {any_connectivity(image.size), any_kind()});
  attribute_table table;
  measure(on, tree, {}, table);
  const std::vector<double> area = table.column(tree, "area");
  const double least = *rc::gen::inRange(1, 50);
  std::vector<float> direct(pixels.size()), other(pixels.size());
  filter_at_least(on, tree, area, least, {filter_rule::direct}, {direct.data(), image.size});
  for (const filter_rule rule : {filter_rule::min, filter_rule::max}) {
    filter_at_least(on, tree, area, least, {rule}, {other.data(), image.size});
    RC_ASSERT(other == direct);
  }
}

RC_GTEST_PROP(max_tree_properties, each_node_is_named_by_its_first_pixel, (const grey& image)) {
  engine& on = any_engine();
  const max_tree tree = tree_of(on, floats_of(image), image.size, {any_connectivity(image.size), any_kind()});
  std::vector<std::uint32_t> first(tree.nodes(), UINT32_MAX);
  for (std::uint32_t p = 0; p < tree.node_of_pixel().size(); ++p)
    first[tree.node_of_pixel()[p]] = std::min(first[tree.node_of_pixel()[p]], p);
  RC_ASSERT(first == parts_of(tree).first_pixel);
}

RC_GTEST_PROP(max_tree_properties, only_the_order_of_values_counts, (const grey& image)) {
  engine& on = any_engine();
  const tree_options how{any_connectivity(image.size), any_kind()};
  max_tree narrow, wide;
  build(on, image.as(dtype::u8).view(), how, narrow);
  grey coarse = image;  // in the steps of u8
  for (double& shade : coarse.shades) shade = std::floor(shade * 256) / 256;
  for (const dtype type : tree_types) {
    if (!builds(on, type, how.connectivity)) continue;
    build(on, coarse.as(type).view(), how, wide);
    RC_ASSERT(parts_of(wide).parent == parts_of(narrow).parent);
    RC_ASSERT(parts_of(wide).first_pixel == parts_of(narrow).first_pixel);
    RC_ASSERT(parts_of(wide).node_of_pixel == parts_of(narrow).node_of_pixel);
  }
}

RC_GTEST_PROP(max_tree_properties, one_slice_is_a_plane, (const grey& image)) {
  RC_PRE(image.size.rank == 2);
  engine& on = any_engine();
  const extent slice(1, image.size.height, image.size.width);
  for (const bool straight : {false, true}) {
    const max_tree plane = tree_of(on, floats_of(image), image.size, {straight ? 4 : 8});
    const max_tree volume = tree_of(on, floats_of(image), slice, {straight ? 6 : 26});
    RC_ASSERT(parts_of(plane).parent == parts_of(volume).parent);
    RC_ASSERT(parts_of(plane).node_of_pixel == parts_of(volume).node_of_pixel);
  }
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Trees from parts: those of a tree give it back, and each way in which they can be none is refused by name.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "engine/engine_state.hpp"
#include "skerry/error.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

// Levels 1, 2, 2, 3, 5 and 7; the test of the reference has the same image.
tree_parts good_parts() {
  static const std::vector<std::uint8_t> pixels = {1, 5, 1, 2,  //
                                                   1, 3, 3, 1,  //
                                                   7, 1, 3, 2};
  engine on = engine::cpu(1);
  max_tree tree;
  build(on, {pixels.data(), extent(3, 4)}, {.connectivity = 4}, tree);
  return parts_of(tree);
}

void expect_refused(std::string_view part, const std::function<void(tree_parts&)>& make_wrong) {
  tree_parts wrong = good_parts();
  make_wrong(wrong);
  try {
    (void)max_tree::from_parts(wrong);
    ADD_FAILURE() << part << " was accepted";
  } catch (const invalid_argument& error) {
    EXPECT_EQ(std::string_view(error.what()).substr(0, part.size()), part) << error.what();
  }
}

TEST(max_tree_parts, parts_of_a_tree_give_it_back) {
  engine on = engine::cpu(2);
  for (const extent& size : {extent(13, 17), extent(1, 1), extent(3, 5, 6), extent(0, 4)})
    for (const dtype type : tree_types)
      for (const int connectivity : tree_connectivities(size))
        for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
          const placed_image image = random_grey(size, 20, 1, 3).as(type);
          max_tree built;
          build(on, image.view(), {connectivity, kind}, built);
          const tree_parts parts = parts_of(built);
          const max_tree again = max_tree::from_parts(parts);
          ASSERT_TRUE(again == built) << name_of(type);
          ASSERT_TRUE(parts_of(again) == parts);
        }
}

// Nodes whose pixels lie all over the image are measured like others, by any number of threads.
TEST(max_tree_parts, nodes_that_are_not_connected_are_measured_right) {
  const grey noise = random_grey(extent(40, 50), 200, 1, 4);
  engine several = engine::cpu(7), slow = engine::reference();
  several.inside().least_pixels_per_strip = 1;
  max_tree built;
  build(slow, noise.as(dtype::u8).view(), {.connectivity = 4}, built);
  tree_parts parts = parts_of(built);
  for (std::size_t pixel = 0; pixel < parts.node_of_pixel.size(); ++pixel)  // not those that begin a node
    if (parts.first_pixel[parts.node_of_pixel[pixel]] != pixel)
      parts.node_of_pixel[pixel] = parts.node_of_pixel[pixel % 50 * 7 % (pixel + 1)];
  const max_tree tree = max_tree::from_parts(parts);
  max_tree moved = max_tree(tree);
  const max_tree assigned = std::move(moved);
  for (const max_tree* each : {&tree, &assigned}) {
    attribute_table want, got;
    measure(slow, *each, {true, true, true}, want);
    measure(several, *each, {true, true, true}, got);
    EXPECT_EQ(got.area, want.area);
    EXPECT_TRUE(got.components == want.components && got.moments == want.moments);
    EXPECT_TRUE(got.intensities == want.intensities);
  }
}

TEST(max_tree_parts, it_is_measured_and_filtered_like_one_that_was_built) {
  const max_tree tree = max_tree::from_parts(good_parts());
  engine on = engine::cpu(1);
  attribute_table table;
  measure(on, tree, {}, table);
  EXPECT_EQ(table.area, (std::vector<std::uint32_t>{12, 1, 5, 4, 1, 1}));
  std::vector<std::uint8_t> out(12);
  area_filter(on, tree, table, 4, {out.data(), tree.size()});
  EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 3, 1, 1, 1, 3, 3, 1, 1, 1, 3, 2}));
}

TEST(max_tree_parts, what_is_left_behind_is_the_empty_tree) {
  max_tree from = max_tree::from_parts(good_parts()), to;
  to = std::move(from);
  EXPECT_TRUE(from == max_tree());  // NOLINT(bugprone-use-after-move): it is promised
  EXPECT_TRUE(parts_of(to) == good_parts());
  const max_tree last(std::move(to));
  EXPECT_TRUE(to == max_tree());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(parts_of(last) == good_parts());
  EXPECT_FALSE(last == max_tree());
}

TEST(max_tree_parts, what_trees_are_of) {
  expect_refused("kind", [](tree_parts& t) { t.kind = static_cast<tree_kind>(2); });
  for (const int connectivity : {0, 6, 18, 26, -4})
    expect_refused("connectivity", [=](tree_parts& t) { t.connectivity = connectivity; });
  expect_refused("connectivity", [](tree_parts& t) { t.size = extent(1, 3, 4); });
  for (const dtype type : {dtype::bit, dtype::boolean, static_cast<dtype>(77)})
    expect_refused("type", [=](tree_parts& t) { t.type = type; });
  for (const extent& size : {extent(-3, 4), extent(1 << 16, 1 << 15)})
    expect_refused("size", [=](tree_parts& t) { t.size = size; });
  expect_refused("size", [](tree_parts& t) { t.size.depth = 2; });
}

TEST(max_tree_parts, lengths) {
  expect_refused("parent", [](tree_parts& t) { t.parent = t.first_pixel = {}, t.level = {}; });
  expect_refused("parent", [](tree_parts& t) { t.size = extent(3, 0), t.node_of_pixel.clear(); });
  expect_refused("parent", [](tree_parts& t) { t.parent.resize(13), t.first_pixel.resize(13), t.level.resize(13); });
  expect_refused("first_pixel", [](tree_parts& t) { t.parent.pop_back(); });
  expect_refused("first_pixel", [](tree_parts& t) { t.first_pixel.pop_back(); });
  expect_refused("level", [](tree_parts& t) { t.level.pop_back(); });
  expect_refused("level", [](tree_parts& t) { t.level.push_back(9); });
  expect_refused("node_of_pixel", [](tree_parts& t) { t.node_of_pixel.pop_back(); });
  expect_refused("node_of_pixel", [](tree_parts& t) { t.size = extent(3, 5); });
}

TEST(max_tree_parts, parents_come_before_children) {
  expect_refused("parent: 1 of node 0", [](tree_parts& t) { t.parent[0] = 1; });
  for (const std::uint32_t parent : {2, 3, 6, -1})
    expect_refused("parent: " + std::to_string(parent) + " of node 2", [=](tree_parts& t) { t.parent[2] = parent; });
  expect_refused("parent: 4294967295 of node 5", [](tree_parts& t) { t.parent[5] = UINT32_MAX; });
}

TEST(max_tree_parts, levels_are_in_order_and_values_of_the_type) {
  const auto with = [](std::size_t node, double level) { return [=](tree_parts& t) { t.level[node] = level; }; };
  expect_refused("level", with(5, 4));  // below the level of the node before
  expect_refused("level", with(0, 3));
  expect_refused("level", with(3, 2));  // that of its parent
  expect_refused("level", with(1, 1));
  expect_refused("level", [](tree_parts& t) { t.kind = tree_kind::min; });
  for (const double level : {7.5, 256.0, std::numeric_limits<double>::infinity(), std::nan("")})
    expect_refused("level", with(5, level));
  expect_refused("level", with(0, -1));
  const auto of = [](dtype type, double last) { return [=](tree_parts& t) { t.type = type, t.level[5] = last; }; };
  expect_refused("level", of(dtype::u16, 65536));
  expect_refused("level", of(dtype::i16, 32768));
  expect_refused("level", of(dtype::u32, 0x1p32));
  expect_refused("level", of(dtype::f32, 7.1));
  expect_refused("level", of(dtype::f32, std::nan("")));
  expect_refused("level", of(dtype::f64, std::nan("")));
  expect_refused("level", of(dtype::f16, std::nan("")));
  expect_refused("level", of(dtype::f16, 7.001));
  expect_refused("level", of(dtype::f16, 65536));
  expect_refused("level", of(dtype::i8, 128));
  expect_refused("level", of(dtype::i32, 0x1p31));
  expect_refused("level", of(dtype::i64, 0x1p54));
  expect_refused("level", of(dtype::u64, 0x1p53 + 2));
  expect_refused("level", [](tree_parts& t) { t.type = dtype::i8, t.level[0] = -129; });
  for (const auto& [type, level] : {std::pair(dtype::u16, 65535.0),
                                    {dtype::i16, 32767},
                                    {dtype::u32, 0x1p32 - 1},
                                    {dtype::f32, 7.25},
                                    {dtype::i8, 127},
                                    {dtype::u64, 0x1p53},
                                    {dtype::f16, 65504},
                                    {dtype::f64, 7.1},
                                    {dtype::f32, std::numeric_limits<double>::infinity()}}) {
    tree_parts right = good_parts();
    of(type, level)(right);
    EXPECT_EQ(max_tree::from_parts(right).level()[5], level);
  }
}

TEST(max_tree_parts, zero_has_one_sign) {
  tree_parts parts = good_parts();
  parts.type = dtype::f32;
  parts.level[0] = -0.0;
  EXPECT_FALSE(std::signbit(max_tree::from_parts(parts).level()[0]));
}

TEST(max_tree_parts, pixels_and_their_nodes) {
  expect_refused("node_of_pixel: 6 at pixel 3", [](tree_parts& t) { t.node_of_pixel[3] = 6; });
  expect_refused("node_of_pixel: 4294967295", [](tree_parts& t) { t.node_of_pixel[11] = UINT32_MAX; });
  expect_refused("first_pixel: 0 of node 0", [](tree_parts& t) { t.node_of_pixel[0] = 3, t.first_pixel[3] = 0; });
  expect_refused("first_pixel: 10 of node 3", [](tree_parts& t) { t.first_pixel[3] = 10; });  // not the first
  expect_refused("first_pixel: 4 of node 3", [](tree_parts& t) { t.first_pixel[3] = 4; });    // of another node
  expect_refused("first_pixel: 12 of node 5", [](tree_parts& t) { t.node_of_pixel[8] = 0, t.first_pixel[5] = 12; });
  expect_refused("first_pixel: 8 of node 5", [](tree_parts& t) { t.node_of_pixel[8] = 0; });  // a node without pixels
  // Equal levels in the wrong order: 1 and 2 change places.
  expect_refused("first_pixel: 3 of node 2", [](tree_parts& t) {
    std::swap(t.first_pixel[1], t.first_pixel[2]);
    std::swap(t.node_of_pixel[3], t.node_of_pixel[11]);
    t.parent[3] = 1;
  });
}

}  // namespace
}  // namespace skerry::test

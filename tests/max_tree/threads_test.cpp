// SPDX-License-Identifier: Apache-2.0
// Attributes and filters by many threads are those of one, where strips of the image have large trunks and small ones.
#include <gtest/gtest.h>

#include <vector>

#include "engine/engine_state.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

struct used_tree {
  max_tree tree;
  attribute_table table;
  std::vector<std::uint64_t> pixels;  // of all filtered images

  used_tree(engine& on, const placed_image& image, dtype type, const tree_options& options) {
    build(on, image.view(), options, tree);
    measure(on, tree, {true, true, true}, table);
    const auto words = static_cast<std::size_t>(tree.size().pixels());
    std::vector<std::uint8_t> keep;
    keep.reserve(tree.nodes());
    for (std::uint32_t node = 0; node < tree.nodes(); ++node) keep.push_back(node * 2654435761U >> 30 != 0 ? 1 : 0);
    std::vector<std::uint64_t> out(words);
    const mutable_image target(out.data(), type, tree.size());
    const auto add = [&] { pixels.insert(pixels.end(), out.begin(), out.end()); };
    for (const filter_rule rule : {filter_rule::direct, filter_rule::min, filter_rule::max, filter_rule::subtractive}) {
      filter(on, tree, keep, {.rule = rule}, target);
      add();
    }
    extrema_filter(on, tree, 3, target);
    add();
  }
};

TEST(max_tree_threads, attributes_and_filters_are_those_of_one_thread) {
  engine one = engine::cpu(1);
  std::uint32_t seed = 20;
  std::size_t turn = 0;
  for (const extent& size : {extent(200, 150), extent(23, 40, 33), extent(3, 9000)})
    for (const dtype type : {dtype::u8, dtype::i16, dtype::f32})
      for (const int granularity : {1, 7})
        for (const int threads : {2, 5, 64}) {
          if (++turn % case_step() != 0) continue;
          const placed_image image = random_grey(size, 90, granularity, ++seed).as(type);
          const tree_options options{tree_connectivities(size)[seed % 2],
                                     seed % 3 == 0 ? tree_kind::min : tree_kind::max};
          engine many = engine::cpu(threads);
          many.inside().least_pixels_per_strip = 64;
          const used_tree want(one, image, type, options), got(many, image, type, options);
          SCOPED_TRACE(testing::Message() << name_of(type) << ", " << threads << " threads, seed " << seed);
          ASSERT_TRUE(got.tree == want.tree);
          ASSERT_EQ(got.table.area, want.table.area);
          ASSERT_TRUE(got.table.components == want.table.components);
          ASSERT_TRUE(got.table.moments == want.table.moments);
          ASSERT_TRUE(got.table.intensities == want.table.intensities);
          ASSERT_TRUE(got.table.real_intensities == want.table.real_intensities);
          ASSERT_TRUE(got.pixels == want.pixels);
        }
}

// Trees of wide types are counted in either of two ways: by the pixels that are not the first of a node where these are few. Trees
// made of parts are counted by one loop, however few levels they have.
TEST(max_tree_threads, areas_are_those_of_the_reference_however_many_nodes_there_are) {
  engine reference = engine::reference();
  std::uint32_t seed = 60;
  for (const extent& size : {extent(1, 63), extent(1, 64), extent(1, 65), extent(70, 61)})
    for (const dtype type : {dtype::u16, dtype::f32, dtype::f64})
      for (const int levels : {1, 2, 4, 12, 90, 30000})
        for (const int threads : {1, 2, 5}) {
          const placed_image image = random_grey(size, levels, 1, ++seed).as(type);
          engine on = engine::cpu(threads);
          on.inside().least_pixels_per_strip = 8;
          max_tree built;
          build(on, image.view(), {4}, built);
          const max_tree tree = max_tree::from_parts(parts_of(built));
          attribute_table got, want;
          measure(on, tree, {}, got);
          measure(reference, tree, {}, want);
          SCOPED_TRACE(testing::Message() << name_of(type) << ", " << levels << " levels, " << threads << " threads");
          ASSERT_EQ(got.area, want.area);
        }
}

}  // namespace
}  // namespace skerry::test

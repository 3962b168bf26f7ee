// SPDX-License-Identifier: Apache-2.0
// Published methods that build trees: what they refuse, and how their images of parents become numbered nodes. What they
// build is tested where they run (tests/cuda/published_trees_test.cpp).
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "published/tree_nodes.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "support/grey.hpp"
#include "support/refusal.hpp"

namespace skerry::test {
namespace {

const std::vector<std::uint8_t> pixels(64, 1);

TEST(published_trees, the_list_is_whole) {
  std::string names(published::own_method);
  std::set<std::string_view> all;
  for (const published::method& method : published::methods()) all.insert(method.name);
  for (const published::method& method : published::tree_methods()) {
    names += ", " + std::string(method.name);
    EXPECT_TRUE(all.insert(method.name).second) << method.name << " is the name of two";
    EXPECT_FALSE(method.paper.empty() || method.summary.empty() || method.engines.empty());
    EXPECT_FALSE(method.connectivities.empty());
  }
  EXPECT_EQ(published::tree_method_names(), names);
  EXPECT_EQ(names, "skerry, blin, blin-border");
}

// Of the question first, then of the engine.
TEST(published_trees, what_a_method_cannot_do) {
  const image_view image(pixels.data(), extent(8, 8));
  for (named_engine& each : each_engine()) {
    for (const published::method& method : published::tree_methods()) {
      const std::string name = "method " + std::string(method.name) + ": ";
      const auto refusal = [&](const image_view& from, const tree_options& how) {
        max_tree tree;
        return test::refusal([&] { published::build(each.on, method.name, from, how, tree); });
      };
      EXPECT_EQ(refusal(image, {4}),
                each.on.kind() == engine_kind::cuda
                    ? "nothing was refused"
                    : name + "does not run on the engine " + std::string(each.on.name()) + ", but on cuda");
      EXPECT_EQ(refusal(image, {8}), name + "does not know connectivity 8");
      EXPECT_EQ(refusal(image, {4, tree_kind::min}), name + "builds max-trees only, no min-trees");
      EXPECT_EQ(refusal({pixels.data(), extent(4, 4, 4)}, {6}),
                name + "builds trees of images of rank 2 only, not of volumes");
      EXPECT_EQ(refusal({pixels.data(), dtype::u16, extent(4, 8)}, {4}),
                name + "builds trees of uint8 only, not of uint16");
    }
  }
}

// By build() itself, which leaves the tree as it was.
TEST(published_trees, engines_and_names) {
  const image_view image(pixels.data(), extent(8, 8));
  for (named_engine& each : each_engine()) {
    max_tree tree;
    build(each.on, image, {.connectivity = 4}, tree);
    const max_tree before = tree;
    const auto refusal = [&](std::string_view method) {
      return test::refusal([&] { published::build(each.on, method, image, {.connectivity = 4}, tree); });
    };
    for (const char* name : {"", "Blin", "blin ", "flsl"})
      EXPECT_EQ(refusal(name), "method: '" + std::string(name) + "' is not one of " + published::tree_method_names());
    if (each.on.kind() != engine_kind::cuda) {
      EXPECT_EQ(refusal("blin"),
                "method blin: does not run on the engine " + std::string(each.on.name()) + ", but on cuda");
    }
    EXPECT_TRUE(tree == before);
    EXPECT_EQ(test::refusal([&] {
                published::label(each.on, "blin", {image, {.connectivity = 4}}, {});
              }),
              "method: 'blin' is not one of " + published::method_names());
  }
}

// Any pixel of a node can be the chosen one.
TEST(published_trees, chosen_pixels_become_numbers) {
  engine on = engine::cpu(1);
  std::mt19937 draw(1);
  for (const extent& size : {extent(1, 1), extent(1, 9), extent(23, 37)})
    for (const int levels : {1, 3, 256}) {
      const placed_image image = random_grey(size, levels, 1, static_cast<std::uint32_t>(levels)).as(dtype::u8);
      max_tree want;
      build(on, image.view(), {.connectivity = 4}, want);
      const auto count = static_cast<u32>(size.pixels());
      std::vector<u32> chosen(want.nodes(), published::no_parent), parents(count);
      for (u32 seen = 0, p = 0; seen < 3 * count; ++seen, p = draw() % count) chosen[want.node_of_pixel()[p]] = p;
      for (std::size_t node = 0; node < want.nodes(); ++node)
        if (chosen[node] == published::no_parent) chosen[node] = want.first_pixel()[node];
      for (u32 p = 0; p < count; ++p) {
        const u32 node = want.node_of_pixel()[p];
        if (chosen[node] != p) parents[p] = chosen[node];
        else parents[p] = node == 0 ? published::no_parent : chosen[want.parent()[node]];
      }
      tree_parts got;
      got.connectivity = 4;
      got.size = size;
      published::number_nodes(parents.data(), static_cast<const u8*>(image.view().data), got);
      ASSERT_TRUE(max_tree::from_parts(got) == want)
          << size.height << " x " << size.width << ", " << levels << " levels";
    }
}

}  // namespace
}  // namespace skerry::test

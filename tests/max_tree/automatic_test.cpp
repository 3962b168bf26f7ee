// SPDX-License-Identifier: Apache-2.0
// An engine that was chosen automatically builds trees on every machine; one that was asked for by name says what it
// cannot do.
#include <gtest/gtest.h>

#include "skerry/error.hpp"
#include "skerry/label.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

TEST(max_tree_automatic, the_engine_builds_trees) {
  engine on = engine::automatic(), slow = engine::reference();
  on.set_profiling(true);
  for (const dtype type : tree_types) {
    const placed_image image = random_grey(extent(40, 50), 30, 1, 1).as(type);
    max_tree got, want;
    attribute_table got_table, want_table;
    build(on, image.view(), {.connectivity = 4}, got);
    EXPECT_GT(on.last_profile().milliseconds[1], 0);
    build(slow, image.view(), {.connectivity = 4}, want);
    EXPECT_TRUE(got == want);
    measure(on, got, {.geometry = true}, got_table);
    measure(slow, want, {.geometry = true}, want_table);
    EXPECT_TRUE(got_table.shapes == want_table.shapes);
    placed_image out(type, image.view().size, layout::dense);
    area_filter(on, got, got_table, 9, out.target());
    EXPECT_GT(on.scratch_bytes(), 0U);
  }
  // And labels on whatever it was chosen for.
  const std::vector<std::uint8_t> pixels(12, 1);
  EXPECT_EQ(count_components(on, {pixels.data(), extent(3, 4)}, {.connectivity = 4}), 1U);
}

TEST(max_tree_automatic, a_cuda_engine_says_that_it_has_no_trees) {
  for (named_engine& each : each_engine()) {
    if (each.on.kind() != engine_kind::cuda) continue;
    engine cpu = engine::cpu(1);
    const std::vector<std::uint8_t> pixels(12, 1);
    const image_view image(pixels.data(), extent(3, 4));
    std::vector<std::uint8_t> out(12, 77);
    const mutable_image target(out.data(), extent(3, 4));
    max_tree tree, other;
    attribute_table table;
    build(cpu, image, {.connectivity = 4}, tree);
    measure(cpu, tree, {}, table);
    const std::vector<std::uint8_t> keep(tree.nodes(), 1);
    EXPECT_THROW(build(each.on, image, {.connectivity = 4}, other), device_error);
    EXPECT_THROW(measure(each.on, tree, {}, table), device_error);
    EXPECT_THROW(filter(each.on, tree, keep, {}, target), device_error);
    EXPECT_THROW(area_filter(each.on, tree, table, 1, target), device_error);
    EXPECT_THROW(extrema_filter(each.on, tree, 1, target), device_error);
    EXPECT_EQ(other.nodes(), 0U);
    EXPECT_EQ(out, std::vector<std::uint8_t>(12, 77));
    return;
  }
  GTEST_SKIP() << "no CUDA device";
}

}  // namespace
}  // namespace skerry::test

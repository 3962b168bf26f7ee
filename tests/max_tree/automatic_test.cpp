// SPDX-License-Identifier: Apache-2.0
// An engine that was chosen automatically builds trees on every machine, and so does one on a GPU that was asked for.
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
    EXPECT_TRUE(got_table.components == want_table.components);
    placed_image out(type, image.view().size, layout::dense);
    area_filter(on, got, got_table, 9, out.target());
    EXPECT_GT(on.scratch_bytes(), 0U);
  }
  // And labels on whatever it was chosen for.
  const std::vector<std::uint8_t> pixels(12, 1);
  EXPECT_EQ(count_components(on, {pixels.data(), extent(3, 4)}, {.connectivity = 4}), 1U);
}

TEST(max_tree_automatic, a_cuda_engine_does_all_of_it) {
  for (named_engine& each : each_engine()) {
    if (each.on.kind() != engine_kind::cuda) continue;
    engine cpu = engine::cpu(1);
    for (const dtype type : device_tree_types) {
      const placed_image image = random_grey(extent(70, 90), 30, 2, 1).as(type);
      max_tree got, want;
      attribute_table got_table, want_table;
      for (engine* on : {&each.on, &cpu}) {
        max_tree& tree = on == &cpu ? want : got;
        attribute_table& table = on == &cpu ? want_table : got_table;
        build(*on, image.view(), {.connectivity = 8}, tree);
        measure(*on, tree, {.geometry = true, .levels = true}, table);
      }
      EXPECT_TRUE(got == want);
      EXPECT_TRUE(got_table.intensities == want_table.intensities);
      placed_image got_out(type, image.view().size, layout::dense), want_out(type, image.view().size, layout::dense);
      area_filter(each.on, got, got_table, 9, got_out.target());
      area_filter(cpu, want, want_table, 9, want_out.target());
      EXPECT_EQ(got_out.values(), want_out.values());
    }
    return;
  }
  GTEST_SKIP() << "no CUDA device";
}

}  // namespace
}  // namespace skerry::test

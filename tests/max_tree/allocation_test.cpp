// SPDX-License-Identifier: Apache-2.0
// A second call with the same shape and no more nodes allocates nothing; a call that gets no memory says so, and the
// engine works on.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "skerry/error.hpp"
#include "support/allocations.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

// All calls, into memory that the caller keeps.
struct all_calls {
  grey image;
  placed_image pixels;
  dtype type;
  max_tree tree;
  attribute_table table;
  std::vector<std::uint8_t> keep;
  std::vector<double> numbers;
  std::vector<std::uint64_t> out;

  all_calls(const grey& from, dtype of)
      : image(from), pixels(from.as(of)), type(of), out(static_cast<std::size_t>(from.size.pixels())) {}

  void run(engine& on, tree_kind kind) {
    build(on, pixels.view(), {image.size.rank == 2 ? 8 : 26, kind}, tree);
    measure(on, tree, {.geometry = true, .moments = true, .levels = true}, table);
    keep.assign(tree.nodes(), 1);
    numbers.assign(tree.nodes(), 2.5);
    const mutable_image target(out.data(), type, image.size);
    for (const filter_rule rule : {filter_rule::direct, filter_rule::max, filter_rule::subtractive})
      filter(on, tree, keep, {.rule = rule}, target);
    filter_at_least(on, tree, numbers, 3, {}, target);
    area_filter(on, tree, table, 10, target);
    extrema_filter(on, tree, 3, target);
  }
};

TEST(max_tree_allocation, second_calls_on_one_thread_allocate_nothing) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the allocator belongs to the sanitizer";
#endif
  for (const extent& size : {extent(300, 400), extent(1, 5), extent(20, 30, 40), extent(3, 70000)})
    for (const dtype type : tree_types) {
      all_calls calls(random_grey(size, 200, 1, 1), type);
      engine on = engine::cpu(1);
      calls.run(on, tree_kind::max);
      const std::size_t scratch = on.scratch_bytes();
      const std::uint64_t before = allocations;
      calls.run(on, tree_kind::max);
      EXPECT_EQ(allocations - before, 0U) << name_of(type);
      EXPECT_EQ(on.scratch_bytes(), scratch);
    }
}

// The thread pool has memory of its own; the scratch is what the engine promises: a tile for each thread, and 4 bytes per node
// and thread for sums by strips, of which few nodes need rows here. A thread that gets its first tile in the last call needs
// memory for it then.
TEST(max_tree_allocation, calls_on_many_threads_need_a_tile_more_for_each) {
#ifdef SKERRY_TEST_SANITIZED
  const std::vector<dtype> types = {dtype::u8, dtype::f32};  // one of each way to build
#else
  const auto& types = tree_types;
#endif
  constexpr std::size_t threads = 3, tile = std::size_t{2} << 20;
  for (const extent& size : {extent(400, 500), extent(40, 50, 60)})
    for (const dtype type : types) {
      all_calls calls(random_grey(size, 200, 1, 1), type);
      engine alone = engine::cpu(1), on = engine::cpu(threads);
      calls.run(alone, tree_kind::max);
      for (int call = 0; call < 5; ++call) calls.run(on, tree_kind::max);
      const std::size_t strips = threads * sizeof(std::uint32_t) * calls.tree.nodes();
      EXPECT_LE(on.scratch_bytes(), alone.scratch_bytes() + (threads - 1) * tile + strips) << name_of(type);
      on.release_scratch();
      EXPECT_EQ(on.scratch_bytes(), 0U);
    }
}

TEST(max_tree_allocation, scratch_is_as_small_as_promised) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the engine counts the same bytes without a sanitizer";
#endif
  struct promise {
    extent size;
    int connectivity;
    dtype type;
    double bytes_per_pixel;
  };
  const extent plane(1500, 1500), volume(100, 130, 150);
  for (const promise& p :
       {promise{plane, 4, dtype::u8, 5.2}, promise{plane, 4, dtype::u16, 26}, promise{plane, 8, dtype::f32, 26},
        promise{volume, 6, dtype::f32, 28}, promise{volume, 18, dtype::f32, 28}, promise{volume, 26, dtype::u16, 28},
        promise{plane, 4, dtype::i8, 5.2}, promise{plane, 4, dtype::f64, 34}, promise{plane, 8, dtype::i64, 34}}) {
    const grey image = random_grey(p.size, 250, 1, 1);
    engine on = engine::cpu(1);
    max_tree tree;
    build(on, image.as(p.type).view(), {p.connectivity}, tree);
    const auto pixels = static_cast<double>(p.size.pixels());
    EXPECT_LE(static_cast<double>(on.scratch_bytes()), p.bytes_per_pixel * pixels + 0x1p21)
        << name_of(p.type) << ", connectivity " << p.connectivity;
  }
}

TEST(max_tree_allocation, scratch_of_filters_is_as_small_as_promised) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the engine counts the same bytes without a sanitizer";
#endif
  for (const dtype type : tree_types) {
    const grey image = random_grey(extent(300, 400), 200, 1, 1);
    engine builder = engine::cpu(1);
    max_tree tree;
    build(builder, image.as(type).view(), {.connectivity = 4}, tree);
    const std::vector<std::uint8_t> keep(tree.nodes(), 1);
    std::vector<std::uint64_t> out(static_cast<std::size_t>(image.size.pixels()));
    const mutable_image target(out.data(), type, image.size);
    const std::size_t pixel = size_of(type);
    for (const auto& [rule, bytes] : {std::pair(filter_rule::direct, 4),
                                      {filter_rule::min, 5},
                                      {filter_rule::max, 5},
                                      {filter_rule::subtractive, 8}}) {
      engine on = engine::cpu(2);
      filter(on, tree, keep, {.rule = rule}, target);
      EXPECT_LE(on.scratch_bytes(), tree.nodes() * (static_cast<std::size_t>(bytes) + pixel) + 8) << name_of(type);
    }
    engine on = engine::cpu(2);
    extrema_filter(on, tree, 1, target);
    EXPECT_LE(on.scratch_bytes(), tree.nodes() * (8 + pixel) + 8) << name_of(type);
  }
}

// Fails one allocation after the other until the calls need no more.
TEST(max_tree_allocation, failures_are_reported_and_survived) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the allocator belongs to the sanitizer";
#endif
  for (const dtype type : {dtype::u8, dtype::u16, dtype::f32, dtype::f64})
    for (const bool slow : {false, true}) {
      engine on = slow ? engine::reference() : engine::cpu(1);
      const placed_image image = random_grey(extent(12, 14), 9, 1, 2).as(type);
      max_tree want;
      build(on, image.view(), {.connectivity = 8}, want);
      int failures = 0;
      for (bool failed = true; failed; failures += failed ? 1 : 0) {
        on.release_scratch();
        max_tree tree;
        attribute_table table;
        std::vector<std::uint64_t> out(168);
        failed = false;
        good_allocations = failures;
        try {
          build(on, image.view(), {.connectivity = 8}, tree);
          measure(on, tree, {.levels = true}, table);
          area_filter(on, tree, table, 3, {out.data(), type, image.view().size});
        } catch (const out_of_memory& error) {
          good_allocations = -1;
          failed = true;
          EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos) << error.what();
        }
        good_allocations = -1;
        ASSERT_LT(failures, 1000);
      }
      EXPECT_GT(failures, 3) << "nothing was allocated";
      max_tree again;
      build(on, image.view(), {.connectivity = 8}, again);
      EXPECT_TRUE(again == want);
    }
}

}  // namespace
}  // namespace skerry::test

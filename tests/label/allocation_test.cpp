// SPDX-License-Identifier: Apache-2.0
// A second call with the same shape and no more components allocates nothing; a call that gets no memory says so, and
// the engine works on.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>

#include "skerry/error.hpp"
#include "support/allocations.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

std::uint64_t allocations_of(const std::function<void()>& work) {
  const std::uint64_t before = allocations;
  work();
  return allocations - before;
}

TEST(label_allocation, allocations_are_counted) {
  ASSERT_TRUE(allocations_are_counted);
  EXPECT_GE(allocations_of([] { std::vector<int>(1000).at(5) = 1; }), 1U);
  EXPECT_GE(allocations_of([] {
              void* volatile memory = std::malloc(10);
              memory = std::realloc(memory, 100000);
              std::free(memory);
            }),
            2U);
  EXPECT_EQ(allocations_of([] {}), 0U);
}

// All calls, into memory that the caller keeps.
struct all_calls {
  mask image, intensity;
  std::vector<float> floats;
  std::vector<std::uint32_t> labels;
  std::vector<labelled_run> runs;
  feature_table table;

  explicit all_calls(const mask& from)
      : image(from), intensity(from), floats(from.pixels.begin(), from.pixels.end()), labels(from.pixels.size()) {}

  void run(engine& on, const label_options& options) {
    const mutable_image target(labels.data(), image.size);
    label(on, image.view(), options, target);
    label_runs(on, image.view(), options, runs);
    count_components(on, image.view(), options);
    measure(on, image.view(), options, {.moments = true, .intensity = intensity.view()}, table,
            {.labels = target, .runs = &runs});
    measure(on, image.view(), options, {.moments = true, .intensity = {floats.data(), image.size}}, table);
    measure(on, image.view(), options, {}, table);
  }
};

std::vector<selection> selections() {
  return {{},
          {.fill_holes = true},
          {.min_area = 3},
          {.clear_border = true},
          {.largest = 4},
          {.fill_holes = true, .min_area = 2, .clear_border = true, .largest = 2}};
}

TEST(label_allocation, second_calls_on_one_thread_allocate_nothing) {
  for (const extent& size : {extent(200, 300), extent(1, 5), extent(20, 30, 40), extent(3, 70000)})
    for (const selection& keep : selections()) {
      all_calls calls(random_mask(size, 1, 45, 1));
      const label_options options = with_connectivity(size.rank == 2 ? 8 : 6, {}, keep);
      engine on = engine::cpu(1);
      calls.run(on, options);
      const std::size_t scratch = on.scratch_bytes();
      EXPECT_EQ(allocations_of([&] { calls.run(on, options); }), 0U)
          << size.depth << " x " << size.height << " x " << size.width << ", holes " << keep.fill_holes << ", largest "
          << keep.largest;
      EXPECT_EQ(on.scratch_bytes(), scratch);
    }
}

TEST(label_allocation, smaller_images_need_nothing_more) {
  all_calls large(random_mask(extent(300, 300), 1, 45, 1)), small(random_mask(extent(100, 200), 1, 45, 2));
  engine on = engine::cpu(1);
  large.run(on, with_connectivity(4));
  small.run(on, with_connectivity(4));
  EXPECT_EQ(allocations_of([&] {
              small.run(on, with_connectivity(4));
              large.run(on, with_connectivity(4));
              small.run(on, with_connectivity(4));
            }),
            0U);
}

// The thread pool has memory of its own; the scratch is what the engine promises.
TEST(label_allocation, second_calls_on_many_threads_need_no_more_scratch) {
  for (const extent& size : {extent(400, 500), extent(40, 50, 60)})
    for (const selection& keep : selections()) {
      all_calls calls(random_mask(size, 1, 45, 1));
      const label_options options = with_connectivity(size.rank == 2 ? 8 : 26, {}, keep);
      engine on = engine::cpu(3);
      calls.run(on, options);
      const std::size_t scratch = on.scratch_bytes();
      calls.run(on, options);
      EXPECT_EQ(on.scratch_bytes(), scratch);
    }
}

// Fails one allocation after the other until a call needs no more.
void expect_to_survive_failures(engine on, const mask& image, const selection& keep) {
  const question asked = {.image = image.view(),
                          .options = with_connectivity(image.size.rank == 2 ? 8 : 18, {}, keep),
                          .features = {.moments = true, .intensity = image.view()}};
  const reference::answer want = expected_answer(asked);
  std::vector<std::uint32_t> labels(image.pixels.size());
  int failures = 0;
  for (bool failed = true; failed; failures += failed ? 1 : 0) {
    on.release_scratch();
    feature_table table;
    std::vector<labelled_run> runs;
    failed = false;
    good_allocations = failures;
    try {
      measure(on, asked.image, asked.options, asked.features, table,
              {.labels = {labels.data(), image.size}, .runs = &runs});
    } catch (const out_of_memory& error) {
      good_allocations = -1;
      failed = true;
      EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos) << error.what();
    }
    good_allocations = -1;
    ASSERT_LT(failures, 1000);
    if (failed) expect_measured(on, asked, want);
  }
  EXPECT_GT(failures, 3) << "nothing was allocated";
}

TEST(label_allocation, failures_are_reported_and_survived) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the allocator belongs to the sanitizer";
#endif
  for (const selection& keep : selections())
    for (const extent& size : {extent(40, 50), extent(4, 5, 70), extent(2, 66000), extent(6, 7)}) {
      const mask image = random_mask(size, 1, size.width > 60000 ? 2 : 45, 1);
      expect_to_survive_failures(engine::cpu(1), image, keep);
      if (size.width < 10) expect_to_survive_failures(engine::reference(), image, keep);
      ASSERT_FALSE(HasFailure());
    }
}

// At most 12 bytes for each run, and memory for some rows.
TEST(label_allocation, scratch_is_as_small_as_promised) {
  const mask image = random_mask(extent(1000, 1000), 1, 50, 1);
  std::vector<std::uint32_t> labels(image.pixels.size());
  std::vector<labelled_run> runs;
  engine on = engine::cpu(1);
  label(on, image.view(), with_connectivity(4), {labels.data(), image.size});
  const std::size_t for_labels = on.scratch_bytes();
  label_runs(on, image.view(), with_connectivity(4), runs);
  constexpr std::size_t rows = 1000 * 8 + 200 * (1000 / 8 + 16);
  EXPECT_LE(for_labels, 12 * runs.size() + rows);
  EXPECT_LE(on.scratch_bytes(), 12 * runs.size() + rows);
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// A second call with the same shape and no more components allocates nothing; a call that gets no memory says so, and
// the engine works on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>

#include "engine/engine_state.hpp"
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

std::uint64_t allocations_outside_of(const std::function<void()>& work) {
  const std::uint64_t before = allocations_outside_the_pool;
  work();
  return allocations_outside_the_pool - before;
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
    label(on, {image.view(), options, {.moments = true, .intensity = intensity.view()}},
          {.labels = target, .runs = &runs, .table = &table});
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

// The thread pool allocates when it likes; what it calls does not.
TEST(label_allocation, second_calls_on_two_threads_allocate_nothing) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer's hooks do not know who allocates";
#endif
  ASSERT_GT(allocations_outside_of([] { std::vector<int>(1000).at(5) = 1; }), 0U);
  for (const extent& size : {extent(400, 500), extent(40, 50, 60)})
    for (const selection& keep : selections()) {
      all_calls calls(random_mask(size, 1, 45, 1));
      const label_options options = with_connectivity(size.rank == 2 ? 8 : 26, {}, keep);
      engine on = engine::cpu(2);
      on.inside().least_pixels_per_strip = 1;
      on.inside().least_shared_nanoseconds = 0;
      calls.run(on, options);
      EXPECT_EQ(allocations_outside_of([&] { calls.run(on, options); }), 0U)
          << "rank " << size.rank << ", holes " << keep.fill_holes << ", largest " << keep.largest;
    }
}

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
  const std::vector<std::uint32_t> before(image.pixels.size(), 77);
  int good = 0, failures = 0;
  for (bool one_failed = true; one_failed; ++good) {
    on.release_scratch();
    std::vector<std::uint32_t> labels = before;
    feature_table table;
    table.components.assign(1, {});
    std::vector<labelled_run> runs(1);
    const mutable_image target(labels.data(), image.size);
    bool failed = false;
    good_allocations = good;
    try {
      label(on, {asked.image, asked.options, asked.features}, {.labels = target, .runs = &runs, .table = &table});
      one_failed = good_allocations < 0;  // to give memory back may fail, and does not matter
      good_allocations = -1;
    } catch (const out_of_memory& error) {
      good_allocations = -1;
      failed = true;
      EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos) << error.what();
    }
    ASSERT_LT(good, 1000);
    if (failed) {
      ++failures;
      EXPECT_EQ(labels, before);
      EXPECT_EQ(
          table.size() + table.moments.size() + table.intensities.size() + table.real_intensities.size() + runs.size(),
          0U);
    }
    if (one_failed) expect_measured(on, asked, want);
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

// What label.hpp and measure.hpp promise, from the runs and components of an image.
struct promise {
  extent size;
  std::size_t strips, runs, components, fullest_row, shared;
  bool in_bands;

  promise(const mask& image, int connectivity, int threads)
      : size(image.size), strips(threads == 1 ? 1 : 16 * static_cast<std::size_t>(threads)),
        in_bands(connectivity == 8) {
    std::vector<labelled_run> all;
    engine slow = engine::cpu(1);
    components = label_runs(slow, image.view(), with_connectivity(connectivity), all);
    runs = all.size();
    std::vector<std::size_t> of_row(static_cast<std::size_t>(size.rows()));
    for (const labelled_run& run : all) ++of_row[static_cast<std::size_t>(run.row)];
    fullest_row = *std::max_element(of_row.begin(), of_row.end());
    const std::size_t border_rows = size.rank == 3 ? static_cast<std::size_t>(size.height) + 1 : 1;
    shared = (strips - 1) * border_rows * fullest_row;
  }

  // Of the image, and of the rows before each strip.
  [[nodiscard]] std::size_t bits(std::size_t row_of_bits) const {
    const std::size_t border = size.rank == 3 ? static_cast<std::size_t>(size.height) + 1 : 2;
    return (static_cast<std::size_t>(size.rows()) + strips * border) * row_of_bits;
  }
  // A strip has parts of components of its own, and the lists some places to spare.
  [[nodiscard]] std::size_t for_labels() const {
    const std::size_t row_of_bits = static_cast<std::size_t>(size.width) / 8 + 8;
    const std::size_t slice = size.rank == 3 ? static_cast<std::size_t>(size.height) * row_of_bits : 0;
    const std::size_t window = (32U << 10U) + 3 * row_of_bits + 4 * (slice + row_of_bits);
    const std::size_t of_fullest_row = in_bands ? 28 : 6;
    return bits(row_of_bits) + 4 * runs + (in_bands ? runs / 8 : 0) + 4 * (components + shared) +
           8 * static_cast<std::size_t>(size.rows()) + 16 * shared +
           strips * (window + of_fullest_row * fullest_row + 300);
  }
  [[nodiscard]] std::size_t for_runs() const { return for_labels() + (size.width > 65535 ? 8 : 4) * runs; }
  [[nodiscard]] std::size_t for_selections() const {
    return for_runs() + 64 * (components + shared) + strips * 3 * sizeof(geometry);
  }
};

mask isolated_pixels(const extent& size) {
  mask image = empty_mask(size);
  for (std::int64_t y = 0; y < size.height; y += 2)
    for (std::int64_t x = 0; x < size.width; x += 2) image.at(y, x) = 1;
  return image;
}

mask checkerboard(const extent& size) {
  mask image = empty_mask(size);
  for (std::int64_t y = 0; y < size.height; ++y)
    for (std::int64_t x = y % 2; x < size.width; x += 2) image.at(y, x) = 1;
  return image;
}

void expect_promise(const mask& image, int connectivity, int threads) {
  SCOPED_TRACE(std::to_string(image.size.width) + " wide, connectivity " + std::to_string(connectivity) + ", " +
               std::to_string(threads) + " threads");
  const promise bytes(image, connectivity, threads);
  std::vector<std::uint32_t> labels(image.pixels.size());
  const mutable_image target(labels.data(), image.size);
  std::vector<labelled_run> runs;
  engine on = engine::cpu(threads);
  const auto scratch_of = [&](const label_options& options, bool as_runs) {
    on.release_scratch();
    if (as_runs) label_runs(on, image.view(), options, runs);
    else label(on, image.view(), options, target);
    return on.scratch_bytes();
  };
  EXPECT_LE(scratch_of(with_connectivity(connectivity), false), bytes.for_labels());
  EXPECT_LE(scratch_of(with_connectivity(connectivity), true), bytes.for_runs());
  EXPECT_GE(on.scratch_bytes(), runs.size() * sizeof(std::uint32_t));  // each has a number
  EXPECT_LE(scratch_of(with_connectivity(connectivity, {}, {.min_area = 2}), false), bytes.for_selections());
  EXPECT_LE(scratch_of(with_connectivity(connectivity, {}, {.largest = 9}), false), bytes.for_selections());
}

TEST(label_allocation, scratch_is_as_small_as_promised) {
  for (const int threads : {1, 2}) {
    expect_promise(random_mask(extent(1000, 1000), 1, 50, 1), 4, threads);
    expect_promise(isolated_pixels(extent(1500, 1500)), 8, threads);
    expect_promise(checkerboard(extent(1500, 1500)), 4, threads);
    expect_promise(checkerboard(extent(20, 70000)), 4, threads);
    expect_promise(random_mask(extent(60, 70, 80), 1, 10, 1), 6, threads);
  }
}

// Holes are found as components of the background, and kept as bits.
TEST(label_allocation, holes_need_what_the_background_needs) {
  const mask image = checkerboard(extent(1000, 1000));
  mask background = image;
  for (std::uint8_t& pixel : background.pixels) pixel = pixel == 0 ? 1 : 0;
  engine on = engine::cpu(1);
  std::vector<std::uint32_t> labels(image.pixels.size());
  label(on, image.view(), with_connectivity(8, {}, {.fill_holes = true}), {labels.data(), image.size});
  const std::size_t bits = 1000 * (1000 / 8 + 8);
  EXPECT_LE(on.scratch_bytes(), promise(background, 4, 1).for_selections() + bits);
}

}  // namespace
}  // namespace skerry::test

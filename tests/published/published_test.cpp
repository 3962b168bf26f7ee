// SPDX-License-Identifier: Apache-2.0
// The published methods, beyond what they share with every engine (tests/label).
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/engine_state.hpp"
#include "skerry/published.hpp"
#include "skerry/skerry.hpp"
#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

void expect_each(const mask& image) {
  for (const int connectivity : {4, 8}) {
    const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
    const reference::answer want = expected_answer(asked);
    for (named_engine& each : each_published_method()) {
      if (!each.knows(connectivity)) continue;
      SCOPED_TRACE(each.name);
      expect_measured(each.on, as_published(asked, each.method), want);
    }
  }
}

TEST(published, the_list_is_whole) {
  std::vector<std::string_view> names = {published::own_method};
  for (const published::method& method : published::methods()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), method.name), 0) << method.name;
    names.push_back(method.name);
    EXPECT_FALSE(method.paper.empty());
    EXPECT_FALSE(method.summary.empty());
    EXPECT_FALSE(method.engines.empty());
    EXPECT_FALSE(method.connectivities.empty());
    EXPECT_NE(published::method_names().find(std::string(method.name)), std::string::npos);
  }
  EXPECT_TRUE(published::method_names().starts_with("skerry, rosenfeld"));
  for (const char* name :
       {"rosenfeld",  "rosenfeld-otf",  "lsl-std",      "lsl-rle", "lsl-simd", "suzuki",     "he",
        "he-runs",    "naive",          "ha",           "ha-otf",  "ha-cd",    "flsl",       "flsl-otf",
        "flsl-cd",    "playne-direct",  "playne-block", "tmk",     "jung",     "block-fill", "flsl-3d",
        "ha-compact", "flsl-cd-compact"})
    EXPECT_EQ(std::count(names.begin(), names.end(), std::string_view(name)), 1) << name;
}

// All images of a few pixels: nothing can hide.
TEST(published, every_image_of_four_by_four) {
  std::vector<named_engine>& methods = each_published_method();
  const std::uint32_t step = scaled(100) == 100 ? 1 : 37;
  for (std::uint32_t pixels = 0; pixels < 1U << 16; pixels += step) {
    mask image = empty_mask(extent(4, 4));
    for (std::size_t i = 0; i < 16; ++i) image.pixels[i] = pixels >> i & 1;
    for (const int connectivity : {4, 8}) {
      const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
      const reference::answer want = expected_answer(asked);
      for (std::size_t i = pixels % 3; i < methods.size(); i += 3) {
        if (!methods[i].knows(connectivity)) continue;
        SCOPED_TRACE(methods[i].name);
        expect_measured(methods[i].on, as_published(asked, methods[i].method), want);
      }
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// What steps 1 of Light Speed Labeling must not trip over: words, vectors, rows that end in a segment.
TEST(published, every_width_and_instruction_set) {
  with_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    for (std::int64_t width = 1; width <= 200; width += scaled(100) == 100 ? 1 : 7) {
      const auto seed = static_cast<std::uint32_t>(width);
      for (const double density : {15.0, 50.0, 85.0, 100.0}) {
        const mask image = random_mask(extent(3, width), 1, density, seed);
        const question asked = {.image = image.view(), .options = with_connectivity(width % 2 == 0 ? 4 : 8)};
        const reference::answer want = expected_answer(asked);
        for (named_engine& each : each_published_method())
          if (each.method == "lsl-simd") expect_measured(each.on, as_published(asked, each.method), want);
      }
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  });
}

// Borders of strips at every distance, in every round of the pyramid.
TEST(published, strips_of_one_line) {
  for (const int threads : {3, 4, 6, 7, 8, 16})
    for (const std::int64_t height : {2, 7, 8, 16, 17})
      for (const double density : {40.0, 60.0}) {
        const mask image = random_mask(extent(height, 70), 1, density, static_cast<std::uint32_t>(height));
        for (const char* method : {"lsl-std", "lsl-rle", "lsl-simd"})
          for (const int connectivity : {4, 8}) {
            engine on = engine::cpu(threads);
            on.inside().least_pixels_per_strip = 1;
            const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
            expect_measured(on, as_published(asked, method), expected_answer(asked));
          }
        ASSERT_FALSE(testing::Test::HasFailure());
      }
}

TEST(published, one_engine_takes_methods_in_any_order) {
  engine on = engine::cpu(2);
  on.inside().least_pixels_per_strip = 1;
  const std::vector<extent> sizes = {extent(40, 90), extent(3, 5), extent(90, 200), extent(1, 1)};
  for (int round = 0; round < 3; ++round)
    for (const extent& size : sizes) {
      const mask image = random_mask(size, 1, 50, static_cast<std::uint32_t>(round));
      const question asked = {.image = image.view(), .options = with_connectivity(8)};
      const reference::answer want = expected_answer(asked);
      expect_measured(on, asked, want);
      for (const published::method& method : published::methods()) {
        if (method.engines.front() != engine_kind::cpu) continue;
        SCOPED_TRACE(method.name);
        expect_measured(on, as_published(asked, method.name), want);
      }
    }
}

TEST(published, hard_images) {
  for (const named_mask& each : adversarial_planes(64, 129)) {
    SCOPED_TRACE(each.name);
    expect_each(each.image);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(published, a_second_call_takes_no_more_memory) {
  const mask image = random_mask(extent(120, 300), 1, 50, 1);
  for (named_engine& each : each_published_method()) {
    SCOPED_TRACE(each.name);
    const question asked =
        as_published({.image = image.view(), .options = with_connectivity(each.connectivities.back())}, each.method);
    each.on.release_scratch();
    EXPECT_EQ(each.on.scratch_bytes(), 0U);
    const reference::answer want = expected_answer(asked);
    expect_measured(each.on, asked, want);
    const std::size_t bytes = each.on.scratch_bytes();
    EXPECT_GT(bytes, 0U);
    expect_measured(each.on, asked, want);
    EXPECT_EQ(each.on.scratch_bytes(), bytes);
  }
}

// All rows are one row in memory, of which the last pixel is foreground too.
TEST(published, more_pixels_than_31_bits_count) {
  constexpr std::int64_t width = 65537, height = 33000;
  std::vector<std::uint8_t> row(width, 0);
  std::fill_n(row.begin() + 70, 1000, std::uint8_t{1});
  row.back() = 1;
  engine on = engine::cpu(2);
  const image_view image(row.data(), dtype::u8, extent(height, width), {0, 0, 1});
  feature_table table;
  ASSERT_EQ(published::label(on, "lsl-simd", {image, with_connectivity(8)}, {.table = &table}), 2U);
  EXPECT_EQ(table.components[0].area, 1000U * 33000U);
  EXPECT_EQ(table.components[1].area, 33000U);
  EXPECT_EQ(table.components[1].sum[2], 33000U * 65536U);
  EXPECT_EQ(table.components[0].max[1], height - 1);
}

std::vector<std::string> phases_of(const engine& on) {
  std::vector<std::string> names;
  for (const phase_time& phase : on.last_phases()) {
    EXPECT_GE(phase.milliseconds, 0.0);
    names.emplace_back(phase.name);
  }
  return names;
}

TEST(published, phases_have_the_names_of_the_papers) {
  const mask image = random_mask(extent(60, 70), 1, 50, 1);
  std::vector<std::uint32_t> labels(60 * 70);
  feature_table table;
  engine on = engine::cpu(2);
  on.inside().least_pixels_per_strip = 1;
  on.set_profiling(true);
  label_options how = with_connectivity(8);
  const auto measured_by = [&](std::string_view method) {
    published::label(on, method, {image.view(), how}, {.labels = {labels.data(), image.size}, .table = &table});
    return phases_of(on);
  };
  using names = std::vector<std::string>;
  EXPECT_EQ(measured_by("rosenfeld"), (names{"first labelling", "transitive closure", "relabelling", "features"}));
  EXPECT_EQ(measured_by("rosenfeld-otf"), (names{"first labelling", "transitive closure", "relabelling", "features"}));
  for (const char* method : {"lsl-std", "lsl-rle", "lsl-simd"})
    EXPECT_EQ(measured_by(method), (names{"segments", "equivalences", "borders", "transitive closure", "relabelling"}));
  EXPECT_EQ(measured_by("suzuki"), (names{"first scan", "later scans", "numbering", "relabelling", "features"}));
  for (const char* method : {"he", "he-runs"})
    EXPECT_EQ(measured_by(method), (names{"first scan", "numbering", "second scan", "features"}));
  for (const double time : on.last_profile().milliseconds) EXPECT_EQ(time, 0.0);

  EXPECT_EQ(measured_by(published::own_method), (names{"encode", "local", "merge", "resolve", "measure", "emit"}));

  // What the method itself does not do has phases of its own.
  how = with_connectivity(4, foreground::at_least(1));
  std::vector<labelled_run> runs;
  std::vector<std::uint16_t> small(60 * 70);
  const label_outputs outputs = {.labels = {small.data(), image.size}, .runs = &runs, .table = &table};
  published::label(on, "lsl-rle", {image.view(), how}, outputs);
  EXPECT_EQ(phases_of(on).front(), "threshold");
  EXPECT_EQ(phases_of(on).back(), "runs");
  EXPECT_EQ(*(phases_of(on).rbegin() + 1), "copy");

  on.set_profiling(false);
  EXPECT_EQ(measured_by("rosenfeld"), (names{"encode", "local", "merge", "resolve", "measure", "emit"}));
}

TEST(published, labels_that_do_not_fit_are_refused_before_anything_is_written) {
  mask image = empty_mask(extent(40, 40));
  for (std::int64_t y = 0; y < 40; y += 2)
    for (std::int64_t x = 0; x < 40; x += 2) image.at(y, x) = 1;
  for (named_engine& each : each_published_method()) {
    SCOPED_TRACE(each.name);
    const label_request asked = {image.view(), with_connectivity(each.connectivities.back())};
    std::vector<std::uint8_t> labels(1600, 77);
    EXPECT_THROW(published::label(each.on, each.method, asked, {.labels = {labels.data(), image.size}}),
                 label_overflow);
    EXPECT_EQ(labels, std::vector<std::uint8_t>(1600, 77));
  }
}

}  // namespace
}  // namespace skerry::test

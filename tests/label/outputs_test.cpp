// SPDX-License-Identifier: Apache-2.0
// Every label type and stride pattern, labels that do not fit, and outputs that are left out.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "skerry/error.hpp"
#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

TEST(label_outputs, each_type_and_layout) {
  std::uint32_t seed = 0;
  for (const extent& size :
       {extent(9, 33), extent(5, 130), extent(3, 4, 65), extent(70, 3), extent(1, 1), extent(0, 3)}) {
    const mask image = random_mask(size, 2, 40, ++seed);
    for (const dtype type : label_types)
      for (const layout arrangement : all_layouts)
        expect_everywhere({.image = image.view(),
                           .options = with_connectivity(size.rank == 2 ? 8 : 26),
                           .label_type = type,
                           .label_layout = arrangement});
  }
}

TEST(label_outputs, signed_types) {
  const mask image = random_mask(extent(9, 130), 2, 40, 7), volume = random_mask(extent(3, 4, 65), 2, 40, 7);
  for (const mask* each : {&image, &volume})
    for (const dtype type : signed_label_types)
      for (const layout arrangement : all_layouts)
        expect_everywhere({.image = each->view(),
                           .options = with_connectivity(each->size.rank == 2 ? 8 : 26),
                           .label_type = type,
                           .label_layout = arrangement});
}

TEST(label_outputs, each_width_and_instruction_set) {
  for (std::int64_t width = 1; width <= 200; ++width)
    for (const dtype type : label_types) {
      const mask image = random_mask(extent(3, width), width % 3 == 0 ? 7 : 1, 50, static_cast<std::uint32_t>(width));
      const question asked = {.image = image.view(), .options = with_connectivity(4)};
      const reference::answer want = expected_answer(asked);
      if (type == dtype::u8 && want.count > 255) continue;
      with_each_instruction_set([&](const std::string& name) {
        SCOPED_TRACE(name);
        for (const std::size_t which : {1, 2})
          for (const layout arrangement : {layout::dense, layout::padded_rows, layout::unaligned}) {
            const placed_image labels(type, image.size, arrangement);
            EXPECT_EQ(label(each_engine()[which].on, asked.image, asked.options, labels.target()), want.count);
            EXPECT_TRUE(same_labels(labels.values(), want.labels, image.size))
                << each_engine()[which].name << ", width " << width << ", " << name_of(type) << ", "
                << name_of(arrangement);
            EXPECT_TRUE(labels.surroundings_untouched());
          }
      });
      ASSERT_FALSE(HasFailure());
    }
}

// Slices that begin between two labels: nothing but the stride of slices tells.
TEST(label_outputs, slices_at_any_byte) {
  const mask image = random_mask(extent(3, 4, 65), 2, 40, 11);
  const question asked = {.image = image.view(), .options = with_connectivity(26)};
  const reference::answer want = expected_answer(asked);
  for (const dtype type : {dtype::u16, dtype::u32, dtype::u64})
    for (const std::int64_t gap : {1, 2, 3, 5, 64}) {
      const auto label_bytes = static_cast<std::int64_t>(size_of(type));
      const std::int64_t row = 65 * label_bytes, slice = 4 * row + gap;
      alignas(8) std::array<std::byte, 3 * (4 * 65 * 8 + 64)> bytes{};
      const mutable_image out(bytes.data(), type, image.size, {slice, row, label_bytes});
      engine on = engine::cpu(2);
      ASSERT_EQ(label(on, asked.image, asked.options, out), want.count);
      std::vector<std::uint64_t> labels;
      for (std::int64_t z = 0; z < 3; ++z)
        for (std::int64_t i = 0; i < 4 * 65; ++i) {
          std::uint64_t value = 0;
          std::memcpy(&value, bytes.data() + z * slice + i * label_bytes, size_of(type));
          labels.push_back(value);
        }
      EXPECT_EQ(labels, want.labels) << name_of(type) << ", gap " << gap;
    }
}

// `count` pixels that do not touch, in rows of 512.
mask isolated(std::uint64_t count) {
  const auto rows = static_cast<std::int64_t>((count + 255) / 256);
  mask image = empty_mask(extent(2 * rows, 512));
  for (std::uint64_t i = 0; i < count; ++i)
    image.at(static_cast<std::int64_t>(i / 256) * 2, static_cast<std::int64_t>(i % 256) * 2) = 1;
  return image;
}

// What a caller has before a call that fails.
feature_table older_table() {
  feature_table table;
  table.rank = 3;
  table.has_moments = table.has_intensities = true;
  table.components.assign(3, {.area = 5});
  table.moments.assign(3, {});
  table.intensities.assign(3, {});
  table.real_intensities.assign(3, {});
  return table;
}

void expect_overflow(engine& on, const mask& image, dtype type, std::uint64_t count, const label_options& options,
                     std::string_view by = published::own_method) {
  const placed_image labels(type, image.size, layout::padded_rows);
  const std::vector<std::uint64_t> before = labels.values();
  const std::vector<labelled_run> runs_before = {{1, 2, 3, 4}};
  std::vector<labelled_run> runs = runs_before;
  feature_table table = older_table();
  for (const bool measured : {false, true}) {
    try {
      label_outputs outputs = {.labels = labels.target()};
      if (measured) outputs.runs = &runs, outputs.table = &table;
      published::label(on, by, {image.view(), options}, outputs);
      FAIL() << count << " labels fitted " << name_of(type);
    } catch (const label_overflow& error) {
      EXPECT_EQ(error.count(), count);
      EXPECT_NE(std::string(error.what()).find(std::to_string(count)), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("labels"), std::string::npos) << error.what();
    }
    EXPECT_EQ(labels.values(), before);
    EXPECT_TRUE(labels.surroundings_untouched());
    EXPECT_TRUE(same_table(table, older_table()));
    EXPECT_TRUE(same_runs(runs, runs_before));
  }
}

TEST(label_outputs, labels_that_do_not_fit) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    expect_overflow(each.on, isolated(256), dtype::u8, 256, with_connectivity(8));
    expect_overflow(each.on, isolated(300), dtype::u8, 299, with_connectivity(8, {}, {.largest = 299}));
    expect_overflow(each.on, isolated(65536), dtype::u16, 65536, with_connectivity(8));
    expect_overflow(each.on, isolated(128), dtype::i8, 128, with_connectivity(8));
    expect_overflow(each.on, isolated(130), dtype::i8, 129, with_connectivity(8, {}, {.largest = 129}));
    expect_overflow(each.on, isolated(32768), dtype::i16, 32768, with_connectivity(8));
  }
  for (named_engine& each : each_published_method()) {
    SCOPED_TRACE(each.name);
    expect_overflow(each.on, isolated(256), dtype::u8, 256, with_connectivity(4), each.method);
  }
}

TEST(label_outputs, labels_that_just_fit) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    for (const auto& [count, type] : {std::pair<std::uint64_t, dtype>{255, dtype::u8},
                                      {65535, dtype::u16},
                                      {127, dtype::i8},
                                      {32767, dtype::i16}}) {
      const mask image = isolated(count);
      const question asked = {.image = image.view(), .options = with_connectivity(8), .label_type = type};
      expect_all_ways(each.on, asked, expected_answer(asked));
    }
    // More components than the type holds, but not after the selection.
    const mask image = isolated(300);
    const question asked = {
        .image = image.view(), .options = with_connectivity(8, {}, {.largest = 255}), .label_type = dtype::u8};
    expect_all_ways(each.on, asked, expected_answer(asked));
    // The table that a selection needs is not the caller's as long as labels may not fit.
    feature_table table = older_table();
    const placed_image labels(dtype::u8, image.size, layout::dense);
    const measure_options features = {.moments = true, .intensity = image.view()};
    label(each.on, {asked.image, asked.options, features}, {.labels = labels.target(), .table = &table});
    const reference::answer want = reference::analyse(asked.image, asked.options, features);
    EXPECT_TRUE(same_table(table, want.table));
    EXPECT_TRUE(same_labels(labels.values(), want.labels, image.size));
  }
}

// The reference's labels, in memory that is chosen when the count is known; selections choose then, too.
void expect_placed(named_engine& each, const mask& image, const label_options& options) {
  const reference::answer want = reference::analyse(image.view(), options, {});
  for (const bool measured : {false, true}) {
    std::optional<placed_image> labels;
    feature_table table = older_table();
    label_outputs outputs = {.table = measured ? &table : nullptr};
    outputs.labels_for = [&](std::uint64_t count) {
      EXPECT_FALSE(labels.has_value()) << "asked for twice";
      EXPECT_EQ(count, want.count);
      return labels.emplace(count < 100 ? dtype::i8 : dtype::u16, image.size, layout::padded_rows).target();
    };
    EXPECT_EQ(published::label(each.on, each.method, {image.view(), options}, outputs), want.count);
    ASSERT_TRUE(labels.has_value());
    EXPECT_TRUE(same_labels(labels->values(), want.labels, image.size));
    EXPECT_TRUE(labels->surroundings_untouched());
    EXPECT_TRUE(same_table(table, measured ? want.table : older_table()));
  }
}

TEST(label_outputs, labels_placed_when_their_number_is_known) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    for (const std::uint64_t count : {0, 1, 99, 100, 700}) {
      expect_placed(each, isolated(count), with_connectivity(8));
      expect_placed(each, isolated(count), with_connectivity(8, {}, {.largest = 40}));
    }
  }
  for (named_engine& each : each_published_method()) {
    SCOPED_TRACE(each.name);
    expect_placed(each, isolated(300), with_connectivity(4));
  }
}

TEST(label_outputs, a_place_that_is_refused_leaves_outputs_as_they_were) {
  const mask image = isolated(300);
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    for (const std::uint64_t largest : {0, 299}) {
      const label_request asked = {image.view(), with_connectivity(8, {}, {.largest = largest})};
      const placed_image bytes(dtype::u8, image.size, layout::dense), floats(dtype::f32, image.size, layout::dense);
      const std::vector<std::uint64_t> before = bytes.values();
      const std::vector<labelled_run> runs_before = {{1, 2, 3, 4}};
      std::vector<labelled_run> runs = runs_before;
      label_outputs outputs = {.runs = &runs};
      outputs.labels_for = [&](std::uint64_t) { return bytes.target(); };
      EXPECT_THROW(label(each.on, asked, outputs), label_overflow);
      outputs.labels_for = [&](std::uint64_t) { return floats.target(); };
      EXPECT_THROW(label(each.on, asked, outputs), invalid_argument);
      outputs.labels_for = [](std::uint64_t) -> mutable_image { throw 5; };
      EXPECT_THROW(label(each.on, asked, outputs), int);
      outputs.labels = bytes.target();
      EXPECT_THROW(label(each.on, asked, outputs), invalid_argument);
      EXPECT_EQ(bytes.values(), before);
      EXPECT_TRUE(same_runs(runs, runs_before));
    }
  }
}

TEST(label_outputs, an_engine_works_on_after_an_overflow) {
  for (named_engine& each : each_engine()) {
    expect_overflow(each.on, isolated(1000), dtype::u8, 1000, with_connectivity(8));
    const mask image = random_mask(extent(40, 40), 1, 50, 4);
    const question asked = {.image = image.view(), .options = with_connectivity(4)};
    expect_all_ways(each.on, asked, expected_answer(asked));
  }
}

TEST(label_outputs, tables_and_runs_are_replaced) {
  const mask many = isolated(50), few = picture("#.#");
  for (named_engine& each : each_engine()) {
    feature_table table;
    std::vector<labelled_run> runs;
    label(each.on, {many.view(), with_connectivity(8), {.moments = true, .intensity = many.view()}},
          {.runs = &runs, .table = &table});
    EXPECT_EQ(table.size(), 50U);
    EXPECT_EQ(runs.size(), 50U);
    EXPECT_EQ(label(each.on, {few.view(), with_connectivity(8)}, {.runs = &runs, .table = &table}), 2U);
    EXPECT_EQ(table.size(), 2U);
    EXPECT_TRUE(table.moments.empty());
    EXPECT_TRUE(table.intensities.empty());
    EXPECT_EQ(runs.size(), 2U);
    const mask nothing = empty_mask(extent(0, 0, 5));
    EXPECT_EQ(label(each.on, {nothing.view(), with_connectivity(6)}, {.runs = &runs, .table = &table}), 0U);
    EXPECT_EQ(table.rank, 3);
    EXPECT_EQ(table.size(), 0U);
    EXPECT_TRUE(runs.empty());
  }
}

}  // namespace
}  // namespace skerry::test

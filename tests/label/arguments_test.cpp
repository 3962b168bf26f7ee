// SPDX-License-Identifier: Apache-2.0
// What is out of range is refused by name, before anything is touched.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> pixels(64, 1);

void expect_refusal(std::string_view argument, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << argument << " was accepted";
  } catch (const invalid_argument& error) {
    EXPECT_NE(std::string_view(error.what()).find(argument), std::string_view::npos)
        << "'" << error.what() << "' does not name " << argument;
  }
}

// All four calls refuse what concerns the image and the options.
void expect_refused(std::string_view argument, const image_view& image, const label_options& options) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    std::vector<std::uint32_t> labels(64, 77);
    std::vector<labelled_run> runs(1);
    feature_table table;
    table.components.resize(3);
    const mutable_image target(labels.data(), dtype::u32, image.size, {32, 32, 4});  // some sides have no dense strides
    expect_refusal(argument, [&] { label(each.on, image, options, target); });
    expect_refusal(argument, [&] { label_runs(each.on, image, options, runs); });
    expect_refusal(argument, [&] { count_components(each.on, image, options); });
    expect_refusal(argument, [&] {
      label(each.on, {image, options}, {.labels = target, .runs = &runs, .table = &table});
    });
    EXPECT_EQ(labels, std::vector<std::uint32_t>(64, 77));
    EXPECT_EQ(runs.size(), 1U);
    EXPECT_EQ(table.size(), 3U);
  }
}

void expect_labels_refused(std::string_view argument, const image_view& image, const mutable_image& labels) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    feature_table table;
    const label_options options = with_connectivity(image.size.rank == 2 ? 8 : 26);
    expect_refusal(argument, [&] { label(each.on, image, options, labels); });
    if (labels.data == nullptr) continue;  // measure() may leave them out
    expect_refusal(argument, [&] { label(each.on, {image, options}, {.labels = labels, .table = &table}); });
  }
}

void expect_features_refused(std::string_view argument, const image_view& image, const measure_options& features) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    feature_table table;
    expect_refusal(argument,
                   [&] { measure(each.on, image, with_connectivity(image.size.rank == 2 ? 8 : 26), features, table); });
  }
}

TEST(label_arguments, connectivity_must_fit_the_rank) {
  for (const int connectivity : {0, 1, 2, 3, 5, 6, 18, 26, -8, 9})
    expect_refused("connectivity", {pixels.data(), extent(8, 8)}, with_connectivity(connectivity));
  for (const int connectivity : {0, 1, 4, 8, 7, 17, 27, -6})
    expect_refused("connectivity", {pixels.data(), extent(4, 4, 4)}, with_connectivity(connectivity));
  expect_refused("connectivity", {pixels.data(), extent(8, 8)}, {});
  expect_refused("connectivity", {pixels.data(), extent(1, 8, 8)}, with_connectivity(8));
  expect_refused("connectivity", {pixels.data(), extent(0, 8)}, with_connectivity(6));
}

TEST(label_arguments, sides_must_be_in_range) {
  constexpr std::int64_t too_long = std::int64_t{1} << 31;
  for (const extent& size :
       {extent(-1, 8), extent(8, -1), extent(too_long, 1), extent(1, too_long), extent(0, too_long),
        extent(1 << 21, 1 << 20), extent(std::numeric_limits<std::int64_t>::max(), 8),
        extent(std::numeric_limits<std::int64_t>::min(), 8)})
    expect_refused("image", {pixels.data(), dtype::u8, size, {0, 0, 0}}, with_connectivity(8));
  for (const extent& size : {extent(-1, 8, 8), extent(-2, -2, 2), extent(too_long, 1, 1), extent(1, 1, too_long),
                             extent(1 << 14, 1 << 14, 1 << 13), extent(too_long - 1, too_long - 1, too_long - 1)})
    expect_refused("image", {pixels.data(), dtype::u8, size, {0, 0, 0}}, with_connectivity(26));
  extent bad(8, 8);
  bad.rank = 4;
  expect_refused("image", {pixels.data(), bad}, with_connectivity(8));
  bad.rank = 2;
  bad.depth = 2;
  expect_refused("image", {pixels.data(), bad}, with_connectivity(8));
}

TEST(label_arguments, pixels_need_memory) {
  expect_refused("image", {nullptr, dtype::u8, extent(8, 8)}, with_connectivity(8));
  expect_labels_refused("labels", {pixels.data(), extent(8, 8)}, {nullptr, dtype::u32, extent(8, 8)});
  expect_features_refused("intensity", {pixels.data(), extent(8, 8)},
                          {.intensity = {nullptr, dtype::u8, extent(8, 8)}});
}

TEST(label_arguments, nothing_needs_no_memory) {
  for (named_engine& each : each_engine())
    for (const extent& size : {extent(0, 0), extent(0, 8), extent(8, 0), extent()}) {
      feature_table table;
      std::vector<labelled_run> runs(4);
      const image_view image(nullptr, dtype::u8, size);
      EXPECT_EQ(label(each.on, image, with_connectivity(8), {nullptr, dtype::u32, size}), 0U);
      EXPECT_EQ(label(each.on, {image, with_connectivity(4), {.intensity = image}}, {.runs = &runs, .table = &table}),
                0U);
      EXPECT_EQ(count_components(each.on, image, with_connectivity(4)), 0U);
      EXPECT_TRUE(runs.empty());
    }
}

TEST(label_arguments, types_must_be_supported) {
  const image_view image(pixels.data(), extent(8, 8));
  const auto past_the_last = static_cast<dtype>(static_cast<int>(dtype::f16) + 1);
  expect_refused("image: unknown dtype", {pixels.data(), past_the_last, extent(8, 8), {8, 1, 1}}, with_connectivity(8));
  expect_refused("image", {pixels.data(), static_cast<dtype>(99), extent(8, 8), {8, 1, 1}}, with_connectivity(8));
  std::vector<double> labels(64);
  for (const dtype type : {dtype::f32, dtype::f64, dtype::bit, dtype::boolean, dtype::f16})
    expect_labels_refused("labels", image, {labels.data(), type, extent(8, 8)});
  expect_features_refused("intensity: dtype bit", image, {.intensity = {pixels.data(), dtype::bit, extent(8, 8)}});
  EXPECT_EQ(labels, std::vector<double>(64));
}

TEST(label_arguments, extents_must_be_equal) {
  const image_view image(pixels.data(), extent(8, 8));
  std::vector<std::uint64_t> labels(64);
  for (const extent& size : {extent(8, 7), extent(7, 8), extent(4, 16), extent(64, 1), extent(1, 8, 8), extent(0, 0)}) {
    expect_labels_refused("labels", image, {labels.data(), size});
    if (size.pixels() > 0) expect_features_refused("intensity", image, {.intensity = {pixels.data(), size}});
  }
  const image_view volume(pixels.data(), extent(1, 8, 8));
  expect_labels_refused("labels", volume, {labels.data(), extent(8, 8)});
}

TEST(label_arguments, thresholds_must_be_numbers_in_order) {
  const image_view image(pixels.data(), extent(8, 8));
  for (const foreground rule : {foreground::above(not_a_number), foreground::at_least(not_a_number),
                                foreground::within(not_a_number, 1), foreground::within(0, not_a_number),
                                foreground::within(1, 0), foreground{static_cast<foreground::rule>(9), 0, 0}})
    expect_refused("foreground", image, with_connectivity(8, rule));
}

TEST(label_arguments, areas_must_be_in_order) {
  expect_refused("min_area", {pixels.data(), extent(8, 8)}, with_connectivity(8, {}, {.min_area = 5, .max_area = 4}));
}

TEST(label_arguments, labels_must_not_overlap_the_image) {
  std::vector<std::uint8_t> memory(256, 1);
  const auto image_at = [&](std::size_t first) { return image_view(memory.data() + first, dtype::u8, extent(8, 8)); };
  const auto labels_at = [&](std::size_t first) {
    return mutable_image(memory.data() + first, dtype::u8, extent(8, 8));
  };
  expect_labels_refused("labels", image_at(0), labels_at(0));
  expect_labels_refused("labels", image_at(0), labels_at(63));
  expect_labels_refused("labels", image_at(63), labels_at(0));
  expect_labels_refused("labels", image_at(0), {memory.data() + 63, dtype::u8, extent(8, 8), {0, -8, 1}});
  expect_labels_refused("labels", {memory.data() + 63, dtype::u8, extent(8, 8), {0, -8, -1}}, labels_at(0));
  EXPECT_EQ(memory, std::vector<std::uint8_t>(256, 1));
  engine on = engine::cpu(1);
  EXPECT_EQ(label(on, image_at(0), with_connectivity(8), labels_at(64)), 1U);
  EXPECT_EQ(label(on, image_at(128), with_connectivity(8), labels_at(64)), 1U);
}

TEST(label_arguments, labels_must_not_overlap_the_intensity_image) {
  std::vector<std::uint8_t> memory(256, 1);
  const image_view intensity(memory.data() + 64, dtype::u8, extent(8, 8)), image(pixels.data(), extent(8, 8));
  feature_table table;
  const auto measure_into = [&](engine& on, std::size_t first) {
    const mutable_image labels(memory.data() + first, dtype::u8, extent(8, 8));
    return label(on, {image, with_connectivity(8), {.intensity = intensity}}, {.labels = labels, .table = &table});
  };
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    for (const std::size_t first : {1U, 64U, 127U})
      expect_refusal("labels: memory overlaps that of the intensity image", [&] { measure_into(each.on, first); });
    EXPECT_EQ(memory, std::vector<std::uint8_t>(256, 1));
  }
  engine on = engine::cpu(1);
  EXPECT_EQ(measure_into(on, 0), measure_into(on, 128));
}

TEST(label_arguments, pixels_of_labels_must_be_distinct) {
  std::vector<std::uint32_t> labels(256);
  const image_view image(pixels.data(), extent(8, 8));
  for (const byte_strides& strides : {byte_strides{0, 0, 4}, byte_strides{0, 32, 0}, byte_strides{0, 4, 4},
                                      byte_strides{0, 32, 2}, byte_strides{0, 30, 4}, byte_strides{0, 12, 4}})
    expect_labels_refused("labels", image, {labels.data(), dtype::u32, extent(8, 8), strides});
}

TEST(label_arguments, sums_that_could_overflow_are_refused) {
  // A central moment of 2^34 pixels in 2^30 rows may pass 2^127, a coordinate sum of 2^40 pixels 2^64. The pixels are
  // never read.
  constexpr extent tall(1 << 30, 1 << 4);
  expect_features_refused("moments", {pixels.data(), dtype::u8, tall, {0, 0, 0}}, {.moments = true});
  expect_features_refused("image", {pixels.data(), dtype::u8, extent(1 << 9, 1 << 30), {0, 0, 0}}, {.moments = true});
}

TEST(label_arguments, columns_must_exist) {
  feature_table table;
  table.components.resize(1);
  for (const char* name : {"", "Area", "bbox", "bbox-4", "centroid-2", "bbox-0 ", "label-0", "centroid_weighted-0"})
    expect_refusal("name", [&] { static_cast<void>(table.column(name)); });
  for (const char* name : {"orientation", "axis_major_length", "intensity_mean"})
    expect_refusal(name, [&] { static_cast<void>(table.column(name)); });
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Images of rank 1, against plain loops over their pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "skerry/error.hpp"
#include "skerry/measure.hpp"
#include "support/engines.hpp"
#include "support/placed_image.hpp"

namespace skerry::test {
namespace {

// Components of a line as lists of pixels, in the order of their first ones.
using pixel_lists = std::vector<std::vector<std::int64_t>>;

bool join(const std::vector<double>& line, std::size_t a, std::size_t b, const joining& how) {
  if (line[a] == 0 || line[b] == 0) return false;
  if (how.kind == joining::rule::equal) return line[a] == line[b];
  return how.kind == joining::rule::foreground || std::abs(line[a] - line[b]) <= how.delta;
}

pixel_lists components_of(const std::vector<double>& line, const label_options& options) {
  pixel_lists all;
  for (std::size_t x = 0; x < line.size(); ++x) {
    if (line[x] == 0) continue;
    if (x == 0 || !join(line, x - 1, x, options.joining)) all.emplace_back();
    all.back().push_back(static_cast<std::int64_t>(x));
  }
  const bool wraps = options.periodic.x && line.size() > 1 && join(line, line.size() - 1, 0, options.joining);
  if (wraps && all.size() > 1) {
    all.front().insert(all.front().end(), all.back().begin(), all.back().end());
    all.pop_back();
  }
  const selection& keep = options.selection;
  std::erase_if(all, [&](const std::vector<std::int64_t>& pixels) {
    const bool at_end = pixels.front() == 0 || pixels.back() == static_cast<std::int64_t>(line.size()) - 1;
    return pixels.size() < keep.min_area || (keep.clear_border && !options.periodic.x && at_end);
  });
  return all;
}

void expect_line(engine& on, const placed_image& image, const label_options& options, const pixel_lists& want) {
  const extent size = image.view().size;
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(size.width), 77);
  std::vector<std::uint32_t> expected(labels.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    for (const std::int64_t x : want[i]) expected[static_cast<std::size_t>(x)] = static_cast<std::uint32_t>(i + 1);
  EXPECT_EQ(label(on, image.view(), options, {labels.data(), size}), want.size());
  EXPECT_EQ(labels, expected);

  std::vector<labelled_run> runs;
  EXPECT_EQ(label_runs(on, image.view(), options, runs), want.size());
  std::vector<std::uint32_t> painted(labels.size());
  for (const labelled_run& run : runs) {
    EXPECT_EQ(run.row, 0);
    for (std::int32_t x = run.begin; x < run.end; ++x)
      painted[static_cast<std::size_t>(x)] = static_cast<std::uint32_t>(run.label);
  }
  EXPECT_EQ(painted, expected);

  feature_table table;
  measure(on, image.view(), options, {.moments = true, .intensity = image.view()}, table);
  ASSERT_EQ(table.size(), want.size());
  EXPECT_EQ(table.column_names(),
            (std::vector<std::string>{"label", "area", "bbox-0", "bbox-1", "centroid-0", "extent", "coordinate_sum-0",
                                      "moments_central-2", "intensity_min", "intensity_max", "intensity_mean",
                                      "intensity_std", "intensity_sum"}));
  const auto value = [&](const char* name, std::size_t row) { return table.column(name)[row]; };
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto n = static_cast<double>(want[i].size());
    double sum = 0, spread = 0;
    for (const std::int64_t x : want[i]) sum += static_cast<double>(x);
    for (const std::int64_t x : want[i]) spread += std::pow(static_cast<double>(x) - sum / n, 2);
    EXPECT_EQ(value("area", i), n);
    EXPECT_EQ(value("bbox-0", i), static_cast<double>(want[i].front()));
    EXPECT_EQ(value("bbox-1", i), static_cast<double>(want[i].back() + 1));
    EXPECT_EQ(value("coordinate_sum-0", i), sum);
    EXPECT_EQ(value("centroid-0", i), sum / n);
    EXPECT_NEAR(value("moments_central-2", i), spread, 1e-9 * (spread + 1));
  }
}

TEST(label_line, random_lines_are_those_of_plain_loops) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const extent size(static_cast<std::int64_t>(random() % 150));
    std::vector<double> values(static_cast<std::size_t>(size.width));
    for (double& value : values) value = random() % 5 == 0 ? 0 : 1 + random() % 3;
    label_options options;
    options.connectivity = 2;
    if (round % 3 == 1) options.joining = joining::equal();
    if (round % 3 == 2) options.joining = joining::within(1);
    options.periodic.x = round / 3 % 2 == 1;
    if (round / 6 % 2 == 1) options.selection.min_area = 2;
    options.selection.clear_border = round / 12 % 2 == 1;
    const dtype types[] = {dtype::u8, dtype::i16, dtype::f32, dtype::u64};
    const layout layouts[] = {layout::dense, layout::every_second_pixel, layout::backward, layout::unaligned};
    const placed_image image(types[round % 4], size, layouts[round / 4 % 4], values);
    const pixel_lists want = components_of(values, options);
    SCOPED_TRACE(round);
    for (named_engine& each : each_engine()) {
      SCOPED_TRACE(each.name);
      expect_line(each.on, image, options, want);
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST(label_line, lengths_are_in_the_unit_of_its_only_axis) {
  const std::vector<std::uint8_t> line = {0, 1, 1, 0, 1};
  engine on = engine::cpu(1);
  feature_table table;
  measure(on, image_view(line.data(), extent(5)), {.connectivity = 2}, {}, table);
  const pixel_spacing spacing = {7, 5, 0.5, "um"};
  EXPECT_EQ(table.column("area_um", spacing), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(table.column("centroid_um-0", spacing), (std::vector<double>{0.75, 2}));
}

TEST(label_line, labels_are_placed_when_their_number_is_known) {
  const std::vector<std::uint8_t> line = {0, 1, 1, 0, 1};
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    std::vector<std::uint16_t> labels;
    label_outputs outputs;
    outputs.labels_for = [&](std::uint64_t count) {
      labels.assign(5, static_cast<std::uint16_t>(count));
      return mutable_image(labels.data(), extent(5));
    };
    EXPECT_EQ(label(each.on, {image_view(line.data(), extent(5)), {.connectivity = 2}}, outputs), 2u);
    EXPECT_EQ(labels, (std::vector<std::uint16_t>{0, 1, 1, 0, 2}));
  }
}

TEST(label_line, what_only_planes_have_is_refused) {
  const std::vector<std::uint8_t> line(6);
  std::vector<std::uint32_t> labels(6);
  const extent size(6);
  engine on = engine::cpu(1);
  const auto refusal = [&](const image_view& image, const label_options& options, const mutable_image& out) {
    try {
      label(on, image, options, out);
    } catch (const invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const image_view image(line.data(), size);
  const mutable_image out(labels.data(), size);
  label_options options{.connectivity = 8};
  EXPECT_EQ(refusal(image, options, out), "connectivity: 8 is not 2 (image of rank 1)");
  options.connectivity = 2;
  EXPECT_EQ(refusal(image, options, {labels.data(), extent(1, 6)}), "labels: rank 2 is not that of the image, 1");
  EXPECT_EQ(refusal(image, options, {labels.data(), extent(5)}), "labels: size 1 x 5 is not that of the image, 1 x 6");
  EXPECT_NE(refusal(image, options, {}), "");
  EXPECT_EQ(refusal({line.data(), extent(1, 6)}, {.connectivity = 4}, out), "labels: rank 1 is not 2 or 3");
  image_view rows = image;
  rows.size.height = 2;
  EXPECT_EQ(refusal(rows, options, out), "image: depth or height 2 of rank 1 is not 1");
  options.periodic.y = true;
  EXPECT_EQ(refusal(image, options, out), "periodic: an image of rank 1 has the axis x alone");
  options.periodic.y = false;
  options.selection.fill_holes = true;
  EXPECT_EQ(refusal(image, options, out), "fill_holes: an image of rank 1 has no holes");
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Given labels of rank 1, against plain loops over their pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "regions/given.hpp"
#include "skerry/columns.hpp"
#include "skerry/contacts.hpp"
#include "skerry/error.hpp"
#include "skerry/outline.hpp"
#include "skerry/region_values.hpp"
#include "skerry/relabel.hpp"
#include "skerry/threshold.hpp"

namespace skerry::test {
namespace {

struct labelled_line {
  std::vector<std::int16_t> labels;
  std::vector<std::uint8_t> grey;
  std::map<std::int16_t, std::vector<std::size_t>> places;  // of each region

  [[nodiscard]] extent size() const { return extent(static_cast<std::int64_t>(labels.size())); }
  [[nodiscard]] image_view view() const { return {labels.data(), size()}; }
  [[nodiscard]] image_view values() const { return {grey.data(), size()}; }
};

labelled_line random_line(std::uint32_t seed) {
  std::mt19937 random(seed);
  labelled_line line;
  const std::size_t width = 1 + random() % 120;
  for (std::size_t x = 0; x < width; ++x) {
    const bool as_before = x != 0 && random() % 2 == 0;
    line.labels.push_back(as_before ? line.labels.back()
                                    : static_cast<std::int16_t>(static_cast<int>(random() % 9) - 2));
    line.grey.push_back(static_cast<std::uint8_t>(1 + random() % 250));
    if (line.labels.back() > 0) line.places[line.labels.back()].push_back(x);
  }
  return line;
}

void expect_columns(const labelled_line& line, const column_table& table, double spacing) {
  ASSERT_EQ(table.size(), line.places.size());
  std::size_t row = 0;
  for (const auto& [label, places] : line.places) {
    const auto n = static_cast<double>(places.size());
    double sum = 0, weight = 0, weighted = 0;
    for (const std::size_t x : places) {
      sum += static_cast<double>(x);
      weight += line.grey[x];
      weighted += static_cast<double>(x) * line.grey[x];
    }
    double second = 0, third = 0;
    for (const std::size_t x : places) {
      const double from = (static_cast<double>(x) - sum / n) * spacing;
      second += from * from;
      third += from * from * from;
    }
    const auto number = [&](const char* name) { return table.column(name).numbers[row]; };
    EXPECT_EQ(table.column("label").integers[row], label);
    EXPECT_EQ(table.column("bbox-0").integers[row], static_cast<std::int64_t>(places.front()));
    EXPECT_EQ(table.column("bbox-1").integers[row], static_cast<std::int64_t>(places.back() + 1));
    const bool touches = places.front() == 0 || places.back() + 1 == line.labels.size();
    EXPECT_EQ(table.column("touches_border").integers[row], touches ? 1 : 0);
    EXPECT_EQ(number("area"), n * spacing);
    EXPECT_EQ(number("extent"), n / static_cast<double>(places.back() + 1 - places.front()));
    EXPECT_DOUBLE_EQ(number("centroid-0"), sum / n * spacing);
    EXPECT_NEAR(number("moments_central-2"), second, 1e-9 * (second + 1));
    EXPECT_NEAR(number("moments_central-3"), third, 1e-8 * (second + 1) * 120);
    EXPECT_DOUBLE_EQ(number("centroid_weighted-0"), weighted / weight * spacing);
    EXPECT_DOUBLE_EQ(number("intensity_mean"), weight / n);
    ++row;
  }
}

TEST(region_line, columns_are_those_of_plain_loops) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const labelled_line line = random_line(seed);
    SCOPED_TRACE(seed);
    column_request asked;
    asked.intensity = line.values();
    if (seed % 2 == 1) asked.spacing = {3, 5, 0.25, ""};
    ask_every_engine([&](engine& on) {
      column_table table;
      measure_columns(on, line.view(), asked, table);
      EXPECT_EQ(table.rank, 1);
      expect_columns(line, table, asked.spacing.x);
      column_table again;
      engine reference = engine::reference();
      measure_columns(reference, line.view(), asked, again);
      ASSERT_EQ(again.columns.size(), table.columns.size());
      for (std::size_t c = 0; c < again.columns.size(); ++c) {
        EXPECT_EQ(again.columns[c].name, table.columns[c].name);
        EXPECT_EQ(again.columns[c].integers, table.columns[c].integers);
      }
    });
    for (named_engine& each : each_engine()) {
      SCOPED_TRACE(each.name);
      region_table regions;
      measure_regions(each.on, {.labels = line.view()}, regions);
      ASSERT_EQ(regions.size(), line.places.size());
      EXPECT_EQ(regions.column_names(), (std::vector<std::string>{"label", "area", "bbox-0", "bbox-1", "centroid-0",
                                                                  "extent", "coordinate_sum-0"}));
      std::size_t row = 0;
      for (const auto& [label, places] : line.places) EXPECT_EQ(regions.column("area")[row++], places.size());
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST(region_line, contacts_are_those_of_neighbours) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const labelled_line line = random_line(seed);
    SCOPED_TRACE(seed);
    std::map<std::pair<std::int16_t, std::int16_t>, std::uint64_t> pairs;
    std::map<std::int16_t, std::uint64_t> outside;
    for (std::size_t x = 0; x < line.labels.size(); ++x) {
      const std::int16_t here = line.labels[x];
      if (here > 0 && (x == 0 || x + 1 == line.labels.size()))
        outside[here] += x == 0 && x + 1 == line.labels.size() ? 2 : 1;
      if (x == 0 || here <= 0 || line.labels[x - 1] <= 0 || here == line.labels[x - 1]) continue;
      ++pairs[std::minmax(here, line.labels[x - 1])];
    }
    ask_each_engine([&](engine& on) {
      contact_table table;
      contacts(on, {.labels = line.view(), .connectivity = 2, .surfaces = true}, table);
      ASSERT_EQ(table.contacts.size(), pairs.size());
      std::size_t row = 0;
      for (const auto& [pair, faces] : pairs) {
        const contact& found = table.contacts[row++];
        EXPECT_EQ(
            found,
            (contact{static_cast<label_bits>(pair.first), static_cast<label_bits>(pair.second), {0, 0, faces}, 0, 0}));
        EXPECT_EQ(area_of(found.faces, 1, {2, 3, 4, ""}), static_cast<double>(faces));
      }
      for (const region_surface& surface : table.surfaces)
        EXPECT_EQ(surface.to_outside, (face_counts{0, 0, outside[static_cast<std::int16_t>(surface.label)]}));
    });
    ASSERT_FALSE(HasFailure());
  }
}

TEST(region_line, labels_and_values_are_found) {
  const std::vector<std::int16_t> labels = {5, 5, 0, 2, 5, -1};
  const std::vector<std::uint8_t> grey = {3, 9, 1, 4, 7, 8};
  const image_view line(labels.data(), extent(6)), values(grey.data(), extent(6));
  ask_each_engine([&](engine& on) {
    std::vector<std::uint8_t> out(6, 77);
    const mutable_image to(out.data(), extent(6));
    EXPECT_EQ(relabel(on, line, {}, to), (std::vector<label_bits>{5, 2}));
    EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 1, 0, 2, 1, 0}));
    remap(on, line, {{2}, {9}, unnamed_labels::zero}, to);
    EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 0, 0, 9, 0, 0}));
    EXPECT_EQ(keep_regions(on, line, {{.column = "area", .least = 2}}, {}, to), (std::vector<label_bits>{5}));
    EXPECT_EQ(out, (std::vector<std::uint8_t>{5, 5, 0, 0, 5, 0}));
    const region_extrema extrema = find_extrema(on, {line, values});
    EXPECT_EQ(extrema.max.at(1).x, 1);
    EXPECT_EQ(extrema.max.at(1).value, 9);
    EXPECT_EQ(find_quantiles(on, {line, values}, {0.5}).values, (std::vector<double>{4, 7}));
    EXPECT_EQ(count_histograms(on, {line, values}, {0, 5, 10}).counts, (std::vector<std::uint64_t>{1, 0, 1, 2}));
    column_table table;
    EXPECT_EQ(measure_columns(on, line, {.connectivity = 2}, {}, table), 2u);  // components of what is not 0
    EXPECT_EQ(table.column("area").numbers, (std::vector<double>{2, 3}));
  });
  EXPECT_EQ(otsu_threshold(values), otsu_threshold({grey.data(), extent(1, 6)}));
}

TEST(region_line, what_only_planes_have_is_refused) {
  const std::vector<std::uint8_t> labels(6);
  const image_view line(labels.data(), extent(6)), plane(labels.data(), extent(1, 6));
  engine on = engine::cpu(1);
  column_request asked;
  column_table table;
  for (const char* const name : {"perimeter", "euler_number", "axis_major_length", "area_convex", "area_filled"}) {
    asked.columns = {name};
    EXPECT_THROW(measure_columns(on, line, asked, table), invalid_argument) << name;
  }
  asked.columns = {"intensity_mean"};
  asked.intensity = plane;
  EXPECT_THROW(measure_columns(on, line, asked, table), invalid_argument);
  region_table regions;
  EXPECT_THROW(measure_regions(on, {.labels = line, .features = {.intensity = plane}}, regions), invalid_argument);
  EXPECT_THROW((void)find_extrema(on, {line, plane}), invalid_argument);
  contact_table contact;
  EXPECT_THROW(contacts(on, {.labels = line, .connectivity = 4}, contact), invalid_argument);
  outline_table outlines;
  EXPECT_THROW(outline(on, {.labels = line}, outlines), invalid_argument);
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Which columns a table has, of any image.
#include <gtest/gtest.h>

#include "label/measured.hpp"
#include "skerry/error.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

TEST(feature_table, names_in_order) {
  const mask plane = picture("#");
  const mask volume = picture("#\n-");
  const double value = 1;
  using names = std::vector<std::string>;
  EXPECT_EQ(reference::analyse(plane.view(), with_connectivity(4), {}).table.column_names(),
            (names{"label", "area", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "centroid-0", "centroid-1", "extent",
                   "coordinate_sum-0", "coordinate_sum-1"}));
  EXPECT_EQ(measured(plane, {&value, plane.size}).column_names(), (names{"label",
                                                                         "area",
                                                                         "bbox-0",
                                                                         "bbox-1",
                                                                         "bbox-2",
                                                                         "bbox-3",
                                                                         "centroid-0",
                                                                         "centroid-1",
                                                                         "extent",
                                                                         "coordinate_sum-0",
                                                                         "coordinate_sum-1",
                                                                         "axis_major_length",
                                                                         "axis_minor_length",
                                                                         "eccentricity",
                                                                         "orientation",
                                                                         "moments_central-0-2",
                                                                         "moments_central-1-1",
                                                                         "moments_central-2-0",
                                                                         "intensity_min",
                                                                         "intensity_max",
                                                                         "intensity_mean",
                                                                         "intensity_std",
                                                                         "intensity_sum"}));
  EXPECT_EQ(measured(volume).column_names(), (names{"label",
                                                    "area",
                                                    "bbox-0",
                                                    "bbox-1",
                                                    "bbox-2",
                                                    "bbox-3",
                                                    "bbox-4",
                                                    "bbox-5",
                                                    "centroid-0",
                                                    "centroid-1",
                                                    "centroid-2",
                                                    "extent",
                                                    "coordinate_sum-0",
                                                    "coordinate_sum-1",
                                                    "coordinate_sum-2",
                                                    "axis_major_length",
                                                    "axis_minor_length",
                                                    "moments_central-0-0-2",
                                                    "moments_central-0-1-1",
                                                    "moments_central-0-2-0",
                                                    "moments_central-1-0-1",
                                                    "moments_central-1-1-0",
                                                    "moments_central-2-0-0"}));
}

TEST(feature_table, whole_numbers) {
  for (const char* name : {"label", "area", "bbox-0", "bbox-3", "bbox-5", "coordinate_sum-0", "coordinate_sum-2"})
    EXPECT_TRUE(feature_table::is_integer_column(name)) << name;
  for (const char* name : {"centroid-0", "extent", "orientation", "intensity_min", "intensity_sum",
                           "moments_central-1-1", "bbox", "nothing", ""})
    EXPECT_FALSE(feature_table::is_integer_column(name)) << name;
}

TEST(feature_table, columns_are_found_by_their_whole_name) {
  const feature_table table;
  EXPECT_NO_THROW((void)table.column("bbox-3"));
  EXPECT_NO_THROW((void)table.column("centroid-1"));
  for (const char* name : {"bbox", "bbox-", "bbox-4", "bbox-00", "bbox-03", "bbox-10", "bbox--1", "bbox-/",
                           "bbox-:", "bbox_0", "centroid-2", "area-0", "areas", "are", ""})
    EXPECT_THROW((void)table.column(name), invalid_argument) << name;
}

TEST(feature_table, integers_are_exact) {
  feature_table table;
  table.components.assign(1, {.area = (std::uint64_t{1} << 53) + 1,
                              .sum = {0, std::uint64_t{1} << 60, (std::uint64_t{1} << 63) + 3},
                              .min = {0, 2, 0},
                              .max = {0, 2147483646, 7}});
  using integers = std::vector<std::uint64_t>;
  EXPECT_EQ(table.integer_column("label"), integers{1});
  EXPECT_EQ(table.integer_column("area"), integers{9007199254740993});
  EXPECT_EQ(table.integer_column("coordinate_sum-1"), integers{9223372036854775811U});
  EXPECT_EQ(table.integer_column("bbox-0"), integers{2});
  EXPECT_EQ(table.integer_column("bbox-2"), integers{2147483647});
  EXPECT_EQ(table.column("area"), std::vector<double>{9007199254740992});
  EXPECT_THROW((void)table.integer_column("centroid-0"), invalid_argument);
  EXPECT_THROW((void)table.integer_column("nonsense"), invalid_argument);
}

TEST(feature_table, each_column_has_each_row) {
  const mask image = random_mask(extent(20, 20), 1, 30, 1);
  const feature_table table = measured(image, image.view());
  for (const std::string& name : table.column_names()) EXPECT_EQ(table.column(name).size(), table.size()) << name;
}

TEST(feature_table, an_empty_table_has_empty_columns) {
  const feature_table table;
  EXPECT_FALSE(table.column_names().empty());
  EXPECT_TRUE(table.column("area").empty());
  EXPECT_THROW(static_cast<void>(table.column("orientation")), invalid_argument);
  EXPECT_THROW(static_cast<void>(table.column("intensity_mean")), invalid_argument);
}

// Without a component, or without a pixel, the columns are those of any other image.
TEST(feature_table, no_components_and_all_columns) {
  const std::uint8_t one[2] = {1, 0}, blank[2] = {};
  for (const bool moments : {false, true})
    for (const bool intensities : {false, true})
      for (named_engine& each : each_engine()) {
        const auto columns_of = [&](const image_view& image, std::size_t rows) {
          feature_table table;
          measure(each.on, image, with_connectivity(8),
                  {.moments = moments, .intensity = intensities ? image : image_view()}, table);
          for (const std::string& name : table.column_names()) EXPECT_EQ(table.column(name).size(), rows) << name;
          return table.column_names();
        };
        const std::vector<std::string> names = columns_of({one, extent(1, 2)}, 1);
        EXPECT_EQ(std::count(names.begin(), names.end(), "orientation"), moments ? 1 : 0) << each.name;
        EXPECT_EQ(std::count(names.begin(), names.end(), "intensity_mean"), intensities ? 1 : 0) << each.name;
        EXPECT_EQ(columns_of({blank, extent(1, 2)}, 0), names) << each.name;
        EXPECT_EQ(columns_of({blank, extent(0, 2)}, 0), names) << each.name;
      }
}

}  // namespace
}  // namespace skerry::test

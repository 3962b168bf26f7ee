// SPDX-License-Identifier: Apache-2.0
// Names of columns, what is refused, and label images of every type and layout.
#include <gtest/gtest.h>

#include <cmath>

#include "core/portable.hpp"
#include "features/columns.hpp"
#include "skerry/error.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

std::vector<std::string> names_of(const column_table& table) {
  std::vector<std::string> names;
  for (const table_column& column : table.columns) names.push_back(column.name);
  return names;
}

void expect_refused(const image_view& labels, const column_request& asked, const std::string& text) {
  ask_each_engine([&](engine& on) {
    column_table table;
    table.columns.push_back({"label", true, {1}, {}});
    try {
      measure_columns(on, labels, asked, table);
      FAIL() << "not refused: " << text;
    } catch (const invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
    EXPECT_TRUE(table.columns.empty());
  });
}

TEST(column_arguments, names_are_those_of_scikit_image) {
  const std::vector<std::uint8_t> labels = {1, 2, 2, 0};
  column_request asked;
  asked.columns = {"bbox", "inertia_tensor", "moments_central-0-2", "centroid", "area", "bbox-1"};
  ask_each_engine([&](engine& on) {
    const column_table table = columns_of(on, image_view(labels.data(), {2, 2}), asked);
    EXPECT_EQ(names_of(table),
              (std::vector<std::string>{"label", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "inertia_tensor-0-0",
                                        "inertia_tensor-0-1", "inertia_tensor-1-0", "inertia_tensor-1-1",
                                        "moments_central-0-2", "centroid-0", "centroid-1", "area"}));
    EXPECT_EQ(table.column("bbox-3").integers, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(table.column("area").numbers, (std::vector<double>{1, 2}));
    EXPECT_THROW((void)table.column("bbox"), invalid_argument);
  });
}

TEST(column_arguments, a_group_has_what_there_is) {
  const std::vector<std::uint8_t> labels = {1, 2, 2, 0};
  const auto has = [](const column_table& table, const char* name) {
    for (const table_column& column : table.columns)
      if (column.name == name) return true;
    return false;
  };
  engine on = engine::cpu(1);
  column_request asked;
  column_table table = columns_of(on, image_view(labels.data(), {2, 2}), asked);
  EXPECT_TRUE(has(table, "perimeter") && has(table, "moments_hu-6") && has(table, "moments-3-3"));
  EXPECT_FALSE(has(table, "intensity_mean") || has(table, "moments_weighted-0-0") || has(table, "surface_area"));
  table = columns_of(on, image_view(labels.data(), {1, 2, 2}), asked);
  EXPECT_TRUE(has(table, "area_convex") && has(table, "surface_area") && has(table, "moments-3-3-3"));
  EXPECT_FALSE(has(table, "perimeter") || has(table, "feret_diameter_min") || has(table, "orientation"));
  const std::vector<float> grey(4);
  asked.intensity = image_view(grey.data(), {2, 2});
  asked.spacing = {1, 2, 3, ""};
  table = columns_of(on, image_view(labels.data(), {2, 2}), asked);
  EXPECT_TRUE(has(table, "intensity_mean") && has(table, "moments_weighted-0-0"));
  EXPECT_FALSE(has(table, "moments_weighted_hu-0") || has(table, "perimeter") || has(table, "moments_hu-0"));
  for (const std::string& group : column_groups()) {
    asked.columns = {group};
    EXPECT_EQ(columns_of(on, image_view(labels.data(), {2, 2}), asked).columns.front().name, "label");
  }
}

// The group "shape" has the columns of patterns, hull and filled, and no other.
TEST(column_arguments, shape_is_three_groups) {
  const std::vector<std::uint8_t> labels(4, 1);
  engine on = engine::cpu(1);
  for (const extent& size : {extent(2, 2), extent(1, 2, 2)}) {
    column_request three, shape;
    three.columns = {"patterns", "hull", "filled"};
    shape.columns = {"shape"};
    EXPECT_EQ(names_of(columns_of(on, image_view(labels.data(), size), shape)),
              names_of(columns_of(on, image_view(labels.data(), size), three)));
  }
}

TEST(column_arguments, rows_for_an_index) {
  const std::vector<std::int8_t> labels = {-2, 0, 3, 3};
  column_request asked;
  asked.columns = {"perimeter", "area", "num_pixels", "bbox-3"};
  asked.background = background::none();
  ask_every_engine([&](engine& on) {
    asked.index.reset();
    const column_table whole = columns_of(on, image_view(labels.data(), {1, 4}), asked);
    ASSERT_EQ(whole.size(), 3U);
    asked.index = {3, 700, static_cast<label_bits>(-2), 3};
    const column_table table = columns_of(on, image_view(labels.data(), {1, 4}), asked);
    EXPECT_EQ(names_of(table), names_of(whole));
    EXPECT_EQ(table.column("label").integers, (std::vector<std::int64_t>{3, 700, -2, 3}));
    EXPECT_EQ(table.column("area").numbers, (std::vector<double>{2, 0, 1, 2}));
    EXPECT_EQ(table.column("num_pixels").integers, (std::vector<std::int64_t>{2, 0, 1, 2}));
    EXPECT_EQ(table.column("bbox-3").integers, (std::vector<std::int64_t>{4, 0, 1, 4}));
    const std::vector<double>& perimeters = table.column("perimeter").numbers;
    EXPECT_TRUE(std::isnan(perimeters[1]));
    EXPECT_EQ(perimeters[2], whole.column("perimeter").numbers[0]);
    EXPECT_EQ(perimeters[3], whole.column("perimeter").numbers[2]);
    asked.index->clear();
    EXPECT_EQ(columns_of(on, image_view(labels.data(), {1, 4}), asked).size(), 0U);
    const std::vector<u64> large = {u64{1} << 63, 1};
    asked.index = {1, u64{1} << 63};
    EXPECT_EQ(columns_of(on, image_view(large.data(), {1, 2}), asked).column("area").numbers,
              (std::vector<double>{1, 1}));
  });
}

TEST(column_arguments, what_there_is_not_is_refused) {
  const std::vector<std::uint8_t> labels(8);
  const image_view plane(labels.data(), {2, 4}), volume(labels.data(), {2, 2, 2});
  const std::vector<float> grey(8);
  column_request asked;
  const auto refused = [&](const image_view& image, const char* name, const char* text) {
    asked.columns = {name};
    expect_refused(image, asked, text);
  };
  refused(plane, "perimetre", "columns: there is no column or group 'perimetre'");
  refused(plane, "moments-4-0", "columns: there is no column or group 'moments-4-0'");
  refused(plane, "bbox-", "columns: there is no column");
  refused(plane, "", "columns: there is no column");
  refused(volume, "perimeter", "columns: 'perimeter' needs a plane; labels has rank 3");
  refused(volume, "moments_hu-1", "columns: 'moments_hu-1' needs a plane; labels has rank 3");
  refused(plane, "surface_area", "columns: 'surface_area' needs a volume; labels has rank 2");
  refused(plane, "intensity_mean", "columns: 'intensity_mean' needs an intensity image");
  refused(plane, "moments_weighted", "columns: 'moments_weighted' needs an intensity image");
  asked.intensity = image_view(grey.data(), {2, 4});
  refused(volume, "all", "intensity: ");
  asked.intensity = {};
  asked.spacing = {1, 2, 1, ""};
  refused(plane, "perimeter",
          "columns: 'perimeter' needs pixels of equal sides; leave it out, or measure without spacing");
  asked.spacing = {1, 2, 2, ""};
  refused(plane, "moments_hu", "columns: 'moments_hu' needs a spacing of 1; leave it out, or measure without spacing");
  asked.spacing = {1, 0, 2, ""};
  refused(plane, "all", "spacing: must be finite and above 0");
  asked.spacing = {};
  refused(image_view(grey.data(), {2, 4}), "all", "labels: dtype is float32; give integers of 8 to 64 bits or bool");
}

TEST(column_arguments, of_every_type_layout_and_size) {
  std::uint32_t seed = 0;
  for (const dtype type : given_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size : {extent(9, 20), extent(3, 4, 5), extent(0, 5), extent(2, 0, 3)}) {
        if (++seed % 4 != 0 && test_scale() < 1) continue;
        SCOPED_TRACE(std::string(name_of(type)) + ", " + name_of(arrangement) + ", " + std::to_string(seed));
        const placed_image labels(type, size, arrangement, random_values(edge_values(type), size, 1 + seed % 3, seed));
        const placed_image grey(dtype::i16, size, all_layouts[seed % std::size(all_layouts)],
                                random_values(edge_values(dtype::i16), size, 1, seed));
        column_request asked;
        asked.columns = {"euler_number", "num_pixels", "moments-1-2", "area_filled", "moments_weighted-0-1"};
        if (size.rank == 3) asked.columns = {"euler_number", "bbox", "moments-1-0-2", "moments_weighted-0-0-1"};
        asked.intensity = grey.view();
        if (seed % 3 != 0) asked.background = seed % 3 == 1 ? background::none() : background::equal_to(1);
        const column_table want = columns_of(each_engine().front().on, labels.view(), asked);
        ask_each_engine([&](engine& on) {
          const column_table got = columns_of(on, labels.view(), asked);
          ASSERT_EQ(names_of(got), names_of(want));
          for (std::size_t c = 0; c < got.columns.size(); ++c) {
            EXPECT_EQ(got.columns[c].integers, want.columns[c].integers);
            EXPECT_EQ(got.columns[c].numbers, want.columns[c].numbers);  // integers below 2^53
          }
        });
        ASSERT_FALSE(HasFailure());
      }
}

TEST(column_arguments, components_are_regions) {
  const std::vector<std::uint8_t> image = {1, 1, 0, 1,  //
                                           0, 0, 0, 1,  //
                                           1, 0, 1, 0};
  column_request asked;
  asked.columns = {"num_pixels", "euler_number"};
  asked.background = background::none();  // not used
  ask_each_engine([&](engine& on) {
    column_table table;
    EXPECT_EQ(measure_columns(on, image_view(image.data(), {3, 4}), {.connectivity = 8}, asked, table), 3u);
    EXPECT_EQ(table.column("num_pixels").integers, (std::vector<std::int64_t>{2, 3, 1}));
    EXPECT_EQ(measure_columns(on, image_view(image.data(), {3, 4}), {.connectivity = 4}, asked, table), 4u);
    EXPECT_EQ(table.column("label").integers, (std::vector<std::int64_t>{1, 2, 3, 4}));
  });
}

// The label image would be too large for any memory: what is wrong is found before it is made.
TEST(column_arguments, of_components_are_checked_before_labelling) {
  const std::uint8_t pixel = 1;
  const image_view image(&pixel, dtype::u8, {1 << 20, 1 << 20}, {0, 0, 0});
  column_request asked;
  column_table table;
  engine on = engine::cpu(1);
  const auto refusal = [&] {
    try {
      measure_columns(on, image, {.connectivity = 8}, asked, table);
    } catch (const invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  asked.columns = {"aera"};
  EXPECT_EQ(refusal().substr(0, 8), "columns:");
  asked.columns = {"area"};
  asked.spacing.y = 0;
  EXPECT_EQ(refusal(), "spacing: must be finite and above 0");
  asked.spacing.y = 1;
  asked.intensity = image_view(&pixel, {1, 1});
  EXPECT_EQ(refusal(), "intensity: size 1 x 1 is not that of the image, 1048576 x 1048576");
}

}  // namespace
}  // namespace skerry::test

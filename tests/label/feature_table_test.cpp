// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "reference/reference.hpp"
#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

feature_table measured(const mask& image, image_view intensity = {}) {
  const label_options options = with_connectivity(image.size.rank == 2 ? 8 : 26);
  return reference::analyse(image.view(), options, {.moments = true, .intensity = intensity}).table;
}

double first(const mask& image, const char* column) { return measured(image).column(column).at(0); }

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

// By hand: an L of (0, 0), (1, 0), (1, 1), and one pixel away from the origin.
TEST(feature_table, coordinate_sums_and_central_moments) {
  const feature_table plane = measured(picture("#...\n##..\n....\n...#"));
  ASSERT_EQ(plane.size(), 2U);
  EXPECT_EQ(plane.column("coordinate_sum-0"), (std::vector<double>{2, 3}));
  EXPECT_EQ(plane.column("coordinate_sum-1"), (std::vector<double>{1, 3}));
  EXPECT_DOUBLE_EQ(plane.column("moments_central-2-0").at(0), 2.0 / 3);  // rows 0, 1, 1
  EXPECT_DOUBLE_EQ(plane.column("moments_central-0-2").at(0), 2.0 / 3);  // columns 0, 0, 1
  EXPECT_DOUBLE_EQ(plane.column("moments_central-1-1").at(0), 1.0 / 3);
  for (const char* name : {"moments_central-2-0", "moments_central-1-1", "moments_central-0-2"})
    EXPECT_EQ(plane.column(name).at(1), 0) << name;
  EXPECT_THROW(static_cast<void>(plane.column("moments_central-0-0-2")), invalid_argument);
  EXPECT_THROW(static_cast<void>(plane.column("coordinate_sum-2")), invalid_argument);
}

// From the definition: each axis has its place, in volumes and planes of any shape.
TEST(feature_table, central_moments_are_sums_over_pixels) {
  for (const extent& size : {extent(9, 14), extent(5, 6, 7)}) {
    const mask image = random_mask(size, 1, 60, 3);
    const reference::answer answer =
        reference::analyse(image.view(), with_connectivity(size.rank == 2 ? 4 : 6), {.moments = true});
    const feature_table& table = answer.table;
    const auto rank = static_cast<std::size_t>(size.rank);
    std::vector<std::array<double, 3>> sums(table.size());
    const auto each_pixel = [&](auto visit) {
      for (std::size_t i = 0; i < answer.labels.size(); ++i) {
        if (answer.labels[i] == 0) continue;
        const auto at = static_cast<std::int64_t>(i);
        const std::array<std::int64_t, 3> place = {at / (size.width * size.height), at / size.width % size.height,
                                                   at % size.width};
        visit(answer.labels[i] - 1, place.data() + 3 - rank);
      }
    };
    each_pixel([&](std::size_t row, const std::int64_t* place) {
      for (std::size_t axis = 0; axis < rank; ++axis) sums[row][axis] += static_cast<double>(place[axis]);
    });
    for (std::size_t a = 0; a < rank; ++a) {
      const std::vector<double> sum = table.column("coordinate_sum-" + std::to_string(a));
      for (std::size_t row = 0; row < table.size(); ++row) EXPECT_EQ(sum[row], sums[row][a]);
      for (std::size_t b = a; b < rank; ++b) {
        std::string name = "moments_central";
        for (std::size_t axis = 0; axis < rank; ++axis) name += "-" + std::to_string((axis == a) + (axis == b));
        const std::vector<double> got = table.column(name);
        std::vector<double> want(table.size());
        each_pixel([&](std::size_t row, const std::int64_t* place) {
          const auto area = static_cast<double>(table.components[row].area);
          want[row] += (static_cast<double>(place[a]) - sums[row][a] / area) *
                       (static_cast<double>(place[b]) - sums[row][b] / area);
        });
        for (std::size_t row = 0; row < table.size(); ++row)
          EXPECT_NEAR(got[row], want[row], 1e-9 * (1 + std::fabs(want[row]))) << name;
      }
    }
  }
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

TEST(feature_table, place) {
  using numbers = std::vector<double>;
  const feature_table two = measured(picture(R"(
    .....
    ..##.
    ..#..
    .....
    #....)"));
  EXPECT_EQ(two.column("label"), (numbers{1, 2}));
  EXPECT_EQ(two.column("area"), (numbers{3, 1}));
  EXPECT_EQ(two.column("bbox-0"), (numbers{1, 4}));
  EXPECT_EQ(two.column("bbox-1"), (numbers{2, 0}));
  EXPECT_EQ(two.column("bbox-2"), (numbers{3, 5}));
  EXPECT_EQ(two.column("bbox-3"), (numbers{4, 1}));
  EXPECT_EQ(two.column("centroid-0"), (numbers{4.0 / 3, 4}));
  EXPECT_EQ(two.column("centroid-1"), (numbers{7.0 / 3, 0}));
  EXPECT_EQ(two.column("extent"), (numbers{0.75, 1}));
}

TEST(feature_table, place_in_a_volume) {
  const feature_table table = measured(picture(R"(
    ...
    ...
    ---
    .#.
    .##)"));
  const char* names[] = {"bbox-0", "bbox-1",     "bbox-2",     "bbox-3",     "bbox-4",
                         "bbox-5", "centroid-0", "centroid-1", "centroid-2", "extent"};
  const double want[] = {1, 0, 1, 2, 2, 3, 1, 2.0 / 3, 4.0 / 3, 0.75};
  for (std::size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(table.column(names[i]).at(0), want[i]) << names[i];
}

TEST(feature_table, lines) {
  const mask across = picture("#######"), down = picture("#\n#\n#\n#\n#\n#\n#");
  const double length = 4 * std::sqrt(48.0 / 12);  // variance of n pixels: (n² - 1) / 12
  for (const mask& line : {across, down}) {
    EXPECT_DOUBLE_EQ(first(line, "axis_major_length"), length);
    EXPECT_EQ(first(line, "axis_minor_length"), 0);
    EXPECT_EQ(first(line, "eccentricity"), 1);
  }
  EXPECT_EQ(first(across, "orientation"), pi / 2);
  EXPECT_EQ(first(down, "orientation"), 0);
}

TEST(feature_table, diagonals) {
  const mask falling = picture("#..\n.#.\n..#"), rising = picture("..#\n.#.\n#..");
  for (const mask& line : {falling, rising}) {
    EXPECT_DOUBLE_EQ(first(line, "axis_major_length"), 4 * std::sqrt(2 * 8.0 / 12));
    EXPECT_EQ(first(line, "axis_minor_length"), 0);
    EXPECT_EQ(first(line, "eccentricity"), 1);
  }
  EXPECT_EQ(first(falling, "orientation"), pi / 4);
  EXPECT_EQ(first(rising, "orientation"), -pi / 4);
  // The exact diagonal lies between lines on either side of it.
  EXPECT_NEAR(first(picture("#...\n.#..\n..##"), "orientation"), pi / 4, 0.4);
  EXPECT_GT(first(picture("#...\n.#..\n..##"), "orientation"), pi / 4);
  EXPECT_LT(first(picture("..#\n.#.\n#..\n#.."), "orientation"), 0);
}

TEST(feature_table, round_components_have_no_direction) {
  for (const mask& image : {picture("#"), picture("##\n##"), picture(".#.\n###\n.#.")}) {
    EXPECT_EQ(first(image, "eccentricity"), 0);
    EXPECT_EQ(first(image, "orientation"), -pi / 4);
    EXPECT_EQ(first(image, "axis_major_length"), first(image, "axis_minor_length"));
  }
  EXPECT_EQ(first(picture("#"), "axis_major_length"), 0);
}

TEST(feature_table, boxes_of_voxels) {
  for (const extent& size : {extent(2, 3, 5), extent(1, 1, 1), extent(4, 4, 4), extent(7, 1, 7), extent(1, 9, 1)}) {
    mask box = empty_mask(size);
    for (std::uint8_t& pixel : box.pixels) pixel = 1;
    const auto least = static_cast<double>(std::min({size.depth, size.height, size.width}));
    const auto most = static_cast<double>(std::max({size.depth, size.height, size.width}));
    EXPECT_DOUBLE_EQ(first(box, "axis_major_length"), std::sqrt(20 * (most * most - 1) / 12));
    EXPECT_DOUBLE_EQ(first(box, "axis_minor_length"), std::sqrt(20 * (least * least - 1) / 12));
  }
}

TEST(feature_table, slanted_lines_of_voxels) {
  mask line = empty_mask(extent(9, 9, 9));
  for (std::int64_t i = 0; i < 9; ++i) line.at(i, 8 - i, i) = 1;
  EXPECT_DOUBLE_EQ(first(line, "axis_major_length"), std::sqrt(20 * 3 * 80.0 / 12));
  EXPECT_NEAR(first(line, "axis_minor_length"), 0, 1e-6);
}

// The eigenvalues of a symmetric matrix: their sum, the sum of their squares and their product are known.
TEST(feature_table, axes_of_random_volumes) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const mask image = random_mask(extent(6, 7, 8), 2, 60, seed);
    const feature_table table = measured(image);
    for (std::size_t i = 0; i < table.size(); ++i) {
      const geometry& g = table.components[i];
      const second_moments& m = table.moments[i];
      const auto n = static_cast<double>(g.area);
      const auto covariance = [&](const wide_integer& ab, std::size_t a, std::size_t b) {
        return static_cast<double>(ab.low) / n -
               static_cast<double>(g.sum[a]) * static_cast<double>(g.sum[b]) / (n * n);
      };
      const double zz = covariance(m.zz, 0, 0), yy = covariance(m.yy, 1, 1), xx = covariance(m.xx, 2, 2);
      const double zy = covariance(m.zy, 0, 1), zx = covariance(m.zx, 0, 2), yx = covariance(m.yx, 1, 2);
      const double largest = std::pow(table.column("axis_major_length")[i], 2) / 20;
      const double smallest = std::pow(table.column("axis_minor_length")[i], 2) / 20;
      const double middle = zz + yy + xx - largest - smallest;
      EXPECT_GE(largest, middle - 1e-9);
      EXPECT_GE(middle, smallest - 1e-9);
      EXPECT_NEAR(largest * largest + middle * middle + smallest * smallest,
                  zz * zz + yy * yy + xx * xx + 2 * (zy * zy + zx * zx + yx * yx), 1e-9);
      EXPECT_NEAR(largest * middle * smallest,
                  zz * (yy * xx - yx * yx) - zy * (zy * xx - yx * zx) + zx * (zy * yx - yy * zx), 1e-9);
    }
  }
}

// The same component far from the origin, where the sums are huge and their differences small.
TEST(feature_table, shape_does_not_depend_on_place) {
  const feature_table here = measured(picture("##..\n.##.\n..##\n...#"));
  feature_table there = here;
  geometry& g = there.components[0];
  second_moments& m = there.moments[0];
  __extension__ using wide = unsigned __int128;
  constexpr wide dy = 2000000000, dx = 2100000000;
  const auto two_words = [](wide v) {
    return wide_integer{static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(v >> 64)};
  };
  const wide n = g.area, y = g.sum[1], x = g.sum[2];
  m.yy = two_words(m.yy.low + 2 * dy * y + n * dy * dy);
  m.yx = two_words(m.yx.low + dx * y + dy * x + n * dy * dx);
  m.xx = two_words(m.xx.low + 2 * dx * x + n * dx * dx);
  g.sum[1] += static_cast<std::uint64_t>(n * dy);
  g.sum[2] += static_cast<std::uint64_t>(n * dx);
  for (const char* name : {"axis_major_length", "axis_minor_length", "eccentricity", "orientation"})
    EXPECT_EQ(there.column(name), here.column(name)) << name;
}

TEST(feature_table, intensities) {
  const mask image = picture("####");
  const std::vector<std::int16_t> values = {-3, 1, 1, 5};
  const feature_table table = measured(image, {values.data(), image.size});
  EXPECT_EQ(table.column("intensity_min").at(0), -3);
  EXPECT_EQ(table.column("intensity_max").at(0), 5);
  EXPECT_EQ(table.column("intensity_mean").at(0), 1);
  EXPECT_EQ(table.column("intensity_std").at(0), std::sqrt(8.0));
  EXPECT_EQ(table.column("intensity_sum").at(0), 4);
}

TEST(feature_table, float_intensities) {
  const mask image = picture("###.##");
  const std::vector<float> values = {0.1F, 0.1F, 0.1F, 0, -1e-30F, 3e30F};
  const feature_table table = measured(image, {values.data(), image.size});
  EXPECT_EQ(table.column("intensity_min"), (std::vector<double>{0.1F, -1e-30F}));
  EXPECT_EQ(table.column("intensity_max"), (std::vector<double>{0.1F, 3e30F}));
  // 0.1 is below the 62 bits under 3e30, so it is counted as 0.
  EXPECT_EQ(table.column("intensity_mean"), (std::vector<double>{0, 1.5e30F}));

  // One value has no deviation, though its square has no exact place in fixed point.
  const std::vector<double> doubles = {0.1, 0.1, 0.1, 7, 0.3, 0.2999};
  const feature_table rounded = measured(image, {doubles.data(), image.size});
  EXPECT_EQ(rounded.column("intensity_std").at(0), 0);
  EXPECT_NEAR(rounded.column("intensity_std").at(1), 0.00005, 1e-9);

  const mask three = picture("###");
  const feature_table alone = measured(three, {values.data(), three.size});
  EXPECT_EQ(alone.column("intensity_mean").at(0), static_cast<double>(0.1F));
  EXPECT_EQ(alone.column("intensity_std").at(0), 0);
  EXPECT_EQ(alone.column("intensity_sum").at(0), 3 * static_cast<double>(0.1F));
}

TEST(feature_table, standard_deviation_beside_a_large_mean) {
  std::mt19937 draw(1);
  mask image = empty_mask(extent(30, 30));
  std::vector<double> values;
  for (std::uint8_t& pixel : image.pixels) {
    pixel = 1;
    values.push_back(1e9 + draw() % 8);
  }
  double mean = 0, spread = 0;
  for (const double value : values) mean += (value - 1e9) / 900;
  for (const double value : values) spread += std::pow(value - 1e9 - mean, 2) / 900;
  // Squares of integers up to 2^31 are exact in fixed point only up to 53 bits: 2^-53 of 10^18 is 100.
  std::vector<std::int32_t> whole(values.begin(), values.end());
  EXPECT_NEAR(measured(image, {whole.data(), image.size}).column("intensity_std").at(0), std::sqrt(spread), 1e-12);
  EXPECT_NEAR(measured(image, {values.data(), image.size}).column("intensity_std").at(0), std::sqrt(spread), 5);
}

TEST(feature_table, sums_of_the_largest_images) {
  feature_table table;
  table.components.assign(1, {});
  table.has_intensities = true;
  table.components[0].area = std::uint64_t{1} << 40;
  __extension__ using wide = unsigned __int128;
  constexpr wide value = 4294967295U;
  const auto two_words = [](wide v) {
    return wide_integer{static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(v >> 64)};
  };
  table.intensities = {{4294967295.0, 4294967295.0, two_words(value << 40), two_words((value * value) << 40), 0}};
  EXPECT_EQ(table.column("intensity_mean").at(0), 4294967295.0);
  EXPECT_EQ(table.column("intensity_std").at(0), 0);
  // Half zeros, half 2^32 - 2.
  table.intensities = {
      {0, 4294967294.0, two_words((value - 1) << 39), two_words(((value - 1) * (value - 1)) << 39), 0}};
  EXPECT_EQ(table.column("intensity_std").at(0), 2147483647.0);
  EXPECT_EQ(table.column("intensity_sum").at(0), 4294967294.0 * 0x1p39);
}

TEST(feature_table, values_that_are_not_finite) {
  const double nan = std::nan("");
  const mask image = picture("##.##.##.##.#");
  const std::vector<double> values = {nan, 1, 0, infinity, 1, 0, -infinity, 2, 0, infinity, -infinity, 0, 5};
  const feature_table table = measured(image, {values.data(), image.size});
  const auto expect = [&](const char* name, const std::vector<double>& want) {
    const std::vector<double> got = table.column(name);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (std::isnan(want[i])) EXPECT_TRUE(std::isnan(got[i])) << name << " " << i << ": " << got[i];
      else EXPECT_EQ(got[i], want[i]) << name << " " << i;
    }
  };
  expect("intensity_min", {nan, 1, -infinity, -infinity, 5});
  expect("intensity_max", {nan, infinity, 2, infinity, 5});
  expect("intensity_sum", {nan, infinity, -infinity, nan, 5});
  expect("intensity_mean", {nan, infinity, -infinity, nan, 5});
  expect("intensity_std", {nan, nan, nan, nan, 0});
}

}  // namespace
}  // namespace skerry::test

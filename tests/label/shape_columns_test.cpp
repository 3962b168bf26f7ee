// SPDX-License-Identifier: Apache-2.0
// Columns of place and shape: what they are by hand, from the definition, and for shapes whose numbers are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "label/measured.hpp"
#include "skerry/error.hpp"

namespace skerry::test {
namespace {

constexpr double pi = std::numbers::pi;

double first(const mask& image, const char* column) { return measured(image).column(column).at(0); }

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

}  // namespace
}  // namespace skerry::test

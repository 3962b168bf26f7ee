// SPDX-License-Identifier: Apache-2.0
// Columns in units: numbers that scikit-image 0.26 gives with `spacing`, and what follows from the columns in pixels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "label/measured.hpp"
#include "skerry/error.hpp"

namespace skerry::test {
namespace {

const char* const plane = "##....\n.##...\n..####\n...##.";
const char* const volume = "##..\n.#..\n---\n.#..\n.###\n---\n...#\n..##";

void expect_columns(const char* image, const pixel_spacing& spacing, const std::map<std::string, double>& want) {
  const feature_table table = measured(picture(image));
  ASSERT_EQ(table.size(), 1U);
  for (const auto& [name, number] : want)
    EXPECT_NEAR(table.column(name, spacing).at(0), number, 1e-13 * (1 + std::fabs(number))) << name;
}

TEST(spaced_columns, of_planes_as_in_scikit_image) {
  expect_columns(plane, {1, 0.5, 0.2, "um"},
                 {{"area_um2", 1},
                  {"centroid_um-0", 0.8},
                  {"centroid_um-1", 0.5},
                  {"axis_major_length_um", 2.269993521395257},
                  {"axis_minor_length_um", 0.6686773607828822},
                  {"eccentricity_spaced", 0.9556291757838916},
                  {"orientation_spaced", 0.4772496946994127},
                  {"moments_central_um2-0-2", 0.9},
                  {"moments_central_um2-1-1", 1.2},
                  {"moments_central_um2-2-0", 2.6}});
  expect_columns(plane, {7, 0.3, 0.3, ""},
                 {{"area_spaced", 0.9},
                  {"centroid_spaced-0", 0.48},
                  {"centroid_spaced-1", 0.75},
                  {"axis_major_length_spaced", 2.0746068026701505},
                  {"axis_minor_length_spaced", 0.6584881276945961},
                  {"eccentricity_spaced", 0.9482904691968275},
                  {"orientation_spaced", 1.0188858552666296},
                  {"moments_central_spaced-0-2", 2.025},
                  {"moments_central_spaced-2-0", 0.936}});
}

TEST(spaced_columns, of_volumes_as_in_scikit_image) {
  expect_columns(volume, {2, 0.5, 0.25, "nm"},
                 {{"area_nm3", 2.5},
                  {"centroid_nm-0", 2},
                  {"centroid_nm-1", 0.3},
                  {"centroid_nm-2", 0.425},
                  {"axis_major_length_nm", 6.988946109624775},
                  {"axis_minor_length_nm", 0.6686117748097576},
                  {"moments_central_nm2-0-0-2", 0.63125},
                  {"moments_central_nm2-0-1-1", 0.225},
                  {"moments_central_nm2-0-2-0", 0.6},
                  {"moments_central_nm2-1-0-1", 3},
                  {"moments_central_nm2-1-1-0", 1},
                  {"moments_central_nm2-2-0-0", 24}});
}

TEST(spaced_columns, stand_beside_those_in_pixels) {
  const feature_table table = measured(picture(plane));
  const std::vector<std::string> names = table.column_names({1, 1, 1, "mm"});
  const std::vector<std::string> begin = {"label",  "area",   "area_mm2",   "bbox-0",       "bbox-1",
                                          "bbox-2", "bbox-3", "centroid-0", "centroid_mm-0"};
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 9), begin);
  for (const std::string& name : names) EXPECT_EQ(table.column(name, {1, 1, 1, "mm"}).size(), 1U) << name;
  feature_table geometry_alone;
  EXPECT_EQ(geometry_alone.column_names({1, 1, 1, "mm"}).size(), geometry_alone.column_names().size() + 3);
}

// The bits of the columns in pixels, whatever the size of a pixel; also where its square leaves the range of doubles.
TEST(spaced_columns, equal_sides_keep_every_bit_of_ratios) {
  for (std::uint32_t seed = 0; seed < 20; ++seed)
    for (const double side : {1.0, 0.1, 3e-200, 7e200}) {
      const feature_table table = measured(random_mask(extent(20, 30), 2, 40, seed));
      const pixel_spacing spacing{side, side, side, "um"};
      EXPECT_EQ(table.column("eccentricity_spaced", spacing), table.column("eccentricity"));
      EXPECT_EQ(table.column("orientation_spaced", spacing), table.column("orientation"));
      const std::vector<double> pixels = table.column("axis_minor_length");
      const std::vector<double> lengths = table.column("axis_minor_length_um", spacing);
      for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_EQ(lengths[i], pixels[i] * side);
    }
}

TEST(spaced_columns, wrong_spacings_and_names) {
  feature_table table = measured(picture(plane));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double side : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(table.column("area_um2", {1, side, 1, "um"})), invalid_argument) << side;
    EXPECT_THROW(static_cast<void>(table.column("area_um2", {1, 1, side, "um"})), invalid_argument) << side;
    EXPECT_EQ(table.column("area_um2", {side, 1, 1, "um"}).at(0), 10) << side;  // no z in planes
    EXPECT_THROW(static_cast<void>(measured(picture(volume)).column("area_um3", {side, 1, 1, "um"})), invalid_argument);
  }
  EXPECT_THROW(static_cast<void>(table.column("area_nm2", {1, 1, 1, "um"})), invalid_argument);
  EXPECT_THROW(static_cast<void>(table.column("area_um2")), invalid_argument);
  table.has_moments = false;
  EXPECT_THROW(static_cast<void>(table.column("orientation_spaced", {1, 1, 1, "um"})), invalid_argument);
  EXPECT_FALSE(feature_table::is_integer_column("area_um2"));
}

}  // namespace
}  // namespace skerry::test

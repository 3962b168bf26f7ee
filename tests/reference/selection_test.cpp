// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "reference/reference.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

void expect_selected(std::string_view image, int connectivity, const selection& keep, std::string_view labels) {
  const mask pixels = picture(image);
  const reference::answer got = reference::analyse(pixels.view(), with_connectivity(connectivity, {}, keep), {});
  EXPECT_EQ(got.labels, picture_of_labels(labels)) << "connectivity " << connectivity;
  EXPECT_EQ(got.table.size(), got.count);
}

constexpr std::string_view islands = R"(
    ##..#....
    ##.....##
    ....#..##
    ..###...#
    .........)";

TEST(reference_selection, area) {
  expect_selected(islands, 4, {.min_area = 4}, R"(
    11.......
    11.....22
    ....3..22
    ..333...2
    .........)");
  expect_selected(islands, 4, {.max_area = 4}, R"(
    11..2....
    11.......
    ....3....
    ..333....
    .........)");
  expect_selected(islands, 4, {.min_area = 5, .max_area = 5}, R"(
    .........
    .......11
    .......11
    ........1
    .........)");
  expect_selected(islands, 4, {.min_area = 6}, R"(
    .........
    .........
    .........
    .........
    .........)");
}

TEST(reference_selection, border) {
  expect_selected(islands, 4, {.clear_border = true}, R"(
    .........
    .........
    ....1....
    ..111....
    .........)");
}

TEST(reference_selection, the_border_of_a_volume_has_six_faces) {
  const std::string_view cube = R"(
    .....
    .....
    .....
    .....
    -----
    ....#
    .#.#.
    .....
    .#...
    -----
    .....
    .....
    .....
    .#...)";
  expect_selected(cube, 6, {.clear_border = true}, R"(
    .....
    .....
    .....
    .....
    -----
    .....
    .1.2.
    .....
    .....
    -----
    .....
    .....
    .....
    .....)");
  expect_selected("###\n###\n###\n---", 6, {.clear_border = true}, "...\n...\n...\n---");
}

TEST(reference_selection, largest_prefers_the_earlier_of_equals) {
  expect_selected(islands, 4, {.largest = 1}, R"(
    .........
    .......11
    .......11
    ........1
    .........)");
  expect_selected(islands, 4, {.largest = 2}, R"(
    11.......
    11.....22
    .......22
    ........2
    .........)");
  expect_selected(islands, 4, {.largest = 9}, R"(
    11..2....
    11.....33
    ....4..33
    ..444...3
    .........)");
}

TEST(reference_selection, largest_comes_last) {
  expect_selected(islands, 4, {.clear_border = true, .largest = 1}, R"(
    .........
    .........
    ....1....
    ..111....
    .........)");
}

TEST(reference_selection, holes) {
  const std::string_view rings = R"(
    ####...
    #..#.#.
    #..##.#
    ####.#.)";
  expect_selected(rings, 4, {.fill_holes = true}, R"(
    1111...
    1111.2.
    11111.3
    1111.4.)");
  expect_selected(rings, 8, {.fill_holes = true}, R"(
    1111...
    1111.1.
    1111111
    1111.1.)");
}

TEST(reference_selection, holes_are_filled_before_areas_are_counted) {
  expect_selected("###.\n#.#.\n###.\n...#", 4, {.fill_holes = true, .min_area = 9}, "111.\n111.\n111.\n....");
  expect_selected("###.\n#.#.\n###.\n...#", 4, {.fill_holes = false, .min_area = 9}, "....\n....\n....\n....");
  // A component inside a hole becomes one with it.
  expect_selected("#####\n#...#\n#.#.#\n#...#\n#####", 4, {.fill_holes = true, .max_area = 24},
                  ".....\n.....\n.....\n.....\n.....");
}

// A hollow cube with a leak through a corner, an edge or a face.
TEST(reference_selection, background_of_volumes_is_joined_by_the_dual_rule) {
  const auto filled = [](std::array<int, 3> leak, int connectivity) {
    mask cube = empty_mask(extent(5, 5, 5));
    for (int z = 1; z <= 3; ++z)
      for (int y = 1; y <= 3; ++y)
        for (int x = 1; x <= 3; ++x) cube.at(z, y, x) = z != 2 || y != 2 || x != 2 ? 1 : 0;
    cube.at(leak[0], leak[1], leak[2]) = 0;
    const label_options options = with_connectivity(connectivity, {}, {.fill_holes = true});
    return reference::analyse(cube.view(), options, {}).labels[2 * 25 + 2 * 5 + 2] != 0;
  };
  for (const int connectivity : {6, 18, 26}) {
    EXPECT_FALSE(filled({1, 2, 2}, connectivity)) << "face";
    EXPECT_EQ(filled({1, 1, 2}, connectivity), connectivity != 6) << "edge";
    EXPECT_EQ(filled({1, 1, 1}, connectivity), connectivity != 6) << "corner";
    EXPECT_TRUE(filled({0, 0, 0}, connectivity)) << "nowhere";
  }
}

TEST(reference_selection, one_slice_has_no_holes) {
  expect_selected("###\n#.#\n###\n---", 6, {.fill_holes = true}, "111\n1.1\n111\n---");
}

}  // namespace
}  // namespace skerry::test

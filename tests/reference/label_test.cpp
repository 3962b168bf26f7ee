// SPDX-License-Identifier: Apache-2.0
// The oracle against pictures that a person can check.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/reference.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

void expect_labels(const mask& image, int connectivity, std::string_view labels) {
  SCOPED_TRACE("connectivity " + std::to_string(connectivity));
  const std::vector<std::uint64_t> want = picture_of_labels(labels);
  const reference::answer got = reference::analyse(image.view(), with_connectivity(connectivity), {});
  EXPECT_EQ(got.labels, want);
  EXPECT_EQ(got.count, want.empty() ? 0 : *std::max_element(want.begin(), want.end()));
}

TEST(reference_label, diagonal_pixels_touch_with_8_only) {
  const mask image = picture(R"(
    #..#.
    .##..
    ....#
    #..#.)");
  expect_labels(image, 4, R"(
    1..2.
    .33..
    ....4
    5..6.)");
  expect_labels(image, 8, R"(
    1..1.
    .11..
    ....2
    3..2.)");
}

TEST(reference_label, numbers_follow_the_first_pixel_in_raster_order) {
  const mask image = picture(R"(
    ...#.#
    .#.#.#
    ##...#
    .####.
    #....#)");
  expect_labels(image, 4, R"(
    ...1.2
    .3.1.2
    33...2
    .3333.
    4....5)");
  expect_labels(image, 8, R"(
    ...1.2
    .2.1.2
    22...2
    .2222.
    2....2)");
}

TEST(reference_label, late_joins_take_the_first_number) {
  expect_labels(picture(R"(
    #.#.#.#
    #.#.#.#
    #######)"),
                4, R"(
    1.1.1.1
    1.1.1.1
    1111111)");
  expect_labels(picture(R"(
    #####
    #...#
    #.#.#
    #...#
    #####)"),
                8, R"(
    11111
    1...1
    1.2.1
    1...1
    11111)");
}

TEST(reference_label, edges_of_the_image_do_not_join) {
  expect_labels(picture(R"(
    #..#
    ....
    #..#)"),
                8, R"(
    1..2
    ....
    3..4)");
}

TEST(reference_label, the_smallest_images) {
  expect_labels(picture("#"), 4, "1");
  expect_labels(picture("."), 8, ".");
  expect_labels(picture("##.#"), 8, "11.2");
  expect_labels(picture("#\n#\n.\n#"), 4, "1\n1\n.\n2");
  expect_labels(empty_mask(extent(0, 5)), 4, "");
  expect_labels(empty_mask(extent(5, 0)), 8, "");
  expect_labels(empty_mask(extent(0, 0, 0)), 26, "");
}

TEST(reference_label, volumes) {
  const mask image = picture(R"(
    #...#...#
    .........
    ---
    #...#....
    .....#..#
    ---
    .....#...
    #.......#)");
  expect_labels(image, 6, R"(
    1...2...3
    .........
    ---
    1...2....
    .....4..5
    ---
    .....6...
    7.......5)");
  for (const int connectivity : {18, 26})
    expect_labels(image, connectivity, R"(
      1...2...3
      .........
      ---
      1...2....
      .....2..3
      ---
      .....2...
      1.......3)");
}

TEST(reference_label, corners_of_voxels_touch_with_26_only) {
  const mask image = picture(R"(
    #.
    ..
    --
    ..
    .#)");
  expect_labels(image, 6, "1.\n..\n--\n..\n.2");
  expect_labels(image, 18, "1.\n..\n--\n..\n.2");
  expect_labels(image, 26, "1.\n..\n--\n..\n.1");
}

TEST(reference_label, one_slice_is_a_volume) {
  const mask image = picture(R"(
    #.#
    .#.
    ---)");
  ASSERT_EQ(image.size, extent(1, 2, 3));
  expect_labels(image, 6, "1.2\n.3.\n---");
  expect_labels(image, 18, "1.1\n.1.\n---");
  expect_labels(image, 26, "1.1\n.1.\n---");
}

TEST(reference_label, runs_are_in_raster_order) {
  const mask image = picture(R"(
    ##.#
    ....
    --
    .###
    #..#)");
  const reference::answer got = reference::analyse(image.view(), with_connectivity(6), {});
  const std::vector<labelled_run> want = {{0, 0, 2, 1}, {0, 3, 4, 1}, {2, 1, 4, 1}, {3, 0, 1, 2}, {3, 3, 4, 1}};
  EXPECT_TRUE(same_runs(got.runs, want));
  EXPECT_EQ(got.count, 2U);
}

}  // namespace
}  // namespace skerry::test

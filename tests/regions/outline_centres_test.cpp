// SPDX-License-Identifier: Apache-2.0
// Outlines through centres, and which ring is around which: every engine against the reference, and the reference against rings
// written by hand. python/tests/test_contours.py compares both with OpenCV.
#include <gtest/gtest.h>

#include <random>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "regions/outlines.hpp"
#include "skerry/error.hpp"
#include "support/adversarial.hpp"
#include "support/mask.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

outline_request through_centres(const std::vector<u64>& labels, const extent& size, int connectivity = 8) {
  return {.labels = image_view(labels.data(), size),
          .connectivity = connectivity,
          .through_centres = true,
          .nesting = true};
}

std::vector<i64> parents_of(const outline_table& table) {
  std::vector<i64> parents;
  for (const ring_nesting& each : table.nesting) parents.push_back(each.parent);
  return parents;
}

TEST(centres, of_a_square_run_down_first) {
  const std::vector<u64> labels = picture_of_labels(R"(
    .....
    .111.
    .111.
    .111.)");
  outline_request asked = through_centres(labels, {4, 5});
  EXPECT_EQ(expect_outline_everywhere(asked).vertices, (std::vector<corner>{{1, 1}, {1, 3}, {3, 3}, {3, 1}}));
  asked.keep_collinear = true;
  EXPECT_EQ(expect_outline_everywhere(asked).vertices,
            (std::vector<corner>{{1, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 2}, {3, 1}, {2, 1}}));
}

TEST(centres, of_lines_go_there_and_back) {
  const std::vector<u64> labels = picture_of_labels(R"(
    1..3
    .1..
    ..1.
    2222)");
  outline_request asked = through_centres(labels, {4, 4});
  outline_table table = expect_outline_everywhere(asked);
  EXPECT_EQ(ring_of(table, 0), (std::vector<corner>{{0, 0}, {2, 2}}));
  EXPECT_EQ(ring_of(table, 1), (std::vector<corner>{{0, 3}, {3, 3}}));
  EXPECT_EQ(ring_of(table, 2), (std::vector<corner>{{3, 0}}));
  asked.keep_collinear = true;
  table = expect_outline_everywhere(asked);
  EXPECT_EQ(ring_of(table, 0), (std::vector<corner>{{0, 0}, {1, 1}, {2, 2}, {1, 1}}));
  EXPECT_EQ(ring_of(table, 2), (std::vector<corner>{{3, 0}}));
}

TEST(centres, of_a_hole_run_up_along_the_pixels_around_it) {
  const std::vector<u64> labels = picture_of_labels(R"(
    1111
    1..1
    1111)");
  const outline_table table = expect_outline_everywhere(through_centres(labels, {3, 4}));
  EXPECT_EQ(ring_of(table, 1), (std::vector<corner>{{0, 1}, {1, 0}, {2, 0}, {3, 1}, {2, 2}, {1, 2}}));
  EXPECT_EQ(table.nesting, (std::vector<ring_nesting>{{-1, {0, 0}}, {0, {1, 1}}}));
}

TEST(nesting, tells_the_hole_around_a_polygon_whatever_lies_between) {
  const std::vector<u64> labels = picture_of_labels(R"(
    5555555555
    5........5
    5.2.33.4.5
    5...3..4.5
    5555555555
    ..6.......)");
  outline_request asked = through_centres(labels, {6, 10});
  const outline_table table = expect_outline_everywhere(asked);
  EXPECT_EQ(table.labels, (std::vector<label_bits>{2, 3, 4, 5, 6}));
  EXPECT_EQ(parents_of(table), (std::vector<i64>{4, 4, 4, -1, 3, -1}));
  asked.through_centres = false;
  EXPECT_EQ(expect_outline_everywhere(asked).nesting, table.nesting);
}

TEST(nesting, passes_regions_that_touch_and_several_backgrounds) {
  const std::vector<std::int8_t> labels = {1, 1,  1, 1, 1,  1,  //
                                           1, -2, 0, 2, 3,  1,  //
                                           1, -1, 4, 2, -3, 1,  //
                                           1, 1,  1, 1, 1,  1};
  const outline_table table = expect_outline_everywhere(
      {.labels = image_view(labels.data(), dtype::i8, {4, 6}), .connectivity = 4, .nesting = true});
  EXPECT_EQ(parents_of(table), (std::vector<i64>{-1, 0, 1, 1, 1}));
}

void expect_centres(const std::vector<u64>& labels, const extent& size) {
  for (const int connectivity : {4, 8})
    for (const bool keeps_collinear : {false, true}) {
      outline_request asked = through_centres(labels, size, connectivity);
      asked.keep_collinear = keeps_collinear;
      const outline_table table = expect_outline_everywhere(asked);
      for (std::size_t ring = 0; ring < table.rings(); ++ring) {
        EXPECT_FALSE(table.ring(ring).empty());
        EXPECT_LT(table.nesting[ring].parent, static_cast<i64>(table.rings()));
      }
    }
}

TEST(centres, of_adversarial_masks) {
  for (const extent& size : {extent(13, 17), extent(8, 64)})
    for (const named_mask& each : adversarial_planes(size.height, size.width)) {
      SCOPED_TRACE(each.name);
      expect_centres({each.image.pixels.begin(), each.image.pixels.end()}, each.image.size);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(centres, of_random_labels) {
  std::mt19937 random(11);
  for (int i = 0; i < scaled(150); ++i) {
    const extent size(1 + random() % 14, 1 + random() % 18);
    std::vector<double> choices = {0, 1};
    while (choices.size() < 2 + i % 3u) choices.push_back(static_cast<double>(choices.size()));
    const std::vector<double> values = random_values(choices, size, 1 + i % 4, static_cast<std::uint32_t>(i));
    expect_centres({values.begin(), values.end()}, size);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(centres, are_not_simplified) {
  const std::vector<u64> labels(8);
  outline_request asked = through_centres(labels, {2, 4});
  asked.simplify = 1;
  ask_each_engine([&](engine& on) {
    outline_table table;
    try {
      outline(on, asked, table);
      ADD_FAILURE();
    } catch (const invalid_argument& error) {
      EXPECT_STREQ(error.what(), "through_centres: only outlines along edges are simplified; give one of both");
    }
  });
}

}  // namespace
}  // namespace skerry::test

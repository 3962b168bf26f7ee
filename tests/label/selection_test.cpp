// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

std::vector<selection> each_selection() {
  std::vector<selection> all;
  for (const bool fill_holes : {false, true})
    for (const bool clear_border : {false, true})
      for (const std::uint64_t largest : {0, 1, 3, 1000000})
        for (const auto& [least, most] : {std::pair<std::uint64_t, std::uint64_t>{0, ~std::uint64_t{0}},
                                          {2, ~std::uint64_t{0}},
                                          {0, 3},
                                          {2, 9},
                                          {1000000, ~std::uint64_t{0}}})
          all.push_back({.fill_holes = fill_holes,
                         .min_area = least,
                         .max_area = most,
                         .clear_border = clear_border,
                         .largest = largest});
  return all;
}

void expect_each_selection(const mask& image) {
  std::size_t turn = 0;
  for (const selection& keep : each_selection()) {
    if (turn++ % case_step() != 0) continue;
    for (const int connectivity : connectivities_of(image.size)) {
      expect_everywhere({.image = image.view(),
                         .options = with_connectivity(connectivity, {}, keep),
                         .features = {.moments = true, .intensity = image.view()}});
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

TEST(label_selection, planes) {
  expect_each_selection(random_mask(extent(40, 70), 1, 45, 1));
  expect_each_selection(random_mask(extent(30, 130), 3, 60, 2));
  expect_each_selection(random_mask(extent(9, 64), 1, 75, 3));
}

TEST(label_selection, volumes) {
  expect_each_selection(random_mask(extent(7, 8, 9), 1, 25, 4));
  expect_each_selection(random_mask(extent(12, 6, 66), 1, 70, 5));
  expect_each_selection(random_mask(extent(1, 20, 20), 2, 50, 6));
}

TEST(label_selection, the_smallest_images) {
  for (const extent& size : {extent(1, 1), extent(0, 4), extent(2, 2), extent(3, 3), extent(1, 5), extent(1, 1, 1),
                             extent(3, 3, 3), extent(2, 0, 2)})
    for (const double density : {0.0, 50.0, 100.0}) expect_each_selection(random_mask(size, 1, density, 3));
}

TEST(label_selection, holes_of_adversarial_images) {
  for (const auto& images : {adversarial_planes(33, 66), adversarial_volumes(9)})
    for (const named_mask& each : images)
      for (const int connectivity : connectivities_of(each.image.size)) {
        SCOPED_TRACE(each.name);
        expect_everywhere(
            {.image = each.image.view(), .options = with_connectivity(connectivity, {}, {.fill_holes = true})});
        // And of the opposite image, with the rule inverted.
        expect_everywhere({.image = each.image.view(),
                           .options = with_connectivity(connectivity, foreground::within(0, 0),
                                                        {.fill_holes = true, .clear_border = true})});
      }
}

TEST(label_selection, holes_within_holes) {
  mask frames = empty_mask(extent(41, 67));
  for (std::int64_t y = 0; y < 41; ++y)
    for (std::int64_t x = 0; x < 67; ++x) frames.at(y, x) = std::min({y, x, 40 - y, 66 - x}) % 2 == 1;
  for (const int connectivity : {4, 8}) {
    const question asked = {.image = frames.view(),
                            .options = with_connectivity(connectivity, {}, {.fill_holes = true})};
    EXPECT_EQ(expected_answer(asked).table.components.at(0).area, 39U * 65U);
    expect_everywhere(asked);
  }
}

// Where a run ends at the right border, and that column's number needs 17 bits.
TEST(label_selection, bays_and_holes_at_the_ends_of_wide_rows) {
  for (const std::int64_t width : {65534, 65535, 65536, 65537}) {
    SCOPED_TRACE(width);
    mask image = random_mask(extent(9, width), 1, 100, 1);
    const auto open = [&](std::int64_t y, std::int64_t begin, std::int64_t end) {
      for (std::int64_t x = begin; x < end; ++x) image.at(y, x) = 0;
    };
    open(1, width - 10, width);  // a bay, of which a row ends before
    open(2, width - 10, width - 1);
    open(3, 0, 10);
    open(5, width - 10, width - 1);  // a hole
    open(7, 1, 10);
    for (const int connectivity : {4, 8}) {
      const question asked = {.image = image.view(),
                              .options = with_connectivity(connectivity, {}, {.fill_holes = true})};
      EXPECT_EQ(expected_answer(asked).table.components.at(0).area, static_cast<std::uint64_t>(9 * width - 29));
      expect_everywhere(asked);
    }
  }
}

// Filled holes have intensities of their own.
TEST(label_selection, holes_count_in_every_feature) {
  const mask ring = picture("###\n#.#\n###");
  const std::vector<float> values = {1, 1, 1, 1, 1000, 1, 1, 1, 1};
  expect_everywhere({.image = ring.view(),
                     .options = with_connectivity(4, {}, {.fill_holes = true}),
                     .features = {.moments = true, .intensity = {values.data(), ring.size}}});
}

}  // namespace
}  // namespace skerry::test

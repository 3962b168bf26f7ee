// SPDX-License-Identifier: Apache-2.0
// The test images are what their names say.
#include <gtest/gtest.h>

#include <map>

#include "reference/reference.hpp"
#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

std::uint64_t count_of(const mask& image, int connectivity) {
  return reference::analyse(image.view(), with_connectivity(connectivity), {}).count;
}

TEST(support, adversarial_planes_have_the_components_they_promise) {
  std::map<std::string, mask> images;
  for (named_mask& each : adversarial_planes(40, 50)) images[each.name] = each.image;
  EXPECT_EQ(count_of(images["empty"], 8), 0U);
  EXPECT_EQ(count_of(images["full"], 4), 1U);
  EXPECT_EQ(count_of(images["checkerboard"], 4), 1000U);
  EXPECT_EQ(count_of(images["checkerboard"], 8), 1U);
  EXPECT_EQ(count_of(images["isolated pixels"], 8), 500U);
  EXPECT_EQ(count_of(images["comb, joined below"], 4), 1U);
  EXPECT_EQ(count_of(images["comb, joined above"], 4), 1U);
  EXPECT_EQ(count_of(images["vertical lines"], 8), 25U);
  EXPECT_EQ(count_of(images["horizontal lines"], 8), 20U);
  EXPECT_EQ(count_of(images["nested frames"], 8), 10U);
  EXPECT_EQ(count_of(images["Sierpinski"], 4), 1U);
  for (const char* name : {"serpentine", "upright serpentine", "spiral", "Hilbert curve"}) {
    EXPECT_EQ(count_of(images[name], 4), 1U) << name;
    EXPECT_EQ(count_of(images[name], 8), 1U) << name;
  }
  EXPECT_EQ(count_of(images["double spiral"], 8), 2U);
  EXPECT_EQ(count_of(images["diagonal stripes"], 8), 30U);
}

// A curve one pixel wide that never touches itself: every pixel has two neighbours but its ends, which have one.
TEST(support, curves_do_not_touch_themselves) {
  const auto ends_of = [](mask image) {
    int ends = 0;
    const extent size = image.size;
    for (std::int64_t z = 0; z < size.depth; ++z)
      for (std::int64_t y = 0; y < size.height; ++y)
        for (std::int64_t x = 0; x < size.width; ++x) {
          if (image.at(z, y, x) == 0) continue;
          int neighbours = 0;
          if (z > 0) neighbours += image.at(z - 1, y, x);
          if (z + 1 < size.depth) neighbours += image.at(z + 1, y, x);
          if (y > 0) neighbours += image.at(z, y - 1, x);
          if (y + 1 < size.height) neighbours += image.at(z, y + 1, x);
          if (x > 0) neighbours += image.at(z, y, x - 1);
          if (x + 1 < size.width) neighbours += image.at(z, y, x + 1);
          if (neighbours == 1) ++ends;
          else EXPECT_EQ(neighbours, 2) << z << ", " << y << ", " << x;
        }
    return ends;
  };
  for (const named_mask& each : adversarial_planes(40, 50))
    if (each.name == "spiral" || each.name == "serpentine" || each.name == "Hilbert curve") {
      SCOPED_TRACE(each.name);
      EXPECT_EQ(ends_of(each.image), 2);
    }
  for (const named_mask& each : adversarial_volumes(9))
    if (each.name == "Hilbert curve") {
      EXPECT_EQ(ends_of(each.image), 2);
    }
}

TEST(support, adversarial_volumes_have_the_components_they_promise) {
  std::map<std::string, mask> images;
  for (named_mask& each : adversarial_volumes(8)) images[each.name] = each.image;
  EXPECT_EQ(count_of(images["checkerboard"], 6), 256U);
  EXPECT_EQ(count_of(images["checkerboard"], 18), 1U);
  EXPECT_EQ(count_of(images["isolated voxels"], 26), 64U);
  EXPECT_EQ(count_of(images["edges only"], 6), 128U);
  EXPECT_EQ(count_of(images["edges only"], 18), 4U);
  EXPECT_EQ(count_of(images["corners only"], 18), 128U);
  EXPECT_EQ(count_of(images["corners only"], 26), 1U);
  EXPECT_EQ(count_of(images["rods joined in the last slice"], 6), 1U);
  EXPECT_EQ(count_of(images["sheets"], 26), 4U);
  EXPECT_EQ(count_of(images["nested shells"], 26), 2U);
  EXPECT_EQ(count_of(images["serpentine through slices"], 6), 1U);
  EXPECT_EQ(count_of(images["Hilbert curve"], 6), 1U);
}

TEST(support, random_images_are_nested_and_made_of_blocks) {
  const mask sparse = random_mask(extent(20, 30), 3, 20, 1), dense = random_mask(extent(20, 30), 3, 60, 1);
  std::int64_t pixels = 0;
  for (std::size_t i = 0; i < sparse.pixels.size(); ++i) {
    EXPECT_LE(sparse.pixels[i], dense.pixels[i]);
    pixels += sparse.pixels[i];
    const std::size_t y = i / 30, x = i % 30;
    EXPECT_EQ(sparse.pixels[i], sparse.pixels[y / 3 * 3 * 30 + x / 3 * 3]);
  }
  EXPECT_GT(pixels, 0);
  // The first draws of MT19937 with seed 5489 are known: 3499211612, 581869302, 3890346734.
  EXPECT_EQ(random_mask(extent(1, 3), 1, 50, 5489).pixels, (std::vector<std::uint8_t>{0, 1, 0}));
}

TEST(support, placed_images_hold_their_values) {
  const extent size(2, 3, 5);
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(i % 7);
  for (const layout arrangement : all_layouts)
    for (const dtype type : label_types) {
      const placed_image image(type, size, arrangement, values);
      EXPECT_EQ(image.values(), std::vector<std::uint64_t>(values.begin(), values.end())) << name_of(arrangement);
      EXPECT_TRUE(image.surroundings_untouched());
    }
}

TEST(support, writes_beside_the_pixels_are_seen) {
  const placed_image image(dtype::u16, extent(4, 5), layout::every_second_pixel);
  static_cast<std::uint8_t*>(image.target().data)[2] = 0;  // the second pixel starts 4 bytes further
  EXPECT_FALSE(image.surroundings_untouched());
}

TEST(support_death, reads_outside_end_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const guarded_memory at_end(100, true), at_begin(100, false);
  const volatile std::byte* behind = at_end.begin() + 100;
  const volatile std::byte* before = at_begin.begin() - 1;
  EXPECT_DEATH(static_cast<void>(*behind), "");
  EXPECT_DEATH(static_cast<void>(*before), "");
}

}  // namespace
}  // namespace skerry::test

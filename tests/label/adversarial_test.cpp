// SPDX-License-Identifier: Apache-2.0
#include "support/adversarial.hpp"

#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

mask inverted(mask image) {
  for (std::uint8_t& pixel : image.pixels) pixel ^= 1;
  return image;
}

mask mirrored(mask image) {
  std::reverse(image.pixels.begin(), image.pixels.end());
  return image;
}

void expect_each(const std::vector<named_mask>& images) {
  for (const named_mask& each : images)
    for (const mask& image : {each.image, inverted(each.image), mirrored(each.image)})
      for (const int connectivity : connectivities_of(image.size)) {
        SCOPED_TRACE(each.name);
        expect_everywhere(
            {.image = image.view(), .options = with_connectivity(connectivity), .features = {.moments = true}});
        ASSERT_FALSE(testing::Test::HasFailure());
      }
}

TEST(label_adversarial, small_planes) { expect_each(adversarial_planes(19, 66)); }
TEST(label_adversarial, planes) { expect_each(adversarial_planes(130, 129)); }
TEST(label_adversarial, wide_planes) { expect_each(adversarial_planes(33, 700)); }
TEST(label_adversarial, tall_planes) { expect_each(adversarial_planes(400, 67)); }
TEST(label_adversarial, volumes) {
  expect_each(adversarial_volumes(8));
  expect_each(adversarial_volumes(17));
}

// Two bands, with all kinds of runs.
TEST(label_adversarial, every_plane_of_four_rows_and_three_columns) {
  mask image = empty_mask(extent(4, 3));
  std::vector<std::uint32_t> want(image.pixels.size()), labels(image.pixels.size());
  engine oracle = engine::reference();
  for (std::size_t bits = 0; bits < std::size_t{1} << image.pixels.size(); bits += case_step()) {
    for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = bits >> i & 1;
    const std::uint64_t count = label(oracle, image.view(), with_connectivity(8), {want.data(), image.size});
    for (named_engine* each : engines_to_ask()) {
      ASSERT_EQ(label(each->on, image.view(), with_connectivity(8), {labels.data(), image.size}), count) << each->name;
      ASSERT_EQ(labels, want) << each->name << ", image " << bits;
    }
  }
}

}  // namespace
}  // namespace skerry::test

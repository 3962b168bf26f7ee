// SPDX-License-Identifier: Apache-2.0
#include "support/adversarial.hpp"

#include <gtest/gtest.h>

#include "support/compare.hpp"

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

}  // namespace
}  // namespace skerry::test

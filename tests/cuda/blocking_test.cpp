// SPDX-License-Identifier: Apache-2.0
// The CUDA engine behind the calls that block: every answer is the reference's, bit for bit.
#include <algorithm>
#include <random>

#include "core/label_type.hpp"
#include "cuda/device_image.hpp"
#include "cuda/random_question.hpp"
#include "skerry/error.hpp"
#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

// Kept for the whole program, so that scratch goes from image to image.
engine& gpu() {
  static engine on = engine::cuda();
  return on;
}

void expect_reference(const question& asked) {
  const reference::answer want = expected_answer(asked);
  if (want.count <= largest_label(asked.label_type)) expect_all_ways(gpu(), asked, want);
}

TEST(cuda_blocking, sizes_around_tiles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::int64_t sides[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192, 257};
  std::uint32_t seed = 0;
  for (const std::int64_t height : sides)
    for (const std::int64_t width : sides) {
      const mask image = random_mask(extent(height, width), 1 + seed % 4, 20 + seed % 61, seed + 1);
      for (const int connectivity : {4, 8}) {
        SCOPED_TRACE(testing::Message() << height << " x " << width << ", " << connectivity);
        expect_reference(random_question(image, connectivity, seed));
      }
      ++seed;
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_blocking, volumes_around_tiles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const std::int64_t depth : {1, 2, 7, 8, 9, 17})
    for (const std::int64_t height : {1, 7, 8, 9, 25})
      for (const std::int64_t width : {1, 33, 128, 130}) {
        const mask image = random_mask(extent(depth, height, width), 1 + seed % 3, 5 + seed % 70, seed + 1);
        for (const int connectivity : {6, 18, 26}) {
          SCOPED_TRACE(testing::Message() << depth << " x " << height << " x " << width << ", " << connectivity);
          expect_reference(random_question(image, connectivity, seed));
        }
        ++seed;
        ASSERT_FALSE(HasFailure());
      }
}

TEST(cuda_blocking, random_small_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 draw(7);
  for (int i = 0; i < scaled(10000) && !HasFailure(); ++i) {
    const bool volume = i % 3 == 0;
    const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + draw() % most); };
    const extent size = volume ? extent(side(12), side(20), side(150)) : extent(side(90), side(280));
    const mask image = random_mask(size, 1 << draw() % 3, draw() % 101, draw());
    const std::vector<int> choices = connectivities_of(size);
    SCOPED_TRACE(testing::Message() << "image " << i);
    expect_reference(random_question(image, choices[draw() % choices.size()], draw()));
  }
}

TEST(cuda_blocking, types_rules_and_layouts) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const dtype type : image_types)
    for (const foreground& rule : edge_rules(type)) {
      const extent size = ++seed % 3 == 0 ? extent(5, 9, 70) : extent(37, 150);
      const layout arrangement = all_layouts[seed % std::size(all_layouts)];
      const placed_image image(type, size, arrangement, random_values(edge_values(type), size, 2, seed));
      SCOPED_TRACE(testing::Message() << name_of(type) << ", " << text_of(rule) << ", " << name_of(arrangement));
      expect_reference({.image = image.view(),
                        .options = with_connectivity(size.rank == 3 ? 26 : 8, rule),
                        .label_type = (seed % 8 < 4 ? label_types : signed_label_types)[seed % 4],
                        .label_layout = all_layouts[(seed / 3) % std::size(all_layouts)]});
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_blocking, adversarial_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const named_mask& hard : adversarial_planes(150, 260))
    for (const int connectivity : {4, 8}) {
      SCOPED_TRACE(hard.name);
      expect_reference({.image = hard.image.view(), .options = with_connectivity(connectivity)});
    }
  for (const named_mask& hard : adversarial_volumes(32))
    for (const int connectivity : {6, 18, 26}) {
      SCOPED_TRACE(hard.name);
      expect_reference({.image = hard.image.view(), .options = with_connectivity(connectivity)});
    }
}

TEST(cuda_blocking, a_hard_image_200_times) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(700, 1100), 1, 42, 3);
  engine cpu = engine::cpu();
  std::vector<std::uint32_t> want(image.pixels.size()), got(want.size());
  feature_table want_table, table;
  const label_options options = with_connectivity(8);
  label(cpu, {image.view(), options}, {.labels = {want.data(), image.size}, .table = &want_table});
  for (int i = 0; i < scaled(200); ++i) {
    std::fill(got.begin(), got.end(), 0xabababab);
    label(gpu(), {image.view(), options}, {.labels = {got.data(), image.size}, .table = &table});
    ASSERT_EQ(got, want) << i;
    ASSERT_EQ(table.components, want_table.components) << i;
  }
}

TEST(cuda_blocking, labels_that_do_not_fit_leave_the_image_alone) {
  SKERRY_NEEDS_CUDA_DEVICE();
  mask image = empty_mask(extent(64, 64));
  for (std::int64_t y = 0; y < 64; y += 2)
    for (std::int64_t x = 0; x < 64; x += 2) image.at(y, x) = 1;
  std::vector<std::uint8_t> labels(image.pixels.size(), 77);
  try {
    label(gpu(), image.view(), with_connectivity(8), {labels.data(), image.size});
    ADD_FAILURE();
  } catch (const label_overflow& error) {
    EXPECT_EQ(error.count(), 1024u);
  }
  EXPECT_EQ(labels, std::vector<std::uint8_t>(labels.size(), 77));
}

TEST(cuda_blocking, no_such_device) {
  EXPECT_THROW((void)engine::cuda(1000), device_error);
  EXPECT_THROW((void)engine::cuda(-1), device_error);
}

}  // namespace
}  // namespace skerry::test

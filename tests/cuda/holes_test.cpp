// SPDX-License-Identifier: Apache-2.0
// Holes of regions, which the CUDA engine finds on the device: the columns of the CPU engine.
#include <gtest/gtest.h>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "features/columns.hpp"
#include "regions/holed_images.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

void expect_holes(const std::vector<holed_image>& images) {
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  for (const holed_image& image : images) {
    SCOPED_TRACE(image.name);
    const device_bytes given(image.labels);
    const image_view there(given.data<u32>(), image.size);
    column_request asked;
    asked.columns = {"area_filled", "number_of_holes"};
    expect_same(columns_of(gpu, there, asked), columns_of(cpu, image.view(), asked));
    asked.background = background::none();  // what was background is a region, too
    expect_same(columns_of(gpu, image.view(), asked), columns_of(cpu, image.view(), asked));
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(cuda_holes, of_planes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  expect_holes(holed_planes());
}

TEST(cuda_holes, of_volumes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  expect_holes(holed_volumes());
}

TEST(cuda_holes, of_random_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 random(7);
  std::vector<holed_image> images;
  for (int round = 0; round < scaled(200); ++round) {
    const auto side = [&](u32 most) { return static_cast<i64>(1 + random() % most); };
    const extent size = round % 2 == 0 ? extent(side(90), side(90)) : extent(side(20), side(20), side(20));
    images.push_back(noise(size, 1 + random() % 300, random() % 100, static_cast<u32>(round)));
  }
  expect_holes(images);
}

// Regions of millions of runs, whose gaps are united by threads that meet; several times, as they meet in any order.
TEST(cuda_holes, of_large_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent plane(1500, 3000), volume(60, 200, 300);
  std::vector<holed_image> images = {noise(plane, 1, 10, 1),        noise(plane, 1, 60, 2),  noise(plane, 2, 40, 3),
                                     noise(plane, 1u << 24, 30, 4), noise(volume, 1, 80, 5), noise(volume, 1, 97, 6)};
  images.push_back(holed("large rings", plane, [&](i64 z, i64 y, i64 x) { return 1 + depth_in(plane, z, y, x) % 2; }));
  for (int round = 0; round < 3; ++round) expect_holes(images);
}

// Hulls ask for the runs besides, and each call finds the tables that the one before left.
TEST(cuda_holes, beside_other_columns) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  column_request asked;
  for (const std::vector<std::string>& columns :
       {std::vector<std::string>{"filled", "hull"},
        std::vector<std::string>{"hull", "filled", "patterns", "power_sums"}, std::vector<std::string>{"filled"}}) {
    asked.columns = columns;
    for (const holed_image& image : {drawn_frames({100, 1500}, 400, 40, 9), noise({7, 20, 60}, 4, 70, 8)})
      expect_same(columns_of(gpu, image.view(), asked), columns_of(cpu, image.view(), asked));
  }
}

}  // namespace
}  // namespace skerry::test

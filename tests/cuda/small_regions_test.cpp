// SPDX-License-Identifier: Apache-2.0
// Tables of small label images, which one kernel makes where labels are small numbers, against the CPU engine.
#include <gtest/gtest.h>

#include <random>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "skerry/regions.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

struct both_engines {
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  region_table got;  // used again, as callers do

  void expect_same(const image_view& labels, const background& rule = background::equal_to(0)) {
    region_table want;
    measure_regions(cpu, {.labels = labels, .background = rule}, want);
    EXPECT_EQ(measure_regions(gpu, {.labels = labels, .background = rule}, got), want.size());
    EXPECT_EQ(got.labels == want.labels, true);
    EXPECT_EQ(got.features.components == want.features.components, true);
  }
};

template <class Label>
std::vector<Label> squares(const extent& size, i64 side, u64 labels, std::mt19937& random) {
  std::vector<Label> image;
  std::vector<Label> of_square(static_cast<std::size_t>(size.pixels()));
  for (Label& label : of_square) label = random() % 3 == 0 ? Label{0} : static_cast<Label>(random() % labels);
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x)
        image.push_back(
            of_square[static_cast<std::size_t>((z / side * size.height + y / side) * size.width + x / side)]);
  return image;
}

const extent some_sizes[] = {{1, 1},     {1, 33},    {33, 1},    {32, 32},    {31, 65},    {100, 57},
                             {256, 256}, {512, 512}, {3, 87381}, {1, 40, 50}, {7, 33, 64}, {64, 64, 64}};

template <class Label>
void compare_squares(both_engines& on, std::mt19937& random) {
  for (const extent& size : some_sizes)
    for (const i64 side : {1, 4, 40})
      for (const u64 labels : {u64{2}, u64{200}, static_cast<u64>(size.pixels())}) {
        SCOPED_TRACE("of type " + std::to_string(sizeof(Label)) + ", side " + std::to_string(side));
        const std::vector<Label> image = squares<Label>(size, side, labels, random);
        on.expect_same({image.data(), size});
      }
}

TEST(cuda_small_regions, of_every_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  std::mt19937 random(1);
  compare_squares<u8>(on, random);
  compare_squares<std::uint16_t>(on, random);
  compare_squares<u32>(on, random);
  compare_squares<u64>(on, random);
  compare_squares<std::int8_t>(on, random);
  compare_squares<std::int16_t>(on, random);
  compare_squares<i32>(on, random);
  compare_squares<i64>(on, random);
}

TEST(cuda_small_regions, one_of_every_pixel_and_one_of_all) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  for (const extent& size : some_sizes) {
    std::vector<u32> image(static_cast<std::size_t>(size.pixels()));
    for (u32 i = 0; i < image.size(); ++i) image[i] = i;
    on.expect_same({image.data(), size}, background::none());
    image.assign(image.size(), 1);
    on.expect_same({image.data(), size});
    image.assign(image.size(), 0);
    on.expect_same({image.data(), size});
    on.expect_same({image.data(), size}, background::none());
  }
}

// Labels around those that a small image has, one image after the other: rows are empty again whatever the call before had.
TEST(cuda_small_regions, labels_that_are_too_large) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  std::mt19937 random(2);
  for (const extent& size : {extent(40, 50), extent(300, 300)}) {
    const std::vector<u32> small = squares<u32>(size, 2, 1000, random);
    const u32 end = size.pixels() < 1 << 14 ? 1 << 14 : 1 << 17;
    for (const u32 large : {end - 1, end, end + 1, u32{1} << 31, ~u32{0}}) {
      std::vector<u32> image = small;
      image[random() % image.size()] = large;
      on.expect_same({image.data(), size});
      on.expect_same({small.data(), size});
      on.expect_same({small.data(), size});
    }
    std::vector<i32> negative(small.begin(), small.end());
    negative[random() % negative.size()] = -1;
    on.expect_same({negative.data(), size});
    on.expect_same({negative.data(), size}, background::zero_and_below());  // numbered
    on.expect_same({negative.data(), size}, background::zero_and_below());  // small
    on.expect_same({small.data(), size});
  }
}

TEST(cuda_small_regions, spaced_pixels_and_other_backgrounds) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  std::mt19937 random(3);
  const extent size(60, 90);
  const std::vector<u32> image = squares<u32>({120, 200}, 3, 50, random);
  const device_bytes there(image);
  for (const i64 apart : {1, 2}) {
    image_view view(there.data<u32>(), size, residence::device(0));
    view.strides.x = 4 * apart, view.strides.y = 4 * 200;
    for (const background& rule : {background::equal_to(0), background::none(), background::equal_to(7)}) {
      image_view of_host = view;
      of_host.data = image.data();
      of_host.residence = residence::host();
      region_table want;
      measure_regions(on.cpu, {.labels = of_host, .background = rule}, want);
      EXPECT_EQ(measure_regions(on.gpu, {.labels = view, .background = rule}, on.got), want.size());
      EXPECT_EQ(on.got.labels == want.labels, true);
      EXPECT_EQ(on.got.features.components == want.features.components, true);
    }
  }
}

// More rows than one half of the pinned memory has, in several rounds.
TEST(cuda_small_regions, large_tables_arrive_in_rounds) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  for (const i64 side : {600, 1100}) {
    std::vector<u32> image(static_cast<std::size_t>(side * side));
    for (u32 i = 0; i < image.size(); ++i) image[i] = i + 1;
    on.expect_same({image.data(), {side, side}});
  }
}

}  // namespace
}  // namespace skerry::test

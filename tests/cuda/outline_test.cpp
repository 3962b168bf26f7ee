// SPDX-License-Identifier: Apache-2.0
// Outlines of images in device memory: those of the CPU engine. What small images have, regions/outline_test.cpp asks of each engine.
#include "regions/outlines.hpp"

#include <random>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "regions/holed_images.hpp"
#include "skerry/error.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

struct both_engines {
  engine gpu = engine::cuda(), cpu = engine::cpu(2);

  // `there` is in device memory, and has the labels of `asked`.
  void expect_same(const outline_request& asked, const image_view& there) {
    outline_table want, got;
    outline(cpu, asked, want);
    outline_request of_device = asked;
    of_device.labels = there;
    EXPECT_EQ(outline(gpu, of_device, got), want.polygons());
    EXPECT_EQ(got.labels == want.labels, true);
    EXPECT_EQ(got.region_offsets == want.region_offsets, true);
    EXPECT_EQ(got.polygon_offsets == want.polygon_offsets, true);
    EXPECT_EQ(got.ring_offsets == want.ring_offsets, true);
    EXPECT_EQ(got.vertices == want.vertices, true);
    EXPECT_EQ(got == want, true);
  }
};

void expect_outlines(both_engines& on, const std::vector<holed_image>& images) {
  for (const holed_image& image : images) {
    SCOPED_TRACE(image.name);
    const device_bytes given(image.labels);
    for (const int connectivity : {4, 8})
      for (const bool keeps_all : {false, true})
        on.expect_same({.labels = image.view(), .connectivity = connectivity, .keep_collinear = keeps_all},
                       image_view(given.data<u32>(), image.size));
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(cuda_outline, of_random_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  std::mt19937 random(9);
  std::vector<holed_image> images;
  for (int round = 0; round < scaled(200); ++round) {
    const extent size(1 + random() % 150, 1 + random() % 200);
    images.push_back(noise(size, 1 + random() % 300, random() % 100, static_cast<u32>(round)));
  }
  expect_outlines(on, images);
}

TEST(cuda_outline, of_images_with_holes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  expect_outlines(on, holed_planes());
}

// One ring of millions of sides, of which few or nearly all are nodes; rings in rings; lines that pass many regions.
TEST(cuda_outline, of_large_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  const extent plane(1500, 3000);
  std::vector<holed_image> images = {noise(plane, 1, 10, 1), noise(plane, 1, 60, 2), noise(plane, 2, 40, 3),
                                     noise(plane, 1u << 24, 30, 4)};
  const auto add = [&](const char* name, auto label) { images.push_back(holed(name, plane, label)); };
  add("rings", [&](i64 z, i64 y, i64 x) { return 1 + depth_in(plane, z, y, x) % 2; });
  add("one region", [](i64, i64, i64) { return 7; });
  add("columns", [](i64, i64, i64 x) { return x % 2; });
  add("rows", [](i64, i64 y, i64) { return y % 2; });
  add("a comb of teeth that reach down", [](i64, i64 y, i64 x) { return y == 0 || x % 2 == 0 ? 1 : 0; });
  add("a comb of teeth that reach up", [&](i64, i64 y, i64 x) { return y == plane.height - 1 || x % 2 == 0 ? 1 : 0; });
  add("a comb to the right", [](i64, i64 y, i64 x) { return x == 0 || y % 2 == 0 ? 1 : 0; });
  add("one outline to and fro",
      [&](i64, i64 y, i64 x) { return y % 2 == 0 || x == (y % 4 == 1 ? plane.width - 1 : 0) ? 1 : 0; });
  add("a comb in a comb", [](i64, i64 y, i64 x) { return y == 0 || x % 2 == 0 ? 1 : 2; });
  expect_outlines(on, images);
}

// A solid row over or under a million gaps: ends of steps that one row has far away and the other nearby.
TEST(cuda_outline, of_very_wide_combs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  const extent plane(2, 1 << 21);
  expect_outlines(
      on, {holed("teeth that reach down", plane, [](i64, i64 y, i64 x) { return y == 0 || x % 2 == 0 ? 1 : 0; }),
           holed("teeth that reach up", plane, [](i64, i64 y, i64 x) { return y == 1 || x % 2 == 0 ? 1 : 0; })});
}

TEST(cuda_outline, of_every_other_pixel_and_of_rows_from_the_last) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  const extent all(90, 140);
  const holed_image image = noise(all, 5, 30, 6);
  const device_bytes given(image.labels);
  const auto seen = [&](const u32* pixels) {
    const i64 row = 4 * all.width;
    return image_view(pixels + (all.height - 1) * all.width, dtype::u32, extent(30, 70), byte_strides{0, -3 * row, 8});
  };
  on.expect_same({.labels = seen(image.labels.data()), .connectivity = 8}, seen(given.data<u32>()));
}

TEST(cuda_outline, automatic_goes_where_labels_are) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const holed_image image = noise(extent(40, 50), 3, 40, 1);
  const device_bytes given(image.labels);
  engine chosen = engine::automatic();
  outline_request asked{.labels = image.view(), .connectivity = 4};
  outline_table want, got;
  outline(chosen, asked, want);
  EXPECT_EQ(chosen.last_choice().kind, engine_kind::cpu);
  asked.labels = image_view(given.data<u32>(), image.size);
  for (const double simplify : {0.0, 1.5})
    for (const bool nesting : {false, true}) {
      asked.simplify = simplify, asked.nesting = nesting;
      outline_request of_host = asked;
      of_host.labels = image.view();
      outline(chosen, of_host, want);
      outline(chosen, asked, got);
      EXPECT_EQ(chosen.last_choice().kind, engine_kind::cuda);
      EXPECT_EQ(chosen.last_choice().reason, "labels is in memory of GPU 0");
      EXPECT_EQ(got == want, true) << simplify << nesting;
    }
}

// Outlines and the labelling before them run on one device.
TEST(cuda_outline, on_an_engine_of_several_devices) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const holed_image image = noise(extent(300, 200), 3, 40, 2);
  const device_bytes given(image.labels);
  engine cpu = engine::cpu(2), both = engine::cuda(std::vector<int>{0, 0});
  outline_table want, got;
  outline(cpu, {.labels = image.view(), .connectivity = 8}, want);
  for (const image_view& labels : {image.view(), image_view(given.data<u32>(), image.size)}) {
    outline(both, {.labels = labels, .connectivity = 8}, got);
    EXPECT_EQ(both.last_choice().reason.find("image"), std::string::npos) << both.last_choice().reason;
    EXPECT_EQ(got == want, true);
  }
}

TEST(cuda_outline, refuses_images_beyond_its_numbers) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda();
  const device_bytes one(16);
  outline_table table;
  const image_view wide(one.data<u8>(), dtype::u8, extent(1 << 16, 1 << 15), byte_strides{0, 0, 0});
  EXPECT_THROW(outline(gpu, {.labels = wide, .connectivity = 4}, table), invalid_argument);
}

}  // namespace
}  // namespace skerry::test

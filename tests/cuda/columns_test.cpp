// SPDX-License-Identifier: Apache-2.0
// Columns of regions and components on the CUDA engine, those that read neighbours above all, with the bits of the CPU engine.
#include "features/columns.hpp"
#include "skerry/columns.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "engine/engine_state.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

const std::vector<std::string> columns_of_cuda = {"basic", "patterns", "ellipse", "power_sums", "hull", "filled"};

// Squares of random labels below `labels`, of which a quarter of the pixels are 0 and some stand alone.
template <class Label>
std::vector<Label> made_labels(const extent& size, i64 side, u32 labels, std::mt19937& random) {
  const i64 across = size.width / side + 1;
  std::vector<u32> squares;
  for (i64 i = 0; i < across * (size.height / side + 1); ++i)
    squares.push_back(random() % 4 == 0 ? 0 : random() % labels);
  std::vector<Label> made;
  for (i64 i = 0; i < size.pixels(); ++i) {
    const i64 y = i / size.width, x = i % size.width;
    u32 label = squares[static_cast<std::size_t>(y / side * across + x / side)];
    if (random() % 20 == 0) label = random() % labels;
    made.push_back(static_cast<Label>(Label(label) * Label(sizeof(Label) == 8 ? 1'000'003 : 1)));
  }
  return made;
}

template <class Label>
void expect_planes_of_type(engine& on, int rounds, u32 seed) {
  engine cpu = engine::cpu(2);
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const u32 most = round % 4 == 0 ? 400 : 40;
    const auto side = [&] { return static_cast<i64>(1 + random() % most); };
    const extent size(side(), side());
    const auto labels = made_labels<Label>(size, 1 + random() % 6, 1 + random() % (round % 2 == 0 ? 3 : 3000), random);
    const device_bytes given(labels);
    column_request asked;
    asked.columns = columns_of_cuda;
    if (round % 3 == 1) asked.columns = {"euler_number", "perimeter"};
    if (round % 5 == 2) asked.background = background::none();
    if (round % 3 == 2) {
      asked.columns = {"basic",           "patterns",           "ellipse", "moments",
                       "moments_central", "moments_normalized", "hull",    "filled"};
      asked.spacing = {1, 0.5, 0.5, "um"};  // which Hu's moments do not have
    }
    const byte_strides turned{0, static_cast<i64>(sizeof(Label)), size.height * static_cast<i64>(sizeof(Label))};
    const byte_strides dense = dense_strides(dtype_of_pixel<Label>::value, size);
    const byte_strides strides = round % 7 == 3 ? turned : dense;
    const image_view there(given.data(), dtype_of_pixel<Label>::value, size, strides),
        here(labels.data(), dtype_of_pixel<Label>::value, size, strides);
    const column_table want = columns_of(cpu, here, asked);
    expect_same(columns_of(on, there, asked), want);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(cuda_columns, planes_of_each_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), chosen = engine::automatic();
  expect_planes_of_type<u8>(gpu, scaled(24), 1);
  expect_planes_of_type<u16>(chosen, scaled(24), 2);
  expect_planes_of_type<u32>(gpu, scaled(120), 3);
  expect_planes_of_type<i32>(gpu, scaled(24), 4);
  expect_planes_of_type<u64>(chosen, scaled(24), 5);
  expect_planes_of_type<i64>(gpu, scaled(24), 6);
}

// Every pattern of 3 x 4 pixels, in one image with gaps and in one without, where the labels of squares differ.
TEST(cuda_columns, all_small_patterns) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  for (const i64 gap : {0, 1}) {
    const i64 height = 3 + gap, width = 4 + gap, across = 64;
    const extent size(64 * height, across * width);
    std::vector<u32> labels(static_cast<std::size_t>(size.pixels()));
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x) {
        const i64 square = y / height * across + x / width, in_y = y % height, in_x = x % width;
        const bool set = in_y < 3 && in_x < 4 && (square >> (4 * in_y + in_x) & 1) != 0;
        labels[static_cast<std::size_t>(y * size.width + x)] = set ? static_cast<u32>(square) + 1 : 0;
      }
    column_request asked;
    asked.columns = columns_of_cuda;
    const image_view image(labels.data(), size);
    expect_same(columns_of(gpu, image, asked), columns_of(cpu, image, asked));
  }
}

TEST(cuda_columns, one_region_and_one_for_each_pixel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  column_request asked;
  asked.columns = columns_of_cuda;
  for (const extent& size : {extent(1, 1), extent(1, 300), extent(300, 1), extent(64, 120), extent(65, 121),
                             extent(128, 241), extent(523, 1201), extent(0, 5)}) {
    std::vector<u32> same(static_cast<std::size_t>(size.pixels()), 7), own(same.size());
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = static_cast<u32>(k * 3);
    for (const std::vector<u32>* labels : {&same, &own}) {
      const image_view image(labels->data(), size);
      expect_same(columns_of(gpu, image, asked), columns_of(cpu, image, asked));
      ASSERT_FALSE(HasFailure()) << size.height << " x " << size.width;
    }
  }
}

TEST(cuda_columns, components_with_intensities) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2), chosen = engine::automatic();
  std::mt19937 random(8);
  for (int round = 0; round < scaled(20); ++round) {
    const extent size(static_cast<i64>(1 + random() % 300), static_cast<i64>(1 + random() % 300));
    const std::vector<u8> pixels = made_labels<u8>(size, 1 + random() % 4, 2, random),
                          greys = made_labels<u8>(size, 1, 200, random);
    const device_bytes given(pixels), read(greys);
    const label_options options{.connectivity = round % 2 == 0 ? 4 : 8};
    column_request asked;
    asked.columns = columns_of_cuda;
    for (const char* const name : {"intensity_min", "intensity_mean", "intensity_std", "intensity_median"})
      asked.columns.emplace_back(name);
    asked.intensity = image_view(greys.data(), size);
    column_table got, want;
    measure_columns(cpu, image_view(pixels.data(), size), options, asked, want);
    engine& on = round % 3 == 0 ? chosen : gpu;
    if (round % 4 != 1) asked.intensity = image_view(read.data<u8>(), size);
    measure_columns(on, image_view(given.data<u8>(), size), options, asked, got);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    expect_same(got, want);
    ASSERT_FALSE(HasFailure()) << round;
  }
}

// Sizes around those of segments of rows, which runs cross.
// Whose host threads share the rows of small images, too.
engine sharing_engine() {
  engine gpu = engine::cuda(0, 3);
  gpu.inside().least_pixels_per_strip = 1;
  return gpu;
}

TEST(cuda_columns, runs_of_rows_of_any_length) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = sharing_engine(), cpu = engine::cpu(2);
  std::mt19937 random(10);
  column_request asked;
  asked.columns = {"power_sums", "hull", "filled"};
  for (const i64 width : {1, 3, 4, 5, 1020, 1023, 1024, 1025, 2047, 2048, 2049, 5000})
    for (const i64 side : {1, 40, 3000}) {
      const extent size(7, width);
      const std::vector<u16> labels = made_labels<u16>(size, side, 5, random);
      const image_view image(labels.data(), size);
      expect_same(columns_of(gpu, image, asked), columns_of(cpu, image, asked));
      ASSERT_FALSE(HasFailure()) << side << " in " << width;
    }
}

TEST(cuda_columns, volumes_and_lines) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = sharing_engine(), cpu = engine::cpu(2);
  std::mt19937 random(11);
  for (int round = 0; round < scaled(20); ++round) {
    const auto side = [&] { return static_cast<i64>(1 + random() % 30); };
    const extent volume(side(), side(), side());
    const std::vector<i32> labels = made_labels<i32>(volume, 1 + random() % 9, 1 + random() % 20, random);
    column_request asked;
    asked.columns = {"basic", "ellipse", "power_sums", "hull", "filled", "patterns"};
    if (round % 2 == 1) asked.spacing = {2, 0.5, 1, "um"};
    const image_view image(labels.data(), volume);
    expect_same(columns_of(gpu, image, asked), columns_of(cpu, image, asked));
    asked.columns = {"basic", "power_sums"};
    const image_view line(labels.data(), extent(volume.pixels()));
    expect_same(columns_of(gpu, line, asked), columns_of(cpu, line, asked));
    ASSERT_FALSE(HasFailure()) << round;
  }
}

TEST(cuda_columns, regions_kept_by_shape) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  std::mt19937 random(9);
  const extent size(200, 300);
  const std::vector<u32> labels = made_labels<u32>(size, 5, 900, random);
  const device_bytes given(labels), out(labels.size() * 4);
  std::vector<u32> want(labels.size());
  const std::vector<column_bounds> bounds = {{"perimeter", 20, 60}, {"euler_number", 1}, {"solidity", 0, 0.1}};
  const std::vector<label_bits> kept =
      keep_regions(cpu, image_view(labels.data(), size), bounds, {}, {want.data(), size});
  EXPECT_FALSE(kept.empty());
  EXPECT_EQ(keep_regions(gpu, image_view(given.data<u32>(), size), bounds, {}, {out.data<u32>(), size}), kept);
  EXPECT_EQ(out.copied<u32>(labels.size()) == want, true);
}

}  // namespace
}  // namespace skerry::test

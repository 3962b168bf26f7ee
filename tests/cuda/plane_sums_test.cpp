// SPDX-License-Identifier: Apache-2.0
// Second moments and intensities of bytes, which tiles of planes sum in shared memory.
#include <random>

#include "cuda/full_job.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// Moments and intensities of a batch of frames, compared with the reference's; only the first `capacity` rows are asked for.
void expect_right_sums(const mask& image, int connectivity, const selection& keep = {},
                       std::uint64_t capacity = full_job::row_capacity) {
  const std::vector<std::uint8_t> values = random_bytes(image.pixels.size(), 5);
  const device_bytes on_gpu(values);
  full_job job(image, connectivity, keep);
  job.work.row_capacity = capacity;
  job.work.real_intensities = nullptr;
  job.work.intensities = job.intensities.data<intensity>();  // rows of reals are larger
  job.work.intensity_image = image_view(on_gpu.data(), dtype::u8, image.size);
  for (const device_bytes* const out : {&job.moments, &job.intensities}) out->forget();
  job.run();
  const auto offset = job.offsets.copied<std::uint64_t>(job.frames + 1);
  const std::uint64_t rows = std::min(offset[job.frames], capacity);
  const auto moments = job.moments.copied<second_moments>(rows);
  const auto sums = job.intensities.copied<intensity>(rows);
  for (std::size_t f = 0; f < job.frames; ++f) {
    const auto begin = f * static_cast<std::size_t>(job.frame_size().pixels());
    const reference::answer want =
        expected_answer({.image = {image.pixels.data() + begin, job.frame_size()},
                         .options = with_connectivity(connectivity, {}, keep),
                         .features = {.moments = true, .intensity = {values.data() + begin, job.frame_size()}}});
    ASSERT_EQ(offset[f + 1] - offset[f], want.count);
    for (std::uint64_t k = 0; k < want.count && offset[f] + k < rows; ++k) {
      ASSERT_TRUE(moments[offset[f] + k] == want.table.moments[k]) << "frame " << f << ", component " << k;
      ASSERT_TRUE(sums[offset[f] + k] == want.table.intensities[k]) << "frame " << f << ", component " << k;
    }
  }
}

// Every pixel whose coordinates are multiples of these numbers.
mask grid_of_pixels(const extent& size, std::int64_t every_y, std::int64_t every_x) {
  mask image = empty_mask(size);
  for (std::int64_t y = 0; y < size.height; y += every_y)
    for (std::int64_t x = 0; x < size.width; x += every_x) image.at(y, x) = 1;
  return image;
}

mask chessboard(const extent& size) {
  mask image = empty_mask(size);
  for (std::int64_t y = 0; y < size.height; ++y)
    for (std::int64_t x = 0; x < size.width; ++x) image.at(y, x) = (x + y) % 2 == 0;
  return image;
}

// A tile is 128 x 64 pixels, and sums 1024 components at once.
TEST(cuda_plane_sums, more_components_than_a_tile_sums_at_once) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8}) {
    expect_right_sums(grid_of_pixels(extent(64, 128), 2, 2), connectivity);
    expect_right_sums(grid_of_pixels(extent(70, 300), 2, 2), connectivity);
    expect_right_sums(grid_of_pixels(extent(64, 128), 2, 4), connectivity);  // 1024 to the number
    expect_right_sums(chessboard(extent(64, 128)), connectivity);
    expect_right_sums(chessboard(extent(130, 131)), connectivity);
  }
}

TEST(cuda_plane_sums, of_every_grain_and_density) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 random(11);
  for (int i = 0; i < scaled(120) && !HasFailure(); ++i) {
    const int connectivity = i % 2 == 0 ? 4 : 8, grain = 1 + static_cast<int>(random() % 9);
    const extent size(1 + random() % 3, 1 + random() % 90, 1 + random() % 400);
    SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", grain " << grain << ", " << size.depth
                                    << " x " << size.height << " x " << size.width);
    expect_right_sums(random_mask(size, grain, 5 + random() % 95, random()), connectivity);
  }
}

TEST(cuda_plane_sums, of_selected_components_and_of_those_that_have_rows) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8})
    for (const std::uint64_t capacity : {1, 40, 300}) {
      const mask image = random_mask(extent(2, 150, 300), 3, 45, connectivity);
      expect_right_sums(image, connectivity, {}, capacity);
      expect_right_sums(image, connectivity, {.min_area = 12, .clear_border = true}, capacity);
    }
}

// Sums of one component in many tiles, far from the origin.
TEST(cuda_plane_sums, of_one_component) {
  SKERRY_NEEDS_CUDA_DEVICE();
  mask ones = empty_mask(extent(260, 1100));
  ones.pixels.assign(ones.pixels.size(), 1);
  expect_right_sums(ones, 8);
  ones.at(100, 700) = 0;
  expect_right_sums(ones, 4);
}

// Sums of squares of x that do not fit 64 bits, whose parts carry.
TEST(cuda_plane_sums, of_a_row_so_long_that_sums_need_128_bits) {
  SKERRY_NEEDS_CUDA_DEVICE();
  mask ones = empty_mask(extent(1, 4'500'000));
  ones.pixels.assign(ones.pixels.size(), 1);
  ones.at(0, 1000) = 0;
  expect_right_sums(ones, 8);
}

}  // namespace
}  // namespace skerry::test

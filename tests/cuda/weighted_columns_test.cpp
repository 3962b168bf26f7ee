// SPDX-License-Identifier: Apache-2.0
// Moments of weighted pixels, and several channels of intensities, on the CUDA engine: the bits of the CPU engine.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "features/columns.hpp"
#include "skerry/regions.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

constexpr dtype types_of_labels[] = {dtype::u8, dtype::u16, dtype::u32, dtype::i32, dtype::u64, dtype::i64};

// An image in host memory, and the same bytes in device memory.
class image_twice {
 public:
  image_twice(dtype type, const extent& size, layout arrangement, const std::vector<double>& values)
      : host_(type, size, arrangement, values) {
    const std::size_t bytes = host_.memory().bytes();
    device_ = std::make_unique<device_bytes>(bytes);
    device_->upload(host_.memory().begin(), bytes);
  }

  [[nodiscard]] image_view here() const { return host_.view(); }
  [[nodiscard]] image_view there() const {
    const image_view view = host_.view();
    return {device_->data<std::byte>() + host_.origin(), view.type, view.size, view.strides};
  }

 private:
  placed_image host_;
  std::unique_ptr<device_bytes> device_;
};

// Weights of a type: anything, or numbers of one size.
std::vector<double> weights_of(dtype type, const extent& size, u32 seed) {
  if (seed % 2 == 0) return random_values(edge_values(type), size, 1, seed);
  const bool is_signed = type > dtype::u64;
  std::vector<double> choices;
  for (int k = 0; k < 40; ++k) choices.push_back(is_signed ? k * 3 - 61 : k);
  if (type == dtype::boolean) choices = {0, 1};
  return random_values(choices, size, 1, seed);
}

std::vector<double> labels_of(const extent& size, u32 seed) {
  std::vector<double> choices = {0};
  for (u32 k = 1; k < (seed % 3 == 0 ? 2u : 60u); ++k) choices.push_back(k);
  return random_values(choices, size, 1 + static_cast<int>(seed % 7), seed);
}

extent size_of_round(u32 seed, std::mt19937& random) {
  const auto side = [&](u32 most) { return static_cast<i64>(1 + random() % most); };
  if (seed % 4 == 1) return {side(12), side(30), side(150)};
  if (seed % 8 == 2) return extent(side(700));
  return {side(seed % 5 == 0 ? 400 : 40), side(seed % 5 == 0 ? 500 : 40)};
}

TEST(cuda_weights, of_each_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  std::mt19937 random(21);
  for (u32 seed = 0; seed < static_cast<u32>(scaled(360)); ++seed) {
    const dtype type = intensity_types[seed % std::size(intensity_types)];
    const extent size = size_of_round(random() % 40, random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", weights of " + name_of(type));
    const image_twice labels(types_of_labels[random() % std::size(types_of_labels)], size,
                             seed % 9 == 4 ? layout::transposed : layout::dense, labels_of(size, random())),
        weights(type, size, all_layouts[random() % std::size(all_layouts)], weights_of(type, size, random()));
    column_request asked;
    asked.columns = {"weighted_sums", "power_sums"};
    asked.intensity = weights.here();
    if (seed % 5 == 1) asked.background = background::none();
    if (seed % 6 == 1) asked.spacing = {2, 0.5, 0.75, "um"};
    if (seed % 7 == 3) asked.index = {3, 9999, 1, 3};
    const column_table want = columns_of(cpu, labels.here(), asked);
    if (seed % 3 != 0) asked.intensity = weights.there();
    expect_same(columns_of(gpu, seed % 4 < 2 ? labels.here() : labels.there(), asked), want);
    ASSERT_FALSE(HasFailure());
  }
}

// Strips of warps, patches of threads and tiles of blocks have whole pixels left over.
TEST(cuda_weights, of_one_region_and_one_for_each_pixel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  column_request asked;
  asked.columns = {"weighted_sums", "power_sums"};
  for (const extent& size : {extent(1, 1), extent(1, 300), extent(300, 1), extent(64, 128), extent(65, 129),
                             extent(8, 127), extent(130, 389), extent(3, 65, 131), extent(0, 5), extent(2, 0, 5)}) {
    std::vector<u32> same(static_cast<std::size_t>(size.pixels()), 7), own(same.size());
    std::vector<double> weights(same.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      own[k] = static_cast<u32>(k * 3);
      weights[k] = static_cast<double>(k % 1001) * 0x1.23456789abcdep-20 - 1e-4;
    }
    asked.intensity = image_view(weights.data(), size);
    for (const std::vector<u32>* labels : {&same, &own}) {
      const image_view image(labels->data(), size);
      expect_same(columns_of(gpu, image, asked), columns_of(cpu, image, asked));
      ASSERT_FALSE(HasFailure()) << size.height << " x " << size.width;
    }
  }
}

// Sums of more than 128 bits. All pixels of a row are one in memory.
TEST(cuda_weights, far_from_the_corner) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu();
  const extent size(4, i64{1} << (test_scale() < 1 ? 20 : 25));
  const std::vector<u8> labels = {1, 2, 2, 1};
  const std::vector<u32> large = {~u32{0}, 1, ~u32{0} - 5, ~u32{0}};
  const std::vector<i32> negative = {INT32_MIN, -1, INT32_MIN, INT32_MAX};
  const std::vector<double> reals = {1e300, -0.1, 3, -1e299};
  const device_bytes device_labels(labels);
  const auto expect_weights = [&]<class Pixel>(const std::vector<Pixel>& weights) {
    const byte_strides strides{0, sizeof(Pixel), 0};
    const device_bytes there(weights);
    column_request asked;
    asked.columns = {"weighted_sums", "power_sums"};
    asked.intensity = {weights.data(), dtype_of_pixel<Pixel>::value, size, strides};
    const column_table want = columns_of(cpu, {labels.data(), dtype::u8, size, {0, 1, 0}}, asked);
    asked.intensity = {there.data(), dtype_of_pixel<Pixel>::value, size, strides};
    expect_same(columns_of(gpu, {device_labels.data(), dtype::u8, size, {0, 1, 0}}, asked), want);
  };
  expect_weights(large);
  expect_weights(negative);
  expect_weights(reals);
}

// ---- channels -----------------------------------------------------------------------------------------------------

struct labelled_channels {
  labelled_channels(const extent& size, u32 seed)
      : labels(types_of_labels[seed % std::size(types_of_labels)], size, layout::dense, labels_of(size, seed)) {
    for (u32 c = 0; c < 1 + seed % 4; ++c) {
      const dtype type = intensity_types[(seed * 5 + c * 7) % std::size(intensity_types)];
      images.push_back(std::make_unique<image_twice>(type, size, all_layouts[(seed + c) % std::size(all_layouts)],
                                                     weights_of(type, size, seed + c)));
    }
  }
  // In device memory those whose bits are set.
  [[nodiscard]] std::vector<image_view> views(u32 there) const {
    std::vector<image_view> views;
    for (std::size_t c = 0; c < images.size(); ++c)
      views.push_back((there >> c & 1) != 0 ? images[c]->there() : images[c]->here());
    return views;
  }
  image_twice labels;
  std::vector<std::unique_ptr<image_twice>> images;
};

void expect_same_rows(const region_table& got, const region_table& want) {
  EXPECT_EQ(got.labels, want.labels);
  EXPECT_TRUE(same_table(got.features, want.features));
  ASSERT_EQ(got.channels.size(), want.channels.size());
  for (std::size_t c = 0; c < want.channels.size(); ++c) {
    EXPECT_TRUE(got.channels[c].intensities == want.channels[c].intensities) << c;
    EXPECT_TRUE(got.channels[c].real_intensities == want.channels[c].real_intensities) << c;
  }
}

TEST(cuda_channels, have_the_rows_of_every_engine) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2), reference = engine::reference();
  std::mt19937 random(22);
  for (u32 seed = 0; seed < static_cast<u32>(scaled(120)); ++seed) {
    SCOPED_TRACE(seed);
    const labelled_channels given(size_of_round(seed, random), seed);
    region_request asked{.labels = given.labels.here(), .channels = given.views(0)};
    asked.features.moments = seed % 2 == 1;
    if (seed % 3 == 1) asked.background = background::none();
    if (seed % 4 == 1) asked.index = {5, 700, 1, 5};
    region_table got, want, defined;
    measure_regions(cpu, asked, want);
    measure_regions(reference, asked, defined);
    if (seed % 3 != 0) asked.labels = given.labels.there();
    asked.channels = given.views(random() % 16);
    measure_regions(gpu, asked, got);
    expect_same_rows(got, want);
    expect_same_rows(got, defined);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(cuda_channels, have_all_columns) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  std::mt19937 random(23);
  for (u32 seed = 0; seed < static_cast<u32>(scaled(60)); ++seed) {
    SCOPED_TRACE(seed);
    const labelled_channels given(size_of_round(seed, random), seed);
    column_request asked;
    asked.channels = given.views(0);
    if (seed % 4 == 2) asked.columns = {"area", "weighted_sums", "intensity_median"};
    const column_table want = columns_of(cpu, given.labels.here(), asked);
    asked.channels = given.views(random() % 16);
    expect_same(columns_of(gpu, seed % 3 == 0 ? given.labels.here() : given.labels.there(), asked), want);
    ASSERT_FALSE(HasFailure());
  }
}

// A channel in device memory takes the call to the device.
TEST(cuda_channels, choose_the_engine) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine chosen = engine::automatic(2), cpu = engine::cpu(2);
  const labelled_channels given(extent(70, 90), 7);
  column_request asked;
  asked.columns = {"perimeter", "power_sums", "centroid_weighted"};
  asked.channels = given.views(0);
  const column_table want = columns_of(cpu, given.labels.here(), asked);
  asked.channels = given.views(2);
  expect_same(columns_of(chosen, given.labels.here(), asked), want);
  EXPECT_EQ(chosen.last_choice().kind, engine_kind::cuda);
  EXPECT_EQ(chosen.last_choice().reason, "channels[1] is in memory of GPU 0");
  asked.columns = {"perimeter", "power_sums"};
  EXPECT_EQ(columns_of(chosen, given.labels.here(), asked).size(), want.size());
  EXPECT_EQ(chosen.last_choice().kind, engine_kind::cuda);
}

}  // namespace
}  // namespace skerry::test

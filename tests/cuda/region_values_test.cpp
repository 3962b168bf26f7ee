// SPDX-License-Identifier: Apache-2.0
// Extrema, histograms and quantiles of regions of many tiles in device memory, against the CPU engine.
#include "skerry/region_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

bool same_places(const std::vector<placed_value>& a, const std::vector<placed_value>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const placed_value& one, const placed_value& other) {
    return one.value == other.value && one.z == other.z && one.y == other.y && one.x == other.x;
  });
}

TEST(cuda_values, images_in_device_memory) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2), chosen = engine::automatic();
  std::mt19937 random(4);
  for (int round = 0; round < scaled(30); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto side = [&](u32 most) { return static_cast<i64>(1 + random() % most); };
    const extent size = random() % 2 == 0 ? extent(side(300), side(700)) : extent(side(30), side(40), side(300));
    const u32 regions = static_cast<u32>(side(1000)), values = static_cast<u32>(side(300));
    std::vector<u16> labels;
    std::vector<float> image;
    for (i64 i = 0; i < size.pixels(); ++i) {
      labels.push_back(static_cast<u16>(random() % 4 == 0 && i > 0 ? random() % regions : i / 9 % regions));
      image.push_back(static_cast<float>(random() % values) - 20);
    }
    const device_bytes given(labels), read(image);
    region_pixels host{image_view(labels.data(), size), image_view(image.data(), size)};
    if (round % 4 == 0) host.index = {3, 70'000, 1, 3};
    region_pixels device = host;
    device.labels = image_view(given.data<u16>(), size), device.image = image_view(read.data<float>(), size);
    engine& on = round % 3 == 0 ? chosen : gpu;
    const region_extrema found = find_extrema(on, device), want = find_extrema(cpu, host);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    EXPECT_EQ(found.labels, want.labels);
    const bool same = same_places(found.min, want.min) && same_places(found.max, want.max);
    EXPECT_TRUE(host.index.has_value() || same);  // a value without a pixel is NaN, which equals none
    const std::vector<double> edges = equal_bins(-10, 200, static_cast<std::size_t>(side(40)));
    EXPECT_EQ(count_histograms(on, device, edges).counts, count_histograms(cpu, host, edges).counts);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    ASSERT_FALSE(HasFailure());
  }
}

template <class Value>
void expect_quantiles(u32 seed, const std::function<Value(std::mt19937&)>& draw) {
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  std::mt19937 random(seed);
  for (int round = 0; round < scaled(12); ++round) {
    const auto side = [&](u32 most) { return static_cast<i64>(1 + random() % most); };
    const extent size = random() % 2 == 0 ? extent(side(200), side(300)) : extent(side(20), side(30), side(100));
    const u32 regions = static_cast<u32>(round % 3 == 0 ? 2 : side(500));
    std::vector<u32> labels;
    std::vector<Value> image;
    for (i64 i = 0; i < size.pixels(); ++i) {
      labels.push_back(static_cast<u32>(round % 2 == 0 ? i / 7 % regions : random() % regions));
      image.push_back(draw(random));
    }
    region_pixels host{image_view(labels.data(), size), image_view(image.data(), size)};
    if (round % 4 == 0) host.index = {3, 70'000, 1, 3};
    const std::vector<double> fractions = {0.5, 0, 1, 0.25, 0.999};
    const region_quantiles found = find_quantiles(gpu, host, fractions), want = find_quantiles(cpu, host, fractions);
    EXPECT_EQ(found.labels, want.labels);
    ASSERT_EQ(found.values.size(), want.values.size());
    for (std::size_t i = 0; i < want.values.size(); ++i)
      ASSERT_TRUE(found.values[i] == want.values[i] || (std::isnan(found.values[i]) && std::isnan(want.values[i])))
          << "round " << round << ", " << i << ": " << found.values[i] << ", not " << want.values[i];
  }
}

TEST(cuda_values, quantiles_of_integers) {
  SKERRY_NEEDS_CUDA_DEVICE();
  expect_quantiles<u8>(1, [](std::mt19937& random) { return static_cast<u8>(random() % 4 * 60); });
  expect_quantiles<std::int8_t>(2, [](std::mt19937& random) { return static_cast<std::int8_t>(random()); });
  expect_quantiles<u16>(3, [](std::mt19937& random) { return static_cast<u16>(random()); });
  expect_quantiles<std::int16_t>(4, [](std::mt19937& random) { return static_cast<std::int16_t>(random()); });
  expect_quantiles<u32>(5, [](std::mt19937& random) { return static_cast<u32>(random()); });
  expect_quantiles<i32>(6, [](std::mt19937& random) { return static_cast<i32>(random()); });
  expect_quantiles<u64>(
      7, [](std::mt19937& random) { return random() % 3 == 0 ? ~u64{0} : u64{random()} << 32 | random(); });
  expect_quantiles<i64>(8, [](std::mt19937& random) {
    return random() % 3 == 0 ? INT64_MAX : static_cast<i64>(u64{random()} << 32 | random());
  });
}

TEST(cuda_values, quantiles_of_floats_with_infinities_and_nan) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const auto draw = [](std::mt19937& random) {
    const u32 kind = random() % 2000;
    if (kind == 0) return std::numeric_limits<double>::quiet_NaN();
    if (kind < 20) return (kind % 2 != 0 ? 1 : -1) * std::numeric_limits<double>::infinity();
    if (kind < 300) return kind % 2 != 0 ? -0.0 : 0.0;
    return std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 300) - 180);
  };
  expect_quantiles<double>(9, draw);
  expect_quantiles<float>(10, [&](std::mt19937& random) { return static_cast<float>(draw(random)); });
}

}  // namespace
}  // namespace skerry::test

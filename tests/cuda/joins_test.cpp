// SPDX-License-Identifier: Apache-2.0
// Joining by value and periodic axes on images of many tiles, against the CPU engine.
#include <gtest/gtest.h>

#include <random>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

struct labelled {
  std::vector<u32> labels;
  feature_table table;
};

labelled labelled_by(engine& on, const label_request& asked) {
  labelled made;
  made.labels.resize(static_cast<std::size_t>(asked.image.size.pixels()));
  label(on, asked, {.labels = mutable_image(made.labels.data(), asked.image.size), .table = &made.table});
  return made;
}

label_options random_options(std::mt19937& random, const extent& size) {
  const std::vector<int> connectivities = connectivities_of(size);
  label_options options = with_connectivity(connectivities[random() % connectivities.size()]);
  const joining rules[] = {joining::equal(), joining::equal(), joining::within(1), joining::foreground()};
  options.joining = rules[random() % 4];
  if (random() % 2 == 0) options.foreground = foreground::except(1);
  options.periodic = {size.rank == 3 && random() % 3 == 0, random() % 3 == 0, random() % 3 == 0};
  if (random() % 4 == 0) options.selection = {.min_area = 2, .clear_border = true};
  return options;
}

TEST(cuda_joins, images_of_many_tiles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  std::mt19937 random(5);
  const int granularities[] = {1, 1, 3, 9};
  for (int round = 0; round < scaled(60); ++round) {
    const auto side = [&](u32 most) { return static_cast<i64>(1 + random() % most); };
    const extent size = random() % 2 == 0 ? extent(side(400), side(700)) : extent(side(30), side(40), side(300));
    const std::vector<double> few = {0, 1, 2}, more = {0, 1, 2, 4, 5};
    const std::vector<double> values =
        random_values(random() % 2 == 0 ? few : more, size, granularities[random() % 4], static_cast<u32>(random()));
    const std::vector<u16> pixels(values.begin(), values.end());
    const label_request asked{image_view(pixels.data(), size), random_options(random, size), {.moments = true}};
    SCOPED_TRACE("round " + std::to_string(round));
    const labelled got = labelled_by(gpu, asked), want = labelled_by(cpu, asked);
    EXPECT_EQ(got.labels == want.labels, true);
    EXPECT_TRUE(same_table(got.table, want.table));
    ASSERT_FALSE(HasFailure());
  }
}

// Rows of bytes are read by words of eight where they lie at multiples of eight, the rest one by one.
TEST(cuda_joins, bytes_of_any_alignment_and_spacing) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  std::mt19937 random(6);
  for (int round = 0; round < scaled(100); ++round) {
    const extent size(1 + random() % 40, 1 + random() % 300);
    const byte_strides apart{0, 0, random() % 3 == 0 ? 2 : 1};
    const i64 padded = size.width * apart.x + (random() % 2 == 0 ? -(size.width * apart.x) & 7 : random() % 9);
    const byte_strides strides{0, padded, apart.x};
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(padded * size.height) + 8);
    const u32 kinds = 2 + random() % 4;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % kinds);
    const device_bytes on_gpu(bytes);
    const std::size_t offset = random() % 2 == 0 ? 0 : random() % 8;
    label_options options = with_connectivity(random() % 2 == 0 ? 4 : 8);
    options.joining = random() % 4 == 0 ? joining::within(1) : joining::equal();
    options.periodic = {false, random() % 3 == 0, random() % 2 == 0};
    if (random() % 2 == 0) options.foreground = foreground::within(1, 2);
    const auto image = [&](const std::uint8_t* data) { return image_view(data + offset, dtype::u8, size, strides); };
    SCOPED_TRACE("round " + std::to_string(round));
    const labelled want = labelled_by(cpu, {image(bytes.data()), options, {}});
    const device_bytes labels(static_cast<std::size_t>(size.pixels()) * sizeof(u32));
    label(gpu, {image(on_gpu.data<std::uint8_t>()), options, {}}, {.labels = mutable_image(labels.data<u32>(), size)});
    ASSERT_TRUE(labels.copied<u32>(want.labels.size()) == want.labels);
  }
}

}  // namespace
}  // namespace skerry::test

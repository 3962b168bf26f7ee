// SPDX-License-Identifier: Apache-2.0
// New labels for images of many tiles in device memory, against the CPU engine.
#include "skerry/relabel.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

std::vector<u32> squares(const extent& size, int side, u32 labels, u32 seed) {
  std::vector<u32> made;
  for (i64 i = 0; i < size.pixels(); ++i) {
    const i64 row = i / size.width, square = row / side * size.width + i % size.width / side;
    u32 mixed = (static_cast<u32>(square) ^ seed) * 2654435761u;
    mixed ^= mixed >> 15;
    made.push_back(mixed % labels * 7);
  }
  return made;
}

TEST(cuda_relabel, images_in_device_memory) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine gpu = engine::cuda(), cpu = engine::cpu(2), chosen = engine::automatic();
  std::mt19937 random(3);
  for (int round = 0; round < scaled(40); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto side = [&](u32 most) { return static_cast<i64>(1 + random() % most); };
    const extent size = random() % 2 == 0 ? extent(side(400), side(700)) : extent(side(30), side(40), side(300));
    const std::vector<u32> labels = squares(size, 1 + static_cast<int>(random() % 5), side(100'000), random());
    const relabel_options options{random() % 2 == 0 ? background() : background::none(),
                                  random() % 2 == 0 ? region_order::first_pixel : region_order::ascending};
    std::vector<u64> want(labels.size());
    const std::vector<label_bits> originals =
        relabel(cpu, image_view(labels.data(), size), options, {want.data(), size});
    const device_bytes given(labels), out(labels.size() * 8);
    const image_view image(given.data<u32>(), size);
    engine& on = round % 3 == 0 ? chosen : gpu;
    EXPECT_EQ(relabel(on, image, options, {out.data<u64>(), size}), originals);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    EXPECT_EQ(out.copied<u64>(labels.size()) == want, true);
    label_map map{originals, std::vector<label_bits>(originals.size(), 5), unnamed_labels::zero};
    remap(on, image, map, {given.data<u32>(), size});  // in place
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    for (u64& label : want) label = label == 0 ? 0 : 5;
    const std::vector<u32> mapped = given.copied<u32>(labels.size());
    EXPECT_EQ(std::vector<u64>(mapped.begin(), mapped.end()) == want, true);
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace skerry::test

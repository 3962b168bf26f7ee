// SPDX-License-Identifier: Apache-2.0
// More different labels of 64 bits than the first tables of the device hold, against the CPU engine.
#include <gtest/gtest.h>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "skerry/outline.hpp"
#include "skerry/relabel.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

// Every pixel has a label of its own, somewhere in 64 bits; background is the one in the middle.
struct sparse_image {
  static constexpr i64 side = 1500;  // more than 2^21 pixels, so that a table of 2^20 slots grows twice
  extent size = {side, side};
  background rule = background::equal_to(label_at(side * side / 2));
  std::vector<u64> labels;

  sparse_image() {
    for (i64 i = 0; i < size.pixels(); ++i) labels.push_back(label_at(i));
  }
  static u64 label_at(i64 i) { return ~(static_cast<u64>(i) * 0x9e3779b97f4a7c15u); }
  [[nodiscard]] image_view view() const { return {labels.data(), size}; }
};

struct both_engines {
  engine gpu = engine::cuda(), cpu = engine::cpu(2);
  sparse_image image;
  device_bytes given{image.labels};
  image_view there{given.data<u64>(), image.size};
};

TEST(cuda_sparse_labels, are_measured) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  region_table want, got;
  measure_regions(on.cpu, {.labels = on.image.view(), .background = on.image.rule}, want);
  EXPECT_EQ(measure_regions(on.gpu, {.labels = on.there, .background = on.image.rule}, got), want.size());
  EXPECT_EQ(got.labels == want.labels, true);
  EXPECT_EQ(got.features.components == want.features.components, true);
}

TEST(cuda_sparse_labels, are_relabelled) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  std::vector<u32> want(on.image.labels.size());
  const device_bytes out(want.size() * sizeof(u32));
  for (const region_order order : {region_order::ascending, region_order::first_pixel}) {
    const relabel_options options{on.image.rule, order};
    const std::vector<label_bits> originals = relabel(on.cpu, on.image.view(), options, {want.data(), on.image.size});
    EXPECT_EQ(relabel(on.gpu, on.there, options, {out.data<u32>(), on.image.size}) == originals, true);
    EXPECT_EQ(out.copied<u32>(want.size()) == want, true);
  }
}

TEST(cuda_sparse_labels, are_outlined) {
  SKERRY_NEEDS_CUDA_DEVICE();
  both_engines on;
  outline_table want, got;
  outline_request asked{.labels = on.image.view(), .connectivity = 8, .background = on.image.rule};
  outline(on.cpu, asked, want);
  asked.labels = on.there;
  EXPECT_EQ(outline(on.gpu, asked, got), want.polygons());
  EXPECT_EQ(got == want, true);
}

}  // namespace
}  // namespace skerry::test

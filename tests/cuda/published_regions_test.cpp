// SPDX-License-Identifier: Apache-2.0
// Published methods on given label images, and in volumes, on CUDA.
#include <algorithm>

#include "cuda/device_image.hpp"
#include "cuda/published_cases.hpp"
#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

void expect_rows_of_the_library(const mask& image) {
  std::vector<std::uint64_t> labels = expected_answer({.image = image.view(), .options = with_connectivity(4)}).labels;
  for (std::uint64_t& label : labels)  // a gap, while labels fit
    if (label % 7 == 3) label = 0;
  engine own = engine::cpu(1);
  const region_request asked{.labels = {labels.data(), image.size}};
  region_table want;
  measure_regions(own, asked, want);
  for (const published::method& method : published::methods()) {
    if (!method.takes_labels) continue;
    SCOPED_TRACE(method.name);
    engine on = engine::cuda();
    for (const std::uint64_t first : {1, 1000}) {
      region_table found;
      EXPECT_EQ(published::measure(on, method.name, asked, found, {.first_copy = first}), want.size());
      EXPECT_EQ(found.labels, want.labels);
      EXPECT_TRUE(std::ranges::equal(found.features.components, want.features.components));
    }
  }
}

TEST(cuda_published_regions, rows_are_those_of_the_library) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const extent& size : {extent(1, 1), extent(2, 63), extent(33, 64), extent(40, 515), extent(700, 300)})
    for (const double density : {0.0, 20.0, 50.0, 100.0}) {
      expect_rows_of_the_library(random_mask(size, 1, density, ++seed));
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

// For sanitizers. The last image is merged in device memory by TMK.
TEST(cuda_published_tiny_regions, images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(1, 1), extent(33, 64), extent(70, 100)})
    expect_rows_of_the_library(random_mask(size, 1, 40, 1));
}

// For sanitizers. Rows that vectors can read and others, and wide ones, whose kernels are others again.
TEST(cuda_published_tiny_volumes, images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  for (const extent& size :
       {extent(1, 1, 1), extent(7, 5, 33), extent(3, 4, 528), extent(2, 2, 65552), extent(2, 2, 65557)}) {
    const mask image = random_mask(size, 1, 40, 1);
    for (const int connectivity : {6, 18, 26}) {
      const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
      expect_all_ways(on, as_published(asked, "flsl-3d"), as_published(expected_answer(asked)));
    }
  }
}

TEST(cuda_published_volumes, labels_and_rows) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  std::uint32_t seed = 0;
  for (const extent& size : {extent(1, 1, 1), extent(2, 3, 16), extent(7, 5, 33), extent(5, 1, 64), extent(1, 9, 70),
                             extent(13, 17, 520), extent(40, 60, 80)})
    for (const double density : {10.0, 30.0, 60.0, 100.0}) {
      const mask image = random_mask(size, 1 + seed % 3, density, seed + 1);
      ++seed;
      for (const int connectivity : {6, 18, 26}) {
        SCOPED_TRACE(connectivity);
        const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
        expect_measured(on, as_published(asked, "flsl-3d"), expected_answer(asked));
      }
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

TEST(cuda_published_volumes, device_memory_and_strides) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  const extent size(6, 10, 31);
  const mask image = random_mask(size, 1, 40, 9);
  const question asked = {.image = image.view(), .options = with_connectivity(26)};
  const reference::answer want = expected_answer(asked);
  const device_bytes bytes(image.pixels), labels(want.labels.size() * sizeof(std::uint64_t));
  feature_table table;
  EXPECT_EQ(published::label(on, "flsl-3d", {{bytes.data(), dtype::u8, size}, asked.options},
                             {.labels = {labels.data<std::uint64_t>(), size}, .table = &table}),
            want.count);
  EXPECT_TRUE(same_labels(labels.copied<std::uint64_t>(want.labels.size()), want.labels, size));
  EXPECT_TRUE(same_table(table, as_published(want).table));
}

TEST(cuda_published_volumes, planes_are_refused) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  const mask image = random_mask(extent(5, 5), 1, 50, 1);
  try {
    published::label(on, "flsl-3d", {image.view(), with_connectivity(4)}, {});
    ADD_FAILURE();
  } catch (const invalid_argument& error) {
    EXPECT_STREQ(error.what(), "method flsl-3d: labels volumes only, not images of rank 2");
  }
}

}  // namespace
}  // namespace skerry::test

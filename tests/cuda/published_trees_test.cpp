// SPDX-License-Identifier: Apache-2.0
// Published methods that build trees on CUDA, next to the CPU engine and, where images are small, the reference.
#include <algorithm>

#include "cuda/device_image.hpp"
#include "cuda/published_cases.hpp"
#include "published/cuda/tree_task.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

max_tree built(engine& on, const image_view& image, std::string_view method = published::own_method) {
  max_tree tree;
  published::build(on, method, image, {.connectivity = 4}, tree);
  return tree;
}

// One for all images, so that scratch goes from image to image and from method to method.
engine& cuda_engine() {
  static engine on = engine::cuda();
  return on;
}

void expect_by_all_methods(const grey& image, bool is_small) {
  SCOPED_TRACE(testing::Message() << image.name << ", " << image.size.height << " x " << image.size.width);
  const placed_image placed = image.as(dtype::u8);
  engine right = is_small ? engine::reference() : engine::cpu();
  const max_tree want = built(right, placed.view());
  for (const published::method& method : published::tree_methods())
    EXPECT_TRUE(built(cuda_engine(), placed.view(), method.name) == want) << method.name;
}

// The image in device memory with gaps between its pixels and rows, so that it is gathered first.
void expect_by_gaps(const grey& image, std::string_view method, const max_tree& want) {
  const auto width = static_cast<std::size_t>(image.size.width), pitch = 2 * width + 130;
  std::vector<std::uint8_t> spread(static_cast<std::size_t>(image.size.height) * pitch);
  const std::vector<double> values = image.values(dtype::u8);
  for (std::size_t i = 0; i < values.size(); ++i)
    spread[i / width * pitch + i % width * 2] = static_cast<std::uint8_t>(values[i]);
  const device_bytes there(spread);
  const image_view view(there.data(), dtype::u8, image.size, {0, static_cast<std::int64_t>(pitch), 2});
  EXPECT_TRUE(built(cuda_engine(), view, method) == want) << method;
}

// A test for each method, small enough to end under every sanitizer.
class cuda_published_tiny_trees : public testing::TestWithParam<published::method> {};

TEST_P(cuda_published_tiny_trees, images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine right = engine::reference();
  for (const extent& size : {extent(1, 1), extent(35, 67)}) {
    const grey image = random_grey(size, 7, 1, 1);
    const placed_image placed = image.as(dtype::u8);
    const max_tree want = built(right, placed.view());
    EXPECT_TRUE(built(cuda_engine(), placed.view(), GetParam().name) == want);
    expect_by_gaps(image, GetParam().name, want);
  }
}

INSTANTIATE_TEST_SUITE_P(methods, cuda_published_tiny_trees, testing::ValuesIn(on_cuda(published::tree_methods())),
                         name_of_case);

// Tiles have 64 × 16 pixels.
TEST(cuda_published_trees, sizes_around_those_of_tiles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  const int levels[] = {2, 7, 60, 256};
  for (const std::int64_t height : {1, 2, 15, 16, 17, 31, 32, 33, 49, 64})
    for (const std::int64_t width : {1, 2, 63, 64, 65, 127, 128, 129, 193}) {
      ++seed;
      expect_by_all_methods(random_grey(extent(height, width), levels[seed % 4], 1 + static_cast<int>(seed % 3), seed),
                            height * width < 500);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_published_trees, adversarial_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(37, 70), extent(67, 131), extent(400, 613)})
    for (const grey& image : adversarial_greys(size)) {
      expect_by_all_methods(image, size.height == 37);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_published_trees, larger_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(700, 901), extent(1500, 2000), extent(3, 100001), extent(100001, 3)})
    for (const int levels : {5, 256}) {
      expect_by_all_methods(random_grey(size, levels, levels == 5 ? 3 : 1, 21), false);
      ASSERT_FALSE(HasFailure());
    }
}

// Threads meet at other places each time.
TEST(cuda_published_trees, the_same_image_many_times) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int levels : {2, 8, 256}) {
    const placed_image image = random_grey(extent(300, 330), levels, 1, 13).as(dtype::u8);
    engine right = engine::cpu();
    const max_tree want = built(right, image.view());
    for (int round = 0; round < scaled(100); ++round)
      for (const published::method& method : published::tree_methods())
        ASSERT_TRUE(built(cuda_engine(), image.view(), method.name) == want) << method.name << ", round " << round;
  }
}

TEST(cuda_published_trees, every_layout_in_both_memories) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const grey image = random_grey(extent(40, 83), 9, 1, 3);
  engine right = engine::reference();
  const max_tree want = built(right, image.as(dtype::u8).view());
  for (const published::method& method : published::tree_methods()) {
    for (const layout arrangement : all_layouts)
      EXPECT_TRUE(built(cuda_engine(), image.as(dtype::u8, arrangement).view(), method.name) == want)
          << method.name << ", " << name_of(arrangement);
    expect_by_gaps(image, method.name, want);
  }
}

TEST(cuda_published_trees, what_a_method_cannot_do) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::vector<std::uint16_t> pixels(64);
  for (const published::method& method : published::tree_methods()) {
    max_tree tree;
    EXPECT_THROW(published::build(cuda_engine(), method.name, {pixels.data(), extent(8, 8)}, {.connectivity = 4}, tree),
                 invalid_argument);
    published::build(cuda_engine(), method.name, {pixels.data(), dtype::u8, extent(0, 8)}, {.connectivity = 4}, tree);
    EXPECT_EQ(tree.nodes(), 0U);
  }
}

TEST(cuda_published_trees, a_second_call_takes_no_more_memory) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const placed_image image = random_grey(extent(120, 300), 9, 1, 3).as(dtype::u8);
  for (const published::method& method : published::tree_methods()) {
    cuda_engine().release_scratch();
    EXPECT_EQ(cuda_engine().scratch_bytes(), 0U);
    const max_tree first = built(cuda_engine(), image.view(), method.name);
    const std::size_t bytes = cuda_engine().scratch_bytes();
    EXPECT_GT(bytes, 0U);
    EXPECT_TRUE(built(cuda_engine(), image.view(), method.name) == first);
    EXPECT_EQ(cuda_engine().scratch_bytes(), bytes);
  }
}

TEST(cuda_published_trees, phases_have_the_names_of_the_report) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  on.set_profiling(true);
  const placed_image image = random_grey(extent(40, 83), 9, 1, 3).as(dtype::u8);
  using names = std::vector<std::string>;
  const auto phases_of = [&](std::string_view method) {
    built(on, image.view(), method);
    names found;
    for (const phase_time& phase : on.last_phases()) found.emplace_back(phase.name);
    return found;
  };
  EXPECT_EQ(phases_of("blin"),
            (names{"tile construction", "horizontal merge", "vertical merge", "flatten", "numbering"}));
  EXPECT_EQ(phases_of("blin-border"), (names{"tile construction", "horizontal merge", "global parent image update",
                                             "vertical merge", "flatten", "numbering"}));
}

// In a constant image each pixel of a border hangs on the first of its tile, and that on nothing.
TEST(cuda_published_trees, borders_have_what_lies_below_them) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::uint32_t width = 70, height = 40;
  const device_bytes levels(std::vector<std::uint8_t>(std::size_t{width} * height, 9)), parents(width * height * 4);
  published::device_arena memory;
  cuda_stream stream;
  const published::device_tree_answer answer =
      published::find_device_tree_method("blin-border")({.levels = levels.data<u8>(),
                                                         .width = width,
                                                         .height = height,
                                                         .parents = parents.data<u32>(),
                                                         .stream = stream,
                                                         .memory = memory});
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(answer.columns, 2U);
  EXPECT_EQ(answer.tiles, 6U);
  std::vector<u32> nodes(2);
  EXPECT_EQ(cudaMemcpy(nodes.data(), answer.border_nodes, 8, cudaMemcpyDeviceToHost), cudaSuccess);
  // The uppermost tiles have their lower border and the first pixel, which is above it; the others begin with it.
  EXPECT_EQ(nodes, (std::vector<u32>{64 + 1 + 64 + 64 + 64, 6 + 1 + 6 + 6 + 6}));
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Max-trees on the device: parents and areas, next to those of the CPU engine, which other tests compare with the reference
// (as they do with trees that the CUDA engine gives to the host).
#include <algorithm>
#include <limits>

#include "cuda/captured_graph.hpp"
#include "cuda/device_tree.hpp"
#include "cuda/plans.hpp"
#include "cuda/refused.hpp"
#include "support/engines.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

constexpr tree_kind both_kinds[] = {tree_kind::max, tree_kind::min};

void expect_tree(const grey& image, dtype type, const tree_options& options) {
  SCOPED_TRACE(testing::Message() << image.name << ", " << image.size.depth << " x " << image.size.height << " x "
                                  << image.size.width << ", " << name_of(type) << ", connectivity "
                                  << options.connectivity << (options.kind == tree_kind::min ? ", min" : ", max"));
  const placed_image placed = image.as(type);
  const right_tree want(placed.view(), options);
  const device_tree got(placed.view(), options);
  got.build();
  got.expect(want);
  got.spoil();
  got.build_parents();
  got.expect_parents(want);
}

void expect_trees(const grey& image, dtype type) {
  for (const int connectivity : device_tree_connectivities(image.size))
    for (const tree_kind kind : both_kinds) {
      expect_tree(image, type, {connectivity, kind});
      if (testing::Test::HasFailure()) return;
    }
}

TEST(cuda_tree, adversarial_images_of_every_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(67, 131), extent(18, 17, 35)})
    for (const grey& image : adversarial_greys(size))
      for (const dtype type : device_tree_types) {
        expect_trees(image, type);
        ASSERT_FALSE(HasFailure());
      }
}

TEST(cuda_tree, sizes_around_those_of_tiles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  const int levels[] = {2, 7, 60, 256};
  const auto check = [&](const extent& size) {
    ++seed;
    expect_trees(random_grey(size, levels[seed % 4], 1 + static_cast<int>(seed % 3), seed),
                 device_tree_types[seed % std::size(device_tree_types)]);
  };
  for (const std::int64_t height : {1, 15, 16, 17, 63, 64, 65, 129, 200})
    for (const std::int64_t width : {1, 2, 63, 64, 65, 128, 193}) {
      check(extent(height, width));
      ASSERT_FALSE(HasFailure());
    }
  for (const std::int64_t depth : {1, 2, 15, 16, 17, 33})
    for (const std::int64_t height : {1, 16, 17})
      for (const std::int64_t width : {1, 15, 17, 48}) {
        check(extent(depth, height, width));
        ASSERT_FALSE(HasFailure());
      }
}

TEST(cuda_tree, no_pixels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes nan(8);
  std::uint32_t nothing = 0;
  cuda::tree_job work;
  work.image = {&nothing, dtype::f32, extent(0, 5)};
  work.connectivity = 4;
  work.parent = &nothing;
  work.first_nan = nan.data<std::uint64_t>();
  EXPECT_EQ(cuda::scratch_bytes(work), 0U);
  plan_of(work).enqueue(nullptr, nullptr);
  EXPECT_EQ(nan.copied<std::uint64_t>(1)[0], ~std::uint64_t{0});
}

TEST(cuda_tree, scratch_is_what_the_header_says) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(4000, 6000);
  std::uint32_t word = 0;  // nothing is enqueued
  const auto bytes_per_pixel = [&](dtype type, bool areas) {
    cuda::tree_job work;
    work.image = {&word, type, size};
    work.connectivity = 4;
    work.parent = &word;
    if (areas) work.area = &word;
    return static_cast<double>(cuda::scratch_bytes(work)) / static_cast<double>(size.pixels());
  };
  EXPECT_DOUBLE_EQ(bytes_per_pixel(dtype::u8, true), 8);
  for (const dtype type : {dtype::u16, dtype::i16, dtype::u32, dtype::f32}) {
    EXPECT_NEAR(bytes_per_pixel(type, false), 18, 0.5) << name_of(type);
    EXPECT_NEAR(bytes_per_pixel(type, true), 14, 0.5) << name_of(type);
  }
}

// Parents, areas, and scratch that a filter takes after the tree.
TEST(cuda_tree, trees_with_areas_and_filters_take_at_most_24_bytes_per_pixel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(4000, 6000);
  std::uint32_t word = 0;  // nothing is enqueued
  for (const dtype type : device_tree_types) {
    cuda::tree_job tree;
    tree.image = {&word, type, size};
    tree.connectivity = 8;
    tree.parent = tree.area = &word;
    cuda::tree_filter_job filter;
    filter.image = tree.image;
    filter.parent = filter.area = &word;
    filter.rule = filter_rule::max;
    filter.output = {&word, type, size};
    const std::size_t scratch = std::max(cuda::scratch_bytes(tree), cuda::scratch_bytes(filter));
    EXPECT_LE(scratch + 8 * static_cast<std::size_t>(size.pixels()), 24 * static_cast<std::size_t>(size.pixels()))
        << name_of(type);
  }
}

TEST(cuda_tree, larger_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::u8, dtype::u16, dtype::f32}) {
    for (const int granularity : {1, 3}) {
      expect_trees(random_grey(extent(700, 901), 256, granularity, 21), type);
      ASSERT_FALSE(HasFailure());
    }
    expect_trees(random_grey(extent(50, 70, 90), 256, 1, 22), type);
    ASSERT_FALSE(HasFailure());
  }
}

// As many nodes one above the other as there are pixels, or levels.
TEST(cuda_tree, chains_as_long_as_the_image) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const grey& image : adversarial_greys(extent(500, 601))) {
    if (image.name.find("ramp") == std::string::npos && image.name.find("zig-zag") == std::string::npos) continue;
    for (const dtype type : {dtype::u8, dtype::f32}) {
      expect_trees(image, type);
      ASSERT_FALSE(HasFailure());
    }
  }
}

// Threads meet at other places each time.
TEST(cuda_tree, the_same_image_many_times) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::u8, dtype::f32})
    for (const int connectivity : {4, 8}) {
      const placed_image image = random_grey(extent(300, 330), type == dtype::u8 ? 8 : 4096, 1, 13).as(type);
      const right_tree want(image.view(), {.connectivity = connectivity});
      const device_tree got(image.view(), {.connectivity = connectivity});
      for (int round = 0; round < scaled(200); ++round) {
        got.spoil();
        got.build();
        got.expect(want);
        ASSERT_FALSE(HasFailure()) << name_of(type) << ", round " << round;
      }
    }
}

TEST(cuda_tree, strides_of_all_kinds) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : device_tree_types)
    for (const extent& size : {extent(70, 66), extent(5, 19, 21)})
      for (const stride_rule rule :
           {stride_rule::gaps, stride_rule::backward, stride_rule::unaligned, stride_rule::transposed}) {
        const grey image = random_grey(size, 9, 1, 5);
        for (const int connectivity : device_tree_connectivities(size)) {
          const placed_image placed = image.as(type);
          const right_tree want(placed.view(), {.connectivity = connectivity});
          const device_tree got(placed.view(), {.connectivity = connectivity}, rule);
          got.build();
          got.expect(want);
          ASSERT_FALSE(HasFailure()) << name_of(type) << ", strides " << static_cast<int>(rule);
        }
      }
}

TEST(cuda_tree, nan_is_found) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::vector<float> pixels(200 * 150, 1.5F);
  for (const std::size_t place : {29999U, 15200U, 15199U}) {
    pixels[place] = std::numeric_limits<float>::quiet_NaN();
    const image_view image(pixels.data(), extent(200, 150));
    const device_tree got(image, {.connectivity = 4});
    got.build();
    EXPECT_EQ(got.first_nan(), place);
    engine on = engine::cuda();
    max_tree tree;
    EXPECT_THROW(build(on, image, {.connectivity = 4}, tree), invalid_argument);
  }
}

TEST(cuda_tree, graphs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(150, 170), extent(20, 33, 18)}) {
    const placed_image image = random_grey(size, 256, 1, 3).as(dtype::u16);
    const tree_options options{.connectivity = size.rank == 2 ? 8 : 26};
    const right_tree want(image.view(), options);
    const device_tree got(image.view(), options);
    const captured_graph graph([&](cudaStream_t stream) { got.enqueue(stream); });
    got.spoil();
    graph.launch(3);
    got.expect(want);
  }
}

TEST(cuda_tree, wrong_arguments_of_a_tree) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const placed_image image = random_grey(extent(70, 90), 9, 1, 5).as(dtype::u16);
  const device_tree right(image.view(), {.connectivity = 4});
  const auto refused = [&](const std::string& name, auto spoil) {
    cuda::tree_job wrong = right.job();
    spoil(wrong);
    expect_refused(name, [&] { (void)plan_of(wrong); });
  };
  using job = cuda::tree_job;
  refused("connectivity", [](job& j) { j.connectivity = 6; });
  refused("kind", [](job& j) { j.kind = static_cast<tree_kind>(7); });
  refused("image", [](job& j) { j.image.type = dtype::f64; });
  refused("image", [](job& j) { j.image.data = nullptr; });
  refused("image", [&](job& j) { j.image.size.height = 1 << 30; });
  refused("parent", [](job& j) { j.parent = nullptr; });
  refused("parent", [](job& j) { j.parent = askew(j.parent, 2); });
  refused("area", [](job& j) { j.area = askew(j.area); });
  for (void* const scratch : {static_cast<void*>(nullptr), static_cast<void*>(static_cast<char*>(right.scratch()) + 8)})
    expect_refused("scratch", [&] { plan_of(right.job()).enqueue(scratch, nullptr); });
  right.build();
  right.expect(right_tree(image.view(), {.connectivity = 4}));
}

}  // namespace
}  // namespace skerry::test

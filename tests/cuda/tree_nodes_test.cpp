// SPDX-License-Identifier: Apache-2.0
// Nodes of max-trees on the device, and their attributes: small images next to the reference, larger ones next to the CPU
// engine, which other tests compare with the reference.
#include <limits>
#include <numeric>
#include <random>

#include "cuda/captured_graph.hpp"
#include "cuda/device_nodes.hpp"
#include "cuda/plans.hpp"
#include "support/engines.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using job = cuda::tree_nodes_job;

std::size_t pixels_of(const image_view& image) { return static_cast<std::size_t>(image.size.pixels()); }

void expect_nodes(engine& right, const grey& image, dtype type, const tree_options& options) {
  SCOPED_TRACE(testing::Message() << image.name << ", " << image.size.depth << " x " << image.size.height << " x "
                                  << image.size.width << ", " << name_of(type) << ", connectivity "
                                  << options.connectivity << (options.kind == tree_kind::min ? ", min" : ", max"));
  const placed_image placed = image.as(type);
  const right_nodes want(right, placed.view(), options);
  const device_tree tree(placed.view(), options);
  tree.build();
  const device_nodes got(tree, pixels_of(placed.view()));
  got.build();
  got.expect(want);
}

void expect_all_nodes(engine& right, const grey& image, dtype type) {
  for (const int connectivity : device_tree_connectivities(image.size))
    for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
      expect_nodes(right, image, type, {connectivity, kind});
      if (testing::Test::HasFailure()) return;
    }
}

TEST(cuda_tree_nodes, adversarial_images_of_every_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine reference = engine::reference();
  for (const extent& size : {extent(23, 37), extent(7, 6, 9)})
    for (const grey& image : adversarial_greys(size))
      for (const dtype type : device_tree_types) {
        expect_all_nodes(reference, image, type);
        ASSERT_FALSE(HasFailure());
      }
}

TEST(cuda_tree_nodes, random_images_of_every_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  std::uint32_t seed = 0;
  const int levels[] = {1, 2, 40, 256};
  for (const extent& size : {extent(1, 1), extent(1, 77), extent(90, 1), extent(33, 64), extent(211, 150),
                             extent(300, 420), extent(1, 9, 40), extent(20, 33, 31), extent(40, 50, 60)})
    for (const dtype type : device_tree_types) {
      ++seed;
      expect_all_nodes(cpu, random_grey(size, levels[seed % 4], 1 + static_cast<int>(seed % 3), seed), type);
      ASSERT_FALSE(HasFailure());
    }
}

// Tiles whose nodes take several rounds, and that have parts of more nodes of other tiles than there is room for.
TEST(cuda_tree_nodes, tiles_full_of_nodes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const extent& size : {extent(70, 131), extent(20, 33, 18)}) {
    expect_all_nodes(cpu, random_grey(size, 256, 1, 5), dtype::u8);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(cuda_tree_nodes, larger_adversarial_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(2);
  for (const grey& image : adversarial_greys(extent(500, 601)))
    for (const dtype type : {dtype::u8, dtype::u16, dtype::f32}) {
      expect_nodes(cpu, image, type, {4, tree_kind::max});
      ASSERT_FALSE(HasFailure());
    }
}

// Chains that are cut into many pieces, and meet in pieces.
TEST(cuda_tree_nodes, chains_as_long_as_the_image) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(2);
  std::vector<float> ramp(1200 * 1001), tent(ramp.size());
  for (std::size_t p = 0; p < ramp.size(); ++p) {
    ramp[p] = static_cast<float>(p);
    tent[p] = static_cast<float>(std::min(p % 100003, 100003 - p % 100003));
  }
  for (const std::vector<float>* pixels : {&ramp, &tent}) {
    const image_view image(pixels->data(), extent(1001, 1200));
    for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
      const right_nodes want(cpu, image, {4, kind});
      const device_tree tree(image, {4, kind});
      tree.build();
      const device_nodes got(tree, pixels_of(image));
      got.build();
      got.expect(want);
      ASSERT_FALSE(HasFailure()) << (pixels == &ramp ? "ramp" : "tents");
    }
  }
}

TEST(cuda_tree_nodes, special_floats) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine reference = engine::reference();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0F, -0.0F, infinity, -infinity, 1e38F, -1e38F, 1e-42F, 0.3F};
  std::mt19937 draw(3);
  for (int round = 0; round < 4; ++round) {
    std::vector<float> pixels(40 * 50);
    for (float& each : pixels) each = values[draw() % (round % 2 == 0 ? 8 : 2)];
    const image_view image(pixels.data(), extent(40, 50));
    const tree_kind kind = round < 2 ? tree_kind::max : tree_kind::min;
    const right_nodes want(reference, image, {8, kind});
    const device_tree tree(image, {8, kind});
    tree.build();
    const device_nodes got(tree, 2000);
    got.build();
    got.expect(want);
    ASSERT_FALSE(HasFailure()) << round;
  }
}

TEST(cuda_tree_nodes, each_array_alone) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const tree_options& options : {tree_options{.connectivity = 8}, tree_options{.connectivity = 26}})
    for (const dtype type : {dtype::u8, dtype::i16, dtype::f32}) {
      const extent size = options.connectivity == 8 ? extent(70, 91) : extent(20, 33, 18);
      const placed_image image = random_grey(size, 90, 1, 8).as(type);
      const right_nodes want(cpu, image.view(), options);
      const device_tree tree(image.view(), options);
      tree.build();
      constexpr int arrays = 6, columns = std::size(node_columns);
      for (int which = 0; which <= arrays + columns; ++which) {  // at last none
        device_nodes one(tree, pixels_of(image.view()));
        const job all = one.job;
        one.job = job{all.image,
                      all.kind,
                      all.parent,
                      nullptr,
                      all.capacity,
                      all.count,
                      all.first_pixel,
                      all.parent_node,
                      which == 0 ? all.level : nullptr,
                      which == 1 ? all.node_of_pixel : nullptr,
                      which == 2 ? all.area : nullptr,
                      which == 3 ? all.components : nullptr,
                      which == 4 ? all.moments : nullptr,
                      which == 5 ? all.intensities : nullptr,
                      which == 5 ? all.real_intensities : nullptr};
        if (which >= arrays && which < arrays + columns) {
          double* job::*const place = node_columns[which - arrays].place;
          one.job.*place = all.*place;
        }
        one.build();
        one.expect(want);
        ASSERT_FALSE(HasFailure()) << name_of(type) << ", array " << which;
      }
    }
}

// Columns whose sums of floats are in scratch alone, of chains that are cut into pieces.
TEST(cuda_tree_nodes, columns_of_chains_without_rows) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  std::vector<float> ramp(60 * 50);
  std::iota(ramp.begin(), ramp.end(), 0.5F);
  const image_view image(ramp.data(), extent(60, 50));
  const right_nodes want(cpu, image, {.connectivity = 4});
  const device_tree tree(image, {.connectivity = 4});
  tree.build();
  for (double* job::*const column : {&job::volume, &job::level_mean, &job::level_variance}) {
    device_nodes one(tree, ramp.size());
    const job all = one.job;
    one.job = job{all.image, all.kind, all.parent, nullptr, all.capacity, all.count, all.first_pixel, all.parent_node};
    one.job.*column = all.*column;
    one.build();
    one.expect(want);
    ASSERT_FALSE(HasFailure());
  }
}

// Nodes that many tiles have a part of, and tiles with parts of many.
TEST(cuda_tree_nodes, areas_alone_of_larger_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(2);
  std::vector<grey> images = adversarial_greys(extent(500, 601));
  images.push_back(random_grey(extent(300, 517), 256, 1, 3));
  images.push_back(random_grey(extent(300, 517), 4, 1, 3));
  images.push_back(random_grey(extent(40, 70, 33), 20, 1, 3));
  for (const grey& image : images)
    for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
      const placed_image pixels = image.as(dtype::u8);
      const tree_options options{.connectivity = pixels.view().size.rank == 2 ? 4 : 6, .kind = kind};
      const right_nodes want(cpu, pixels.view(), options);
      const device_tree tree(pixels.view(), options);
      tree.build();
      device_nodes one(tree, pixels_of(pixels.view()));
      const job all = one.job;
      one.job = job{all.image,       all.kind,        all.parent, nullptr,           all.capacity, all.count,
                    all.first_pixel, all.parent_node, nullptr,    all.node_of_pixel, all.area};
      one.build();
      one.expect(want);
      ASSERT_FALSE(HasFailure()) << image.name;
    }
}

TEST(cuda_tree_nodes, room_for_fewer_than_there_are) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::u16, dtype::u32}) {
    const placed_image image = random_grey(extent(120, 131), 200, 1, 4).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 4});
    const device_tree tree(image.view(), {.connectivity = 4});
    tree.build();
    const std::size_t nodes = want.tree.nodes();
    const device_nodes exact(tree, nodes);
    exact.build();
    exact.expect(want);
    for (const std::size_t capacity : {nodes - 1, nodes / 2, std::size_t{1}, std::size_t{0}}) {
      const device_nodes few(tree, capacity);
      few.build();
      ASSERT_EQ(few.count(), nodes) << capacity;
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", capacity " << capacity;
    }
  }
}

TEST(cuda_tree_nodes, no_pixels_and_nan) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t nothing = 0;
  const device_bytes count(4);
  job work;
  work.image = {&nothing, dtype::f32, extent(0, 5)};
  work.parent = &nothing;
  work.count = count.data<std::uint32_t>();
  EXPECT_EQ(cuda::scratch_bytes(work), 0U);
  plan_of(work).enqueue(nullptr, nullptr);
  EXPECT_EQ(count.copied<std::uint32_t>(1)[0], 0U);

  std::vector<float> pixels(60 * 50, 1.5F);
  pixels[777] = std::numeric_limits<float>::quiet_NaN();
  const image_view image(pixels.data(), extent(60, 50));
  const device_tree tree(image, {.connectivity = 4});
  tree.build();
  const device_nodes got(tree, 3000);
  got.build();
  EXPECT_EQ(got.count(), 0U);
}

// Threads meet at other places each time.
TEST(cuda_tree_nodes, the_same_image_many_times) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const placed_image image = random_grey(extent(300, 330), type == dtype::u8 ? 8 : 4096, 1, 13).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 4});
    const device_tree tree(image.view(), {.connectivity = 4});
    tree.build();
    const device_nodes got(tree, pixels_of(image.view()));
    for (int round = 0; round < scaled(50); ++round) {
      got.build();
      got.expect(want);
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", round " << round;
    }
  }
}

TEST(cuda_tree_nodes, strides_of_all_kinds) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : device_tree_types)
    for (const stride_rule rule :
         {stride_rule::gaps, stride_rule::backward, stride_rule::unaligned, stride_rule::transposed}) {
      const placed_image image = random_grey(extent(5, 19, 21), 9, 1, 5).as(type);
      const right_nodes want(cpu, image.view(), {.connectivity = 26});
      const device_tree tree(image.view(), {.connectivity = 26}, rule);
      tree.build();
      const device_nodes got(tree, pixels_of(image.view()));
      got.build();
      got.expect(want);
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", strides " << static_cast<int>(rule);
    }
}

TEST(cuda_tree_nodes, graphs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const placed_image image = random_grey(extent(150, 170), 256, 1, 3).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 8});
    const device_tree tree(image.view(), {.connectivity = 8});
    const device_nodes got(tree, pixels_of(image.view()));
    const captured_graph graph([&](cudaStream_t stream) {
      tree.enqueue(stream);
      got.enqueue(stream);
    });
    got.spoil();
    graph.launch(3);
    got.expect(want);
  }
}

TEST(cuda_tree_nodes, scratch_is_what_the_header_says) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(4000, 6000);
  std::uint32_t word = 0;  // nothing is enqueued
  double column = 0;
  const auto bytes_per_pixel = [&](dtype type, bool area, double* job::*asked) {
    job work;
    work.image = {&word, type, size};
    work.parent = work.count = work.first_pixel = work.parent_node = work.node_of_pixel = &word;
    work.capacity = static_cast<std::size_t>(size.pixels());
    if (area) work.area = &word;
    if (asked != nullptr) work.*asked = &column;
    return static_cast<double>(cuda::scratch_bytes(work)) / static_cast<double>(size.pixels());
  };
  EXPECT_NEAR(bytes_per_pixel(dtype::u8, false, nullptr), 1.25, 0.1);
  EXPECT_NEAR(bytes_per_pixel(dtype::u8, true, nullptr), 13.25, 0.25);
  EXPECT_NEAR(bytes_per_pixel(dtype::u8, true, &job::height), 14, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::i16, false, nullptr), 14, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::u16, true, nullptr), 14, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::f32, false, nullptr), 20, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::u32, true, &job::height), 28, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::u8, false, &job::bbox_diagonal), 6 + 56, 0.5);
  for (double* job::*const of_moments : {&job::elongation, &job::compactness})
    EXPECT_NEAR(bytes_per_pixel(dtype::u8, false, of_moments), 6 + 152, 0.5);
  for (double* job::*const of_levels : {&job::volume, &job::level_mean, &job::level_variance}) {
    EXPECT_NEAR(bytes_per_pixel(dtype::u8, true, of_levels), 6 + 48, 0.5);
    EXPECT_NEAR(bytes_per_pixel(dtype::u8, false, of_levels), 6 + 52, 0.5);
  }
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Columns of nodes on the device where rounding could tell one engine from another: sums of more than 64 bits, floats of all
// magnitudes, and rows that are in scratch only. (The tests of nodes compare every column as well.)
#include <cmath>
#include <random>
#include <utility>

#include "cuda/device_nodes.hpp"
#include "support/engines.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using job = cuda::tree_nodes_job;

// Without the arrays of sums.
void leave_out_rows(job& work) {
  work.area = nullptr;
  work.components = nullptr;
  work.moments = nullptr;
  work.intensities = nullptr;
  work.real_intensities = nullptr;
}

// With rows and without.
void expect_columns(engine& right, const image_view& image, const tree_options& options) {
  const right_nodes want(right, image, options);
  const device_tree tree(image, options);
  tree.build();
  device_nodes got(tree, want.tree.nodes());
  got.build();
  got.expect(want);
  leave_out_rows(got.job);
  got.build();
  got.expect(want);
}

TEST(cuda_tree_columns, sums_of_more_than_64_bits) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(2);
  const std::int64_t length = scaled(1 << 20);
  for (const extent& size : {extent(1, length), extent(length, 1), extent(length, 1, 1), extent(3, length / 3)})
    for (const dtype type : device_tree_types) {
      const placed_image image = random_grey(size, 5, 4096, 7).as(type);
      expect_columns(cpu, image.view(), {size.rank == 2 ? 4 : 6, tree_kind::max});
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", " << size.depth << " x " << size.height << " x " << size.width;
    }
}

TEST(cuda_tree_columns, floats_of_all_magnitudes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  std::mt19937 draw(31);
  // Exponents from the first to the second.
  for (const auto& [least, most] :
       {std::pair(-149, 127), std::pair(-149, -120), std::pair(100, 127), std::pair(-4, 4)}) {
    std::vector<float> pixels(70 * 90);
    for (float& each : pixels) {
      const float digits = 1 + static_cast<float>(draw() % 1000) / 1000;
      each = std::ldexp(draw() % 2 == 0 ? digits : -digits, least + static_cast<int>(draw() % (most - least + 1)));
    }
    for (const extent& size : {extent(70, 90), extent(7, 30, 30)})
      for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
        expect_columns(cpu, {pixels.data(), size}, {size.rank == 2 ? 8 : 26, kind});
        ASSERT_FALSE(HasFailure()) << least << " to " << most << ", rank " << size.rank;
      }
  }
}

TEST(cuda_tree_columns, random_images_without_rows) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  std::uint32_t seed = 100;
  for (const extent& size : {extent(1, 1), extent(121, 140), extent(24, 25, 26)})
    for (const dtype type : device_tree_types)
      for (const int granularity : {1, 4}) {
        const placed_image image = random_grey(size, 200, granularity, ++seed).as(type);
        expect_columns(cpu, image.view(), {size.rank == 2 ? 4 : 26, seed % 2 == 0 ? tree_kind::max : tree_kind::min});
        ASSERT_FALSE(HasFailure()) << name_of(type) << ", rank " << size.rank << ", blocks of " << granularity;
      }
}

TEST(cuda_tree_columns, room_for_fewer_nodes_than_there_are) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const placed_image image = random_grey(extent(80, 71), 200, 1, 4).as(type);
    const device_tree tree(image.view(), {.connectivity = 8});
    tree.build();
    const device_nodes enough(tree, 80 * 71);
    enough.build();
    for (const std::size_t capacity : {enough.count() - 1, 1U, 0U}) {
      device_nodes few(tree, capacity);
      leave_out_rows(few.job);
      few.build();  // and nothing is written behind the columns
      ASSERT_EQ(few.count(), enough.count()) << capacity;
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", capacity " << capacity;
    }
  }
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Filters by attributes of max-trees on the device without the host, next to those of the CPU engine; and what a caller can
// get wrong.
#include <algorithm>
#include <cmath>
#include <random>

#include "cuda/device_nodes.hpp"
#include "cuda/plans.hpp"
#include "cuda/refused.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using job = cuda::tree_nodes_job;
using select_job = cuda::tree_select_job;

std::size_t pixels_of(const image_view& image) { return static_cast<std::size_t>(image.size.pixels()); }

std::vector<std::uint8_t> filtered_on_the_device(const device_tree& tree, const select_job& choice,
                                                 const filter_options& how) {
  const std::size_t pixels = pixels_of(tree.job().image);
  const dtype type = tree.job().image.type;
  const std::size_t bytes = pixels * size_of(type);
  const device_bytes output(bytes), keep(pixels);
  select_job choose = choice;
  choose.keep = keep.data<std::uint8_t>();
  plan_of(choose).enqueue(nullptr, nullptr);
  cuda::tree_filter_job work = tree.filter_job(0, nullptr);
  work.area = nullptr;
  work.keep = choose.keep;
  work.rule = how.rule;
  work.top_hat = how.top_hat;
  work.output = {output.data(), how.top_hat && type == dtype::i16 ? dtype::u16 : type, work.image.size};
  const std::size_t needed = cuda::scratch_bytes(work);
  const device_bytes scratch(needed);
  plan_of(work).enqueue(scratch.data(), nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return output.copied<std::uint8_t>(bytes);
}

select_job choice_of(const device_nodes& nodes, const double* attribute, double least) {
  select_job choice;
  choice.size = nodes.job.image.size;
  choice.capacity = nodes.job.capacity;
  choice.count = nodes.job.count;
  choice.first_pixel = nodes.job.first_pixel;
  choice.attribute = attribute;
  choice.least = least;
  return choice;
}

TEST(cuda_tree_select, by_attributes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : device_tree_types)
    for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
      const placed_image image = random_grey(extent(60, 83), 30, 2, 9).as(type);
      const tree_options options{4, kind};
      const right_nodes want(cpu, image.view(), options);
      const device_tree tree(image.view(), options);
      tree.build();
      const device_nodes nodes(tree, pixels_of(image.view()));
      nodes.build();
      std::vector<std::uint8_t> right(pixels_of(image.view()) * size_of(type));
      const auto expect = [&](const double* attribute, const std::vector<double>& values, double least,
                              const filter_options& how) {
        const dtype output = how.top_hat && type == dtype::i16 ? dtype::u16 : type;
        filter_at_least(cpu, want.tree, values, least, how, {right.data(), output, want.tree.size()});
        ASSERT_EQ(filtered_on_the_device(tree, choice_of(nodes, attribute, least), how), right)
            << name_of(type) << ", least " << least;
      };
      const std::vector<double> height = want.column("height"), dynamics = want.column("dynamics"),
                                diagonal = want.column("bbox_diagonal");
      const double most = height[0];
      for (const double least : {0.0, most / 10, most / 3, 2 * most}) {
        expect(nodes.job.height, height, least, {});
        expect(nodes.job.dynamics, dynamics, least, {filter_rule::max, true});
      }
      for (const double least : {1.5, 6.0, 40.0}) expect(nodes.job.bbox_diagonal, diagonal, least, {});
      diagonal_filter(cpu, want.tree, want.table, 6, {right.data(), type, want.tree.size()});
      ASSERT_EQ(filtered_on_the_device(tree, choice_of(nodes, nodes.job.bbox_diagonal, 6), {}), right);
      ASSERT_FALSE(HasFailure());
    }
}

// Between quartiles of each column, with no rows of sums but in scratch.
TEST(cuda_tree_select, between_two_bounds_of_every_column) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::i16, dtype::f32})
    for (const extent& size : {extent(60, 83), extent(14, 17, 20)}) {
      const placed_image image = random_grey(size, 40, 2, 9).as(type);
      const tree_options options{size.rank == 2 ? 8 : 26, tree_kind::max};
      const right_nodes want(cpu, image.view(), options);
      const device_tree tree(image.view(), options);
      tree.build();
      device_nodes nodes(tree, want.tree.nodes());
      nodes.job.area = nullptr;
      nodes.job.components = nullptr;
      nodes.job.moments = nullptr;
      nodes.job.intensities = nullptr;
      nodes.job.real_intensities = nullptr;
      nodes.build();
      for (const node_column& column : node_columns) {
        const std::vector<double> values = want.column(column.name);
        std::vector<double> sorted = values;
        std::sort(sorted.begin(), sorted.end());
        const double least = sorted[sorted.size() / 4], most = sorted[sorted.size() * 3 / 4];
        std::vector<std::uint8_t> keep(values.size()), right(pixels_of(image.view()) * size_of(type));
        for (std::size_t node = 0; node < keep.size(); ++node)
          keep[node] = values[node] >= least && values[node] <= most ? 1 : 0;
        filter(cpu, want.tree, keep, {}, {right.data(), type, size});
        select_job choice = choice_of(nodes, nodes.job.*column.place, least);
        choice.most = most;
        ASSERT_EQ(filtered_on_the_device(tree, choice, {}), right) << name_of(type) << ", " << column.name;
      }
    }
}

TEST(cuda_tree_select, by_own_decisions) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  const placed_image image = random_grey(extent(60, 83), 30, 2, 9).as(dtype::u16);
  const right_nodes want(cpu, image.view(), {.connectivity = 8});
  const device_tree tree(image.view(), {.connectivity = 8});
  tree.build();
  const device_nodes nodes(tree, pixels_of(image.view())), few(tree, 10);
  nodes.build();
  few.build();
  std::mt19937 draw(5);
  std::vector<std::uint8_t> keep(want.tree.nodes());
  for (std::uint8_t& each : keep) each = static_cast<std::uint8_t>(draw() % 3);
  std::vector<std::uint8_t> decided = keep;
  decided.resize(pixels_of(image.view()));  // as many as there is room for nodes
  const device_bytes decisions(decided);
  std::vector<std::uint8_t> right(pixels_of(image.view()) * 2);
  filter(cpu, want.tree, keep, {}, {right.data(), dtype::u16, want.tree.size()});
  select_job choice = choice_of(nodes, nullptr, 0);
  choice.decision = decisions.data<std::uint8_t>();
  EXPECT_EQ(filtered_on_the_device(tree, choice, {}), right);

  // More nodes than room: the root alone is left.
  keep.assign(keep.size(), 0);
  filter(cpu, want.tree, keep, {}, {right.data(), dtype::u16, want.tree.size()});
  EXPECT_EQ(filtered_on_the_device(tree, choice_of(few, few.job.height, 0), {}), right);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

TEST(cuda_tree_nodes, wrong_arguments) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  const placed_image image = random_grey(extent(70, 90), 9, 1, 5).as(dtype::u16);
  const device_tree tree(image.view(), {.connectivity = 4});
  tree.build();
  const device_nodes right(tree, 6300);
  const std::size_t bytes = cuda::scratch_bytes(right.job);
  const device_bytes scratch(bytes);
  const auto refused = [&](const std::string& name, auto spoil) {
    job wrong = right.job;
    spoil(wrong);
    expect_refused(name, [&] { (void)plan_of(wrong); });
  };
  refused("image", [](job& j) { j.image.type = dtype::f64; });
  refused("kind", [](job& j) { j.kind = static_cast<tree_kind>(7); });
  refused("parent", [](job& j) { j.parent = nullptr; });
  refused("count", [](job& j) { j.count = nullptr; });
  refused("first_pixel", [](job& j) { j.first_pixel = nullptr; });
  refused("parent_node", [](job& j) { j.parent_node = nullptr; });
  refused("parent", [](job& j) { j.parent = askew(j.parent); });
  refused("first_nan", [](job& j) { j.first_nan = askew(j.first_nan); });
  refused("count", [](job& j) { j.count = askew(j.count); });
  refused("first_pixel", [](job& j) { j.first_pixel = askew(j.first_pixel); });
  refused("parent_node", [](job& j) { j.parent_node = askew(j.parent_node); });
  refused("level", [](job& j) { j.level = askew(j.level); });
  refused("node_of_pixel", [](job& j) { j.node_of_pixel = askew(j.node_of_pixel); });
  refused("area", [](job& j) { j.area = askew(j.area); });
  refused("components", [](job& j) { j.components = askew(j.components); });
  refused("moments", [](job& j) { j.moments = askew(j.moments); });
  refused("intensities", [](job& j) { j.intensities = askew(j.intensities); });
  refused("real_intensities", [](job& j) { j.real_intensities = reinterpret_cast<real_intensity*>(j.intensities); });
  for (const node_column& column : node_columns)
    refused(std::string(column.name), [&](job& j) { j.*column.place = askew(j.*column.place); });
  right.build();
  right.expect(right_nodes(cpu, image.view(), {.connectivity = 4}));
}

TEST(cuda_tree_select, wrong_arguments) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const placed_image image = random_grey(extent(70, 90), 9, 1, 5).as(dtype::u16);
  const device_tree tree(image.view(), {.connectivity = 4});
  tree.build();
  const device_nodes nodes(tree, 6300);
  nodes.build();
  const device_bytes keep(6300);
  select_job right = choice_of(nodes, nodes.job.height, 1);
  right.keep = keep.data<std::uint8_t>();
  const auto refused = [&](const std::string& name, auto spoil) {
    select_job wrong = right;
    spoil(wrong);
    expect_refused(name, [&] { (void)plan_of(wrong); });
  };
  refused("size", [](select_job& j) { j.size.height = -1; });
  refused("size", [](select_job& j) { j.size = extent(1 << 20, 1 << 20); });
  refused("count", [](select_job& j) { j.count = nullptr; });
  refused("count", [](select_job& j) { j.count = askew(j.count); });
  refused("first_pixel", [](select_job& j) { j.first_pixel = nullptr; });
  refused("first_pixel", [](select_job& j) { j.first_pixel = askew(j.first_pixel); });
  refused("attribute", [](select_job& j) { j.attribute = nullptr; });
  refused("attribute", [&](select_job& j) { j.decision = keep.data<std::uint8_t>(); });
  refused("attribute", [](select_job& j) { j.attribute = askew(j.attribute); });
  refused("least", [](select_job& j) { j.least = std::nan(""); });
  refused("most", [](select_job& j) { j.most = std::nan(""); });
  refused("keep", [](select_job& j) { j.keep = nullptr; });
  plan_of(right).enqueue(nullptr, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace skerry::test

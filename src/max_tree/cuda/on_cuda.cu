// SPDX-License-Identifier: Apache-2.0
#include "max_tree/cuda/on_cuda.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "engine/cuda/host_images.cuh"
#include "engine/cuda/prepared_work.hpp"
#include "engine/cuda/stage_marks.cuh"

namespace skerry {
namespace {

// What the CUDA engine keeps from call to call.
struct cuda_tree_scratch final : job_scratch {
  cuda_stream stream;
  device_memory image, words, parent, facts, first_pixel, parent_node, level, node_of_pixel;
  buffer<std::byte> packed_image;

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = packed_image.bytes();
    for (const device_memory* held :
         {&image, &words, &parent, &facts, &first_pixel, &parent_node, &level, &node_of_pixel})
      sum += held->bytes();
    return sum;
  }
};

cuda_tree_scratch& scratch_in(std::unique_ptr<job_scratch>& slot) {
  if (slot == nullptr) slot = std::make_unique<cuda_tree_scratch>();
  return static_cast<cuda_tree_scratch&>(*slot);
}

template <class Item>
Item* room(device_memory& memory, std::size_t count, const char* what) {
  memory.reserve(count * sizeof(Item), what);
  return static_cast<Item*>(memory.data());
}

// What the device tells the host.
struct tree_facts {
  std::uint64_t first_nan;
  std::uint32_t nodes;
};

template <class Item>
void download(const Item* from, std::size_t count, cudaStream_t stream, std::vector<Item>& to) {
  to.resize(count);
  check_cuda(cudaMemcpyAsync(to.data(), from, count * sizeof(Item), cudaMemcpyDeviceToHost, stream), "resolve");
}

cuda::tree_nodes_job nodes_of(const cuda::tree_job& tree, cuda_tree_scratch& scratch, tree_facts* on_the_device) {
  const auto pixels = static_cast<std::size_t>(tree.image.size.pixels());
  cuda::tree_nodes_job work;
  work.image = tree.image;
  work.kind = tree.kind;
  work.parent = tree.parent;
  work.first_nan = tree.first_nan;
  work.capacity = pixels;
  work.count = &on_the_device->nodes;
  work.first_pixel = room<std::uint32_t>(scratch.first_pixel, pixels, "the nodes");
  work.parent_node = room<std::uint32_t>(scratch.parent_node, pixels, "the nodes");
  work.level = room<double>(scratch.level, pixels, "the nodes");
  work.node_of_pixel = room<std::uint32_t>(scratch.node_of_pixel, pixels, "the nodes");
  return work;
}

}  // namespace

std::int64_t build_on_cuda(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree) {
  const current_device here(on.device);
  cuda_tree_scratch& scratch = scratch_in(on.device_tree_scratch);
  const auto pixels = static_cast<std::size_t>(image.size.pixels());
  auto* const on_the_device = room<tree_facts>(scratch.facts, 1, "the counts");
  cuda::tree_job work;
  work.image = skerry::on_device(image, scratch.stream, scratch.image, scratch.packed_image, "image");
  work.connectivity = options.connectivity;
  work.kind = options.kind;
  work.parent = room<std::uint32_t>(scratch.parent, pixels, "the tree");
  work.first_nan = &on_the_device->first_nan;
  const cuda::tree_nodes_job nodes = nodes_of(work, scratch, on_the_device);
  const cuda::tree_plan build(work);
  const cuda::tree_nodes_plan number(nodes);
  scratch.words.reserve(std::max(build.scratch_bytes(), number.scratch_bytes()), "scratch");
  std::optional<stage_marks> marks;
  if (on.clock.on()) marks.emplace(scratch.stream);
  enqueue(build, scratch.words.data(), scratch.stream, marks ? &*marks : nullptr);
  if (marks) marks->finish(on.clock);
  number.enqueue(scratch.words.data(), scratch.stream);
  tree_facts facts{};
  constexpr std::size_t written = offsetof(tree_facts, nodes) + sizeof facts.nodes;  // nobody writes the padding
  check_cuda(cudaMemcpyAsync(&facts, on_the_device, written, cudaMemcpyDeviceToHost, scratch.stream), "resolve");
  check_cuda(cudaStreamSynchronize(scratch.stream), "resolve");
  if (facts.first_nan != ~std::uint64_t{0}) return static_cast<std::int64_t>(facts.first_nan);
  download(nodes.parent_node, facts.nodes, scratch.stream, tree.parent);
  download(nodes.first_pixel, facts.nodes, scratch.stream, tree.first_pixel);
  download(nodes.level, facts.nodes, scratch.stream, tree.level);
  download(nodes.node_of_pixel, pixels, scratch.stream, tree.node_of_pixel);
  check_cuda(cudaStreamSynchronize(scratch.stream), "resolve");
  return -1;
}

}  // namespace skerry

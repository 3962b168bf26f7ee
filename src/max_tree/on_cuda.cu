// SPDX-License-Identifier: Apache-2.0
#include "max_tree/on_cuda.hpp"

#include <optional>

#include "engine/cuda/host_images.cuh"
#include "engine/cuda/stage_marks.cuh"
#include "max_tree/4_number.cuh"
#include "max_tree/enqueue.hpp"
#include "max_tree/stages.hpp"

namespace skerry {
namespace {

using namespace tree_stages::on_device;

// What the CUDA engine keeps from call to call.
struct cuda_tree_scratch final : job_scratch {
  cuda_stream stream;
  device_memory image, words, parent, facts, first, keys, sorted, nodes, temporary;
  buffer<std::byte> packed_image;

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = packed_image.bytes();
    for (const device_memory* held : {&image, &words, &parent, &facts, &first, &keys, &sorted, &nodes, &temporary})
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
  u64 first_nan;
  i32 nodes;
};

// Calls work(temporary memory, its bytes) twice: first without memory, for the bytes that it needs.
template <class Work>
void with_temporary(device_memory& memory, Work work) {
  std::size_t bytes = 0;
  check_cuda(work(nullptr, bytes), "resolve");
  memory.reserve(bytes, "scratch");
  check_cuda(work(memory.data(), bytes), "resolve");
}

template <class Item>
void download(const void* from, std::size_t count, cudaStream_t stream, std::vector<Item>& to) {
  to.resize(count);
  check_cuda(cudaMemcpyAsync(to.data(), from, count * sizeof(Item), cudaMemcpyDeviceToHost, stream), "resolve");
}

template <class Key>
class numbering {
 public:
  numbering(cuda_tree_scratch& scratch, const image_view& image, const u32* parent, tree_kind kind)
      : scratch_(scratch), parent_(parent),
        pixels_(static_cast<u32>(image.size.pixels())), begins_{grey_source<Key>(image, kind), parent} {}

  // Writes the list of first pixels and their number.
  void find_first(i32* nodes) {
    u32* const first = room<u32>(scratch_.first, pixels_, "the nodes");
    with_temporary(scratch_.temporary, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<u32>(0), first, nodes,
                                   static_cast<i32>(pixels_), begins_, scratch_.stream);
    });
  }

  void number(u32 nodes, max_tree& tree) {
    sort(nodes);
    // The words of the links have served.
    u32* const node_of_first = static_cast<u32*>(scratch_.words.data());
    u32* const node_of_pixel = node_of_first + pixels_;
    u32* const parent = room<u32>(scratch_.nodes, 2 * std::size_t{nodes}, "the nodes");
    u32* const wide_keys = parent + nodes;
    tell_first_kernel<<<blocks(nodes), number_threads, 0, scratch_.stream>>>(first_, nodes, node_of_first);
    nodes_of_pixels_kernel<<<blocks(pixels_), number_threads, 0, scratch_.stream>>>(begins_, node_of_first, pixels_,
                                                                                    node_of_pixel);
    parents_of_nodes_kernel<<<blocks(nodes), number_threads, 0, scratch_.stream>>>(parent_, node_of_first, first_,
                                                                                   keys_, nodes, parent, wide_keys);
    check_cuda(cudaGetLastError(), "resolve");
    std::vector<u32> keys;
    download(parent, nodes, scratch_.stream, tree.parent);
    download(first_, nodes, scratch_.stream, tree.first_pixel);
    download(wide_keys, nodes, scratch_.stream, keys);
    download(node_of_pixel, pixels_, scratch_.stream, tree.node_of_pixel);
    check_cuda(cudaStreamSynchronize(scratch_.stream), "resolve");
    tree.level.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node)
      tree.level[node] = tree_stages::level_of(keys[node], tree.type, tree.kind);
  }

 private:
  static u32 blocks(u32 threads) { return (threads + number_threads - 1) / number_threads; }

  void sort(u32 nodes) {
    u32* const first = static_cast<u32*>(scratch_.first.data());
    Key* const keys = room<Key>(scratch_.keys, 2 * std::size_t{nodes}, "the nodes");
    u32* const sorted = room<u32>(scratch_.sorted, nodes, "the nodes");
    keys_of_nodes_kernel<<<blocks(nodes), number_threads, 0, scratch_.stream>>>(begins_.image, first, nodes, keys);
    check_cuda(cudaGetLastError(), "resolve");
    with_temporary(scratch_.temporary, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, keys + nodes, first, sorted, static_cast<i32>(nodes),
                                             0, static_cast<i32>(8 * sizeof(Key)), scratch_.stream);
    });
    first_ = sorted;
    keys_ = keys + nodes;
  }

  cuda_tree_scratch& scratch_;
  const u32* parent_;
  u32 pixels_;
  begins_node<Key> begins_;
  const u32* first_ = nullptr;  // of nodes, in order
  const Key* keys_ = nullptr;
};

template <class Key>
void number_nodes(cuda_tree_scratch& scratch, const cuda::tree_job& work, tree_facts* on_the_device, max_tree& tree,
                  tree_facts& facts) {
  numbering<Key> nodes(scratch, work.image, work.parent, work.kind);
  nodes.find_first(&on_the_device->nodes);
  check_cuda(cudaMemcpyAsync(&facts, on_the_device, sizeof facts, cudaMemcpyDeviceToHost, scratch.stream), "resolve");
  check_cuda(cudaStreamSynchronize(scratch.stream), "resolve");
  if (facts.first_nan == ~u64{0}) nodes.number(static_cast<u32>(facts.nodes), tree);
}

}  // namespace

std::int64_t build_on_cuda(engine::state& on, const image_view& image, const tree_options& options, max_tree& tree) {
  const current_device here(on.device);
  cuda_tree_scratch& scratch = scratch_in(on.device_tree_scratch);
  const auto pixels = static_cast<std::size_t>(image.size.pixels());
  auto* const on_the_device = room<tree_facts>(scratch.facts, 1, "the counts");
  cuda::tree_job work;
  work.image = skerry::on_device(image, scratch.stream, scratch.image, scratch.packed_image, "the image");
  work.connectivity = options.connectivity;
  work.kind = options.kind;
  work.parent = room<u32>(scratch.parent, pixels, "the tree");
  work.first_nan = &on_the_device->first_nan;
  const std::size_t bytes = scratch_bytes(work);
  scratch.words.reserve(bytes, "scratch");
  std::optional<stage_marks> marks;
  if (on.clock.on()) marks.emplace(scratch.stream);
  enqueue(work, scratch.words.data(), bytes, scratch.stream, marks ? &*marks : nullptr);
  if (marks) marks->finish(on.clock);
  tree_facts facts{};
  switch (size_of(image.type)) {
    case 1: number_nodes<u8>(scratch, work, on_the_device, tree, facts); break;
    case 2: number_nodes<u16>(scratch, work, on_the_device, tree, facts); break;
    default: number_nodes<u32>(scratch, work, on_the_device, tree, facts); break;
  }
  return facts.first_nan == ~u64{0} ? -1 : static_cast<std::int64_t>(facts.first_nan);
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// The tree merge kernel, TMK: features of labels as the nodes of a tree, so that only those that exist go to the host.
//
//   (labels by Playne and Hawick, block method)
//   initialise               a node for each two neighbouring pixels                     (algorithm 1)
//   merge (shared memory)    trees of 1, 2, 4 ... nodes in pairs
//   merge (global memory)    the same for larger ones, all blocks in step
//   size update              each node's number of nodes, from the leaves up             (algorithm 2)
//   balance                  valid nodes go to the front                                 (algorithm 3)
//   copy, second copy        as many nodes as the frame before had, and a margin; what is missing after
//
// A tree over places [a, a + n) has its root at a. A node's way down from the root follows the bits of its label.
//
// Method  [Windisch2023]
#include <cooperative_groups.h>

#include <algorithm>
#include <cuda/atomic>

#include "core/feature.hpp"
#include "published/cuda/equivalences.cuh"
#include "published/cuda/methods.hpp"
#include "published/cuda/predicted_copy.hpp"

namespace skerry::published {
namespace {

constexpr u32 merging_threads = 1024, shared_nodes = 2 * merging_threads;  // 112 KiB: two blocks on a multiprocessor
constexpr u32 none = ~0u, invalid_label = ~0u;
constexpr u32 pending = ~0u - 1;  // the parent of a node that is to be inserted

struct tree_node {
  u32 label, count;
  u32 min_x, max_x, min_y, max_y;
  u64 sum_x, sum_y;
  u32 parent, left, right, size;

  [[nodiscard]] __host__ __device__ bool is_valid() const { return label != invalid_label; }
};

// Links that other threads write in the same step. Nodes lie in shared memory or in that of the device.
using shared_link = ::cuda::atomic_ref<u32, ::cuda::thread_scope_device>;
__device__ u32 read_link(u32& link) { return shared_link(link).load(::cuda::memory_order_relaxed); }
__device__ void write_link(u32& link, u32 to) { shared_link(link).store(to, ::cuda::memory_order_relaxed); }

__device__ void add_pixel(tree_node& node, u32 y, u32 x, u32 label) {
  node.label = label;
  ++node.count;
  node.min_x = min(node.min_x, x);
  node.max_x = max(node.max_x, x);
  node.min_y = min(node.min_y, y);
  node.max_y = max(node.max_y, y);
  node.sum_x += x;
  node.sum_y += y;
}

// Nodes that lie side by side, as words, so that the threads of a block read and write without gaps.
template <u32 Threads>
__device__ void copy_nodes(const tree_node* from, tree_node* to, u32 count) {
  static_assert(sizeof(tree_node) % sizeof(u64) == 0);
  const auto* const words = reinterpret_cast<const u64*>(from);
  auto* const copies = reinterpret_cast<u64*>(to);
  for (u32 i = threadIdx.x; i < count * (sizeof(tree_node) / sizeof(u64)); i += Threads) copies[i] = words[i];
}

// Pairs of pixels do not cross lines: the last pixel of a line and the first of the next can be of two objects.
__global__ void __launch_bounds__(usual_threads)
    initialise(const u32* labels, u32 width, u32 pairs, u64 count, tree_node* nodes) {
  __shared__ tree_node staged[usual_threads];
  const u64 base = u64{blockIdx.x} * usual_threads, i = base + threadIdx.x;
  tree_node node{invalid_label, 0, ~0u, 0, ~0u, 0, 0, 0, none, none, none, 0};
  if (i < count) {
    const auto y = static_cast<u32>(i / pairs), first = static_cast<u32>(i % pairs) * 2;
    for (u32 x = first; x < min(first + 2, width); ++x)
      if (const u32 label = labels[u64{y} * width + x]; label != 0) add_pixel(node, y, x, label - 1);
  }
  staged[threadIdx.x] = node;
  __syncthreads();
  copy_nodes<usual_threads>(staged, nodes + base, static_cast<u32>(count - base < usual_threads ? count - base : usual_threads));
}

// ---- merging ----------------------------------------------------------------------------------------------------------

// One step: a tree of `reach` nodes and the one behind it become one. Thread number k of all works on the source node
// that is number k among the nodes of all trees behind.
struct merge_step {
  tree_node* nodes;
  u64 count, reach;

  [[nodiscard]] __device__ u64 source(u64 k) const { return k / reach * 2 * reach + reach + k % reach; }
  [[nodiscard]] __device__ u64 target_root(u64 source) const { return source / (2 * reach) * 2 * reach; }

  // Before any node is inserted, all that will be let go of their children, who come by themselves.
  __device__ void prepare(u64 k) const {
    const u64 s = source(k);
    if (s >= count || !nodes[s].is_valid() || !nodes[target_root(s)].is_valid()) return;
    nodes[s].left = nodes[s].right = none;
    nodes[s].parent = pending;
  }
  __device__ void run(u64 k) const {
    const u64 s = source(k);
    if (s >= count || !nodes[s].is_valid()) return;  // (a)
    const u64 root = target_root(s);
    if (read_link(nodes[s].parent) == pending) insert(static_cast<u32>(s), static_cast<u32>(root));
    else if (s == root + reach) replace(static_cast<u32>(s), static_cast<u32>(root));
  }

 private:
  // (c): no target. The tree behind moves its root, and stays as it is.
  __device__ void replace(u32 s, u32 root) const {
    const tree_node node = nodes[s];
    nodes[root] = node;
    // Their threads look whether they are pending: they are not, before and after.
    if (node.left != none) write_link(nodes[node.left].parent, root);
    if (node.right != none) write_link(nodes[node.right].parent, root);
    nodes[s].label = invalid_label;
  }
  __device__ void insert(u32 s, u32 root) const {
    const u32 label = nodes[s].label;
    u32 at = root;
    for (u32 depth = 0;; ++depth) {
      if (nodes[at].label == label) return join(at, s);  // (d): labels are unique in a tree, so nobody else comes here
      u32& child = label >> depth & 1 ? nodes[at].left : nodes[at].right;
      u32 below = read_link(child);
      if (below == none) {
        nodes[s].parent = at;
        if (shared_link(child).compare_exchange_strong(below, s, ::cuda::memory_order_relaxed)) return;  // (b)
      }
      at = below;
    }
  }
  __device__ void join(u32 at, u32 s) const {
    tree_node& into = nodes[at];
    tree_node& from = nodes[s];
    into.count += from.count;
    into.min_x = min(into.min_x, from.min_x);
    into.max_x = max(into.max_x, from.max_x);
    into.min_y = min(into.min_y, from.min_y);
    into.max_y = max(into.max_y, from.max_y);
    into.sum_x += from.sum_x;
    into.sum_y += from.sum_y;
    from.label = invalid_label;
  }
};

__device__ void move_links(tree_node& node, u32 by) {
  for (u32* link : {&node.parent, &node.left, &node.right})
    if (*link != none) *link += by;
}

__global__ void __launch_bounds__(merging_threads, 2) merge_in_shared_memory(tree_node* nodes, u64 count) {
  extern __shared__ tree_node local[];
  const u64 base = u64{blockIdx.x} * shared_nodes;
  const u64 here = count - base < shared_nodes ? count - base : shared_nodes;
  copy_nodes<merging_threads>(nodes + base, local, static_cast<u32>(here));
  for (u64 reach = 1; reach < here; reach *= 2) {
    const merge_step step{local, here, reach};
    __syncthreads();
    step.prepare(threadIdx.x);
    __syncthreads();
    step.run(threadIdx.x);
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < here; i += merging_threads) move_links(local[i], static_cast<u32>(base));
  __syncthreads();
  copy_nodes<merging_threads>(local, nodes + base, static_cast<u32>(here));
}

void launch_shared_merge(const device_task& work, tree_node* nodes, u64 count) {
  constexpr int bytes = shared_nodes * sizeof(tree_node);
  check_cuda(cudaFuncSetAttribute(merge_in_shared_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "merge");
  merge_in_shared_memory<<<blocks_of(count, shared_nodes), merging_threads, bytes, work.stream>>>(nodes, count);
}

__global__ void __launch_bounds__(usual_threads) merge_in_global_memory(tree_node* nodes, u64 count) {
  const auto grid = cooperative_groups::this_grid();
  for (u64 reach = shared_nodes; reach < count; reach *= 2) {
    const merge_step step{nodes, count, reach};
    const u64 sources = (count + 2 * reach - 1) / (2 * reach) * reach;
    for (u64 k = grid.thread_rank(); k < sources; k += grid.num_threads()) step.prepare(k);
    grid.sync();
    for (u64 k = grid.thread_rank(); k < sources; k += grid.num_threads()) step.run(k);
    grid.sync();
  }
}

// As many blocks as are on the device at the same time.
void launch_global_merge(const device_task& work, tree_node* nodes, u64 count) {
  int device = 0, processors = 0, resident = 0;
  check_cuda(cudaGetDevice(&device), "merge");
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "merge");
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, merge_in_global_memory, usual_threads, 0), "merge");
  const u32 blocks = std::min(static_cast<u32>(processors * resident), blocks_of(count / 2 + 1, usual_threads));
  void* arguments[] = {&nodes, &count};
  check_cuda(
      cudaLaunchCooperativeKernel(merge_in_global_memory, dim3(blocks), dim3(usual_threads), arguments, 0, work.stream),
      "merge");
}

// ---- sizes and places -------------------------------------------------------------------------------------------------

// A thread for each leaf. Of two that meet, the first stops, and the second goes on with what both have.
__global__ void update_sizes(tree_node* nodes, u64 count) {
  const u64 i = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (i >= count || !nodes[i].is_valid() || nodes[i].left != none || nodes[i].right != none) return;
  u32 at = static_cast<u32>(i), size = 1;
  nodes[at].size = size;
  while (nodes[at].parent != none) {
    at = nodes[at].parent;
    ++size;
    if (nodes[at].left != none && nodes[at].right != none) {
      const u32 other = atomicCAS(&nodes[at].size, 0, size);
      if (other == 0) return;
      size += other - 1;  // the node itself is in both
      nodes[at].size = size;
    } else {
      nodes[at].size = size;
    }
  }
}

// The root is the first, and before each node come those above it and the left subtrees that it is not in.
__global__ void balance(const tree_node* nodes, u64 count, tree_node* balanced) {
  const u64 i = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (i >= count) return;
  if (i == 0 && !nodes[0].is_valid()) balanced[0] = nodes[0];  // of size 0: no objects
  if (!nodes[i].is_valid()) return;
  const u32 label = nodes[i].label;
  u32 at = 0, place = 0;
  for (u32 depth = 0; nodes[at].label != label; ++depth) {
    const bool goes_left = (label >> depth & 1) != 0;
    const u32 left = nodes[at].left;
    place += 1 + (goes_left || left == none ? 0 : nodes[left].size);
    at = goes_left ? left : nodes[at].right;
  }
  balanced[place] = nodes[i];
}

// ---- to the host ------------------------------------------------------------------------------------------------------

void write_rows(const tree_node* nodes, u64 count, table_rows<geometry>& rows) {
  std::vector<tree_node> sorted(nodes, nodes + count);
  std::sort(sorted.begin(), sorted.end(), [](const tree_node& a, const tree_node& b) { return a.label < b.label; });
  rows.clear();
  for (const tree_node& node : sorted) {
    geometry& row = rows.emplace_back(empty_geometry(2));
    row.area = node.count;
    row.sum[1] = node.sum_y;
    row.sum[2] = node.sum_x;
    row.min[1] = static_cast<i32>(node.min_y);
    row.max[1] = static_cast<i32>(node.max_y);
    row.min[2] = static_cast<i32>(node.min_x);
    row.max[2] = static_cast<i32>(node.max_x);
  }
}

}  // namespace

device_answer tree_merge_of_labels(const device_task& work, const u32* labels) {
  const device_image& image = work.image;
  const u32 pairs = image.width / 2 + image.width % 2;
  const u64 count = u64{pairs} * image.height;
  const u32 blocks = blocks_of(count, usual_threads);
  const cudaStream_t stream = work.stream;
  auto* const nodes = work.memory.take<tree_node>(count, "the nodes");
  auto* const balanced = work.memory.take_cleared<tree_node>(count, "the nodes");  // predictions can be too large
  work.memory.host.reserve(count * sizeof(tree_node), "the nodes on the host");
  auto* const host = static_cast<tree_node*>(work.memory.host.data());
  work.phase("initialise",
             [&] { initialise<<<blocks, usual_threads, 0, stream>>>(labels, image.width, pairs, count, nodes); });
  work.phase("merge (shared memory)", [&] { launch_shared_merge(work, nodes, count); });
  if (count > shared_nodes) work.phase("merge (global memory)", [&] { launch_global_merge(work, nodes, count); });
  work.phase("size update", [&] { update_sizes<<<blocks, usual_threads, 0, stream>>>(nodes, count); });
  work.phase("balance", [&] { balance<<<blocks, usual_threads, 0, stream>>>(nodes, count, balanced); });
  const u64 found = fetch_predicted(work, predicted_copy<tree_node>{balanced, host, count},
                                    [](const tree_node& root) { return root.is_valid() ? u64{root.size} : 0; });
  device_answer answer;
  answer.fetch = [=](table_rows<geometry>& rows) { write_rows(host, found, rows); };
  return answer;
}

device_answer tree_merge(const device_task& work) {
  device_task labelling = work;
  if (labelling.labels == nullptr) labelling.labels = work.memory.take<u32>(work.image.size(), "the labels");
  device_answer answer = playne_block(labelling);
  if (work.features) answer.fetch = tree_merge_of_labels(work, labelling.labels).fetch;
  return answer;
}

}  // namespace skerry::published

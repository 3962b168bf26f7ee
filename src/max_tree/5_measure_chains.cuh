// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure: from what nodes have of their own to what their components have.
//
//   thread  a leaf, and the nodes below it, as long as its thread is the last to arrive at each; later a piece of a chain
//   warp    children of the node that most of its threads have come to arrive there together
//
// Reads   a row per node and array: its own pixels; parents of nodes
// Writes  the rows of components
// Needs   a word per node: for leaves 0, for others 1 and the children that have not arrived
// Method  whoever arrives joins its row to that of the parent and takes itself off; who finds that all others have arrived
//         goes on with the parent, and needs no atomics for it. With wide keys chains may be as long as the image: then a
//         thread stops after some steps. What has stopped has finished as many nodes as it took steps, so of chains that
//         are left there are few. Their nodes miss one child each. They are cut into pieces, a thread joins a piece from its
//         upper end on without what comes from above, a thread goes from piece to piece and only adds, and at last what
//         came from above joins all nodes of a piece. Sums, least and largest know no order: rows do not depend on where
//         anybody stopped.
#pragma once
#include "max_tree/node_rows.cuh"

namespace skerry::tree_stages::on_device {

struct climbed_tree {
  node_list nodes;
  node_table table;
  u32* waiting;  // the word per node
  // Of pieces, by their first nodes: where the next begins, and their last nodes; and the piece of each node that is no
  // first one. Only with wide keys.
  u32 *next = nullptr, *last = nullptr, *piece = nullptr;
};

inline constexpr u32 stopped = ~0u;  // a word of a node that is finished and has not arrived at its parent

// One of 512 nodes, as even as no image can foresee.
__device__ inline bool cuts_chains(u32 node) { return (node * 2654435761u) >> 23 == 0; }

__global__ void __launch_bounds__(node_threads) count_children_kernel(node_list nodes, u32* waiting) {
  const u32 node = this_node();
  const bool is_child = node < nodes.number() && nodes.parent[node] != node;
  const u32 parent = is_child ? nodes.parent[node] : nowhere;
  const u32 alike = __match_any_sync(~0u, parent);
  if (!is_child || __ffs(static_cast<int>(alike)) - 1 != static_cast<int>(threadIdx.x % 32)) return;
  const auto children = static_cast<u32>(__popc(alike));
  if (atomicAdd(waiting + parent, children) == 0) atomicAdd(waiting + parent, 1);
}

// Some children, joined to `row`, arrive at a node. True for the last of all: then the row is the node's.
__device__ inline bool arrive(const climbed_tree& tree, u32 node, u32 children, node_row& row) {
  const atomic_ref<u32, sharing::device> waiting(tree.waiting[node]);
  if (waiting.load(relaxed) == children + 1) {
    __threadfence();  // what the others have joined before they took themselves off
    tree.table.join_from(node, row);
    tree.table.write(node, row);
    waiting.store(1, relaxed);
    return true;
  }
  tree.table.join_to(node, row);
  __threadfence();
  if (atomicSub(tree.waiting + node, children) != children + 1) return false;
  __threadfence();
  tree.table.read(node, row);
  return true;
}

// Threads that have come to the same parent, if they are many: the first gets the rows of all, and their number; others
// get 0. By all threads of the warp.
__device__ inline u32 gather(const node_table& table, u32 parent, node_row& row) {
  constexpr u32 many = 8;
  const u32 alike = __match_any_sync(~0u, parent);
  const auto votes = parent == nowhere ? 0u : static_cast<u32>(__popc(alike));
  const u32 most = __reduce_max_sync(~0u, votes);
  if (most < many) return 1;
  const u32 first = static_cast<u32>(__ffs(static_cast<int>(__ballot_sync(~0u, votes == most)))) - 1;
  const u32 common = __shfl_sync(~0u, parent, static_cast<int>(first));
  const bool takes_part = parent == common, leads = threadIdx.x % 32 == first;
  table.each(row, [&]<class Row>(const auto*, Row& part) {
    Row joined = takes_part ? part : Row{};
    for (int step = 16; step > 0; step /= 2) join(joined, shuffled_across(joined, step), join_alone());
    if (leads) part = joined;
  });
  return leads ? most : takes_part ? 0 : 1;
}

__global__ void __launch_bounds__(node_threads) climb_kernel(climbed_tree tree, u32 most_steps) {
  u32 node = this_node();
  node_row row;
  bool going = node < tree.nodes.number() && atomic_ref<u32, sharing::device>(tree.waiting[node]).load(relaxed) == 0;
  if (going) tree.table.read(node, row);
  for (u32 step = 0; __any_sync(~0u, going); ++step) {
    const u32 parent = going ? tree.nodes.parent[node] : nowhere;
    if (parent == node) going = false;  // the root
    if (going && step == most_steps) {
      atomic_ref<u32, sharing::device>(tree.waiting[node]).store(stopped, relaxed);
      going = false;
    }
    const u32 children = gather(tree.table, going ? parent : nowhere, row);
    if (!going) continue;
    going = children != 0 && arrive(tree, parent, children, row);
    node = parent;
  }
}

// ---- chains that are left -------------------------------------------------------------------------------------------

// A piece begins where a thread has stopped, where several chains meet, and here and there.
__device__ inline bool begins_piece(const climbed_tree& tree, u32 node) {
  const u32 waiting = tree.waiting[node];
  return waiting >= 3 || (waiting == 2 && cuts_chains(node));
}

// Rows of a piece, but for its first node: joined from there on.
__global__ void __launch_bounds__(node_threads) join_pieces_kernel(climbed_tree tree) {
  const u32 first = this_node();
  if (first >= tree.nodes.number() || !begins_piece(tree, first)) return;
  node_row row;
  u32 node = first, next = nowhere;
  for (u32 parent = tree.nodes.parent[node]; parent != node; parent = tree.nodes.parent[node]) {
    next = parent;
    if (begins_piece(tree, parent)) break;
    tree.table.join_from(parent, row);
    tree.table.write(parent, row);
    tree.piece[parent] = first;
    node = parent;
    next = nowhere;
  }
  tree.next[first] = next;
  tree.last[first] = node;
}

// From piece to piece: the first nodes get all that is above them.
__global__ void __launch_bounds__(node_threads) climb_pieces_kernel(climbed_tree tree) {
  u32 first = this_node();
  if (first >= tree.nodes.number() || atomic_ref<u32, sharing::device>(tree.waiting[first]).load(relaxed) != stopped)
    return;
  node_row row;
  tree.table.read(first, row);
  do {
    const u32 last = tree.last[first];
    if (last != first) tree.table.join_from(last, row);
    first = tree.next[first];
  } while (first != nowhere && arrive(tree, first, 1, row));
}

__global__ void __launch_bounds__(node_threads) finish_pieces_kernel(climbed_tree tree) {
  const u32 node = this_node();
  if (node >= tree.nodes.number() || tree.piece[node] == nowhere) return;
  node_row row;
  tree.table.read(tree.piece[node], row);
  tree.table.join_from(node, row);
  tree.table.write(node, row);
}

// Joins all rows to those below. `cut` when chains can be long.
inline cudaError_t launch_climb(const climbed_tree& tree, bool cut, cudaStream_t stream) {
  constexpr u32 steps_of_wide = 512;
  const u32 rows = tree.nodes.rows, blocks = node_blocks(rows);
  cudaError_t result = cudaMemsetAsync(tree.waiting, 0, u64{rows} * sizeof(u32), stream);
  if (result == cudaSuccess && cut) result = cudaMemsetAsync(tree.piece, 0xff, u64{rows} * sizeof(u32), stream);
  if (result != cudaSuccess) return result;
  count_children_kernel<<<blocks, node_threads, 0, stream>>>(tree.nodes, tree.waiting);
  climb_kernel<<<blocks, node_threads, 0, stream>>>(tree, cut ? steps_of_wide : ~0u);
  if (cut) {
    join_pieces_kernel<<<blocks, node_threads, 0, stream>>>(tree);
    climb_pieces_kernel<<<blocks, node_threads, 0, stream>>>(tree);
    finish_pieces_kernel<<<blocks, node_threads, 0, stream>>>(tree);
  }
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure: from what nodes have of their own to what their components have.
//
//   thread  a leaf, and the nodes below it, as long as its thread is the last to arrive at each; later a piece of a chain
//   warp    children of the node that most of its threads have come to arrive there together
//
// Reads   a row per node and array: its own pixels, or what tiles have summed; parents of nodes; which nodes tiles have joined
// Writes  the rows of components
// Needs   a word per node: 0 for leaves and for nodes whose children tiles have joined, 1 for nodes that tiles have joined, for others 1 and
//         the children that have not arrived
// Method  whoever arrives joins its row to that of the parent and takes itself off; who finds that all others have arrived
//         goes on with the parent, and needs no atomics for it. With wide keys chains may be as long as the image: then a
//         thread stops after some steps. What has stopped has finished as many nodes as it took steps, so of chains that
//         are left there are few, and their nodes miss one child each but where chains meet. They are cut into pieces of
//         about 64 nodes. A thread joins a piece downwards; the pieces are nodes of a smaller tree, with which the same is
//         done; at last what a piece got from above joins all its nodes. Sums, least and largest know no order: rows do not
//         depend on where anybody stopped.
#pragma once
#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/nodes/4_number.cuh"

namespace skerry::tree_stages::on_device {

template <class Table>
struct climbed_tree {
  node_list nodes;
  Table table;
  u32* waiting = nullptr;            // the word per node
  u32* piece = nullptr;              // of each node of a chain that is left, elsewhere `nowhere`
  const node_mark* marks = nullptr;  // of tiles, or null
};

inline constexpr u32 stopped = ~0u;  // a word of a node that is finished and has not arrived at its parent

// Nodes that threads finish before they stop; and one of how many nodes cuts a chain.
inline constexpr u32 steps_before_stop = 256, nodes_of_piece = 64;

// As even as no image can foresee.
__device__ inline bool cuts_chains(u32 node) { return (node * 2654435761u) / (~0u / nodes_of_piece + 1) == 0; }

// At most: where chains begin, where they meet, and where they are cut, which is one of 64 but for a few.
inline u32 most_pieces(u32 nodes) { return nodes / nodes_of_piece + 2 * (nodes / steps_before_stop) + 256; }

// The tree whose nodes are pieces of chains of another.
template <class Table>
struct piece_tree {
  climbed_tree<Table> tree;
  Table above;                             // what comes to each piece from above
  u32 *first = nullptr, *count = nullptr;  // their first nodes, and how many there are

  piece_tree() = default;
  piece_tree(pieces& scratch, const node_groups& groups, u32 nodes_below) {
    const u32 rows = most_pieces(nodes_below);
    scratch.take(count, 1);
    scratch.take(first, rows);
    scratch.take(tree.nodes.parent, rows);
    scratch.take(tree.waiting, rows);
    scratch.take(tree.piece, rows);
    tree.table.take(scratch, groups, rows);
    above.take(scratch, groups, rows);
    tree.nodes.rows = rows;
    tree.nodes.count = count;
  }
};

// A tree, the tree of its pieces, and so on: until chains are short.
template <class Table>
struct climbed_trees {
  static constexpr u32 few_nodes = 1024;
  climbed_tree<Table> tree;
  piece_tree<Table> smaller[6];
  int levels = 0;

  void take(pieces& scratch, const node_groups& groups, u32 rows, bool cut) {
    scratch.take(tree.waiting, rows);
    if (!cut) return;
    scratch.take(tree.piece, rows);
    for (u32 nodes = rows; nodes > few_nodes && levels < 6; nodes = most_pieces(nodes))
      smaller[levels++] = piece_tree<Table>(scratch, groups, nodes);
  }
};

// Those that tiles have joined to their parents have arrived, and so have all above them.
__global__ void __launch_bounds__(node_threads)
    count_children_kernel(node_list nodes, const node_mark* marks, u32* waiting) {
  const u32 node = this_node();
  const bool there = node < nodes.number(), is_joined = there && marks != nullptr && marks[node] == node_mark::joined;
  if (is_joined) waiting[node] = 1;
  const bool is_child = there && !is_joined && nodes.parent[node] != node;
  const u32 parent = is_child ? nodes.parent[node] : nowhere;
  const u32 alike = __match_any_sync(~0u, parent);
  if (!is_child || !is_first_of(alike)) return;
  const auto children = static_cast<u32>(__popc(alike));
  if (atomicAdd(waiting + parent, children) == 0) atomicAdd(waiting + parent, 1);
}

// Some children, joined to `row`, arrive at a node. True for the last of all: then the row is the node's.
template <class Table>
__device__ bool arrive(const climbed_tree<Table>& tree, u32 node, u32 children, typename Table::row& row) {
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
template <class Table>
__device__ u32 gather(const Table& table, u32 parent, typename Table::row& row) {
  constexpr u32 many = 8;
  const u32 alike = __match_any_sync(~0u, parent);
  const auto votes = parent == nowhere ? 0u : static_cast<u32>(__popc(alike));
  const u32 most = __reduce_max_sync(~0u, votes);
  if (most < many) return 1;
  const u32 first = first_of(__ballot_sync(~0u, votes == most));
  const u32 common = __shfl_sync(~0u, parent, static_cast<int>(first));
  const bool takes_part = parent == common, leads = lane_of_thread() == first;
  table.each(row, [&]<class Row>(const auto*, Row& part) {
    Row joined = takes_part ? part : Row{};
    for (int step = 16; step > 0; step /= 2) join(joined, shuffled_across(joined, step), join_alone());
    if (leads) part = joined;
  });
  return leads ? most : takes_part ? 0 : 1;
}

template <class Table>
__global__ void __launch_bounds__(node_threads) climb_kernel(climbed_tree<Table> tree, u32 most_steps) {
  u32 node = this_node();
  typename Table::row row;
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

// A piece begins where a thread has stopped, where several chains meet, and where chains are cut.
template <class Table>
__device__ bool begins_piece(const climbed_tree<Table>& tree, u32 node) {
  const u32 waiting = tree.waiting[node];
  return waiting >= 3 || (waiting == 2 && cuts_chains(node));
}

template <class Table>
__global__ void __launch_bounds__(node_threads) find_pieces_kernel(climbed_tree<Table> tree, u32* first, u32* count) {
  const u32 node = this_node();
  const bool there = node < tree.nodes.number(), begins = there && begins_piece(tree, node);
  const u32 number = place_in_list(count, begins);
  if (begins) first[number] = node;
  if (there) tree.piece[node] = begins ? number : nowhere;
}

// Joins the nodes of each piece from the first on.
template <class Table>
__global__ void __launch_bounds__(node_threads) join_pieces_kernel(climbed_tree<Table> tree, piece_tree<Table> pieces) {
  const u32 piece = this_node();
  if (piece >= pieces.tree.nodes.number()) return;
  u32 node = pieces.first[piece], below = piece;
  typename Table::row row;
  tree.table.read(node, row);
  typename Table::row from_above = emptied(row);
  pieces.above.write(piece, from_above);
  for (u32 parent = tree.nodes.parent[node]; parent != node;) {
    const u32 after = tree.nodes.parent[parent];  // asked for with the row: one wait for both
    typename Table::row part;
    tree.table.read(parent, part);
    if (begins_piece(tree, parent)) {
      below = tree.piece[parent];
      break;
    }
    join(row, part);
    tree.table.write(parent, row);
    tree.piece[parent] = piece;
    node = parent;
    parent = after;
  }
  pieces.tree.table.write(piece, row);
  pieces.tree.nodes.parent[piece] = below;
}

template <class Table>
__global__ void __launch_bounds__(node_threads) hand_down_kernel(piece_tree<Table> pieces) {
  const u32 piece = this_node();
  if (piece >= pieces.tree.nodes.number()) return;
  const u32 below = pieces.tree.nodes.parent[piece];
  if (below == piece) return;
  typename Table::row row;
  pieces.tree.table.read(piece, row);
  pieces.above.join_to(below, row);
}

template <class Table>
__global__ void __launch_bounds__(node_threads) finish_pieces_kernel(climbed_tree<Table> tree, Table above) {
  const u32 node = this_node();
  if (node >= tree.nodes.number() || tree.piece[node] == nowhere) return;
  typename Table::row row;
  tree.table.read(node, row);
  above.join_from(tree.piece[node], row);
  tree.table.write(node, row);
}

template <class Table>
cudaError_t launch_climb(const climbed_tree<Table>& tree, u32 most_steps, cudaStream_t stream) {
  const u32 rows = tree.nodes.rows;
  const cudaError_t result = cudaMemsetAsync(tree.waiting, 0, u64{rows} * sizeof(u32), stream);
  if (result != cudaSuccess) return result;
  count_children_kernel<<<node_blocks(rows), node_threads, 0, stream>>>(tree.nodes, tree.marks, tree.waiting);
  climb_kernel<<<node_blocks(rows), node_threads, 0, stream>>>(tree, most_steps);
  return cudaGetLastError();
}

// Joins all rows to those below.
template <class Table>
cudaError_t launch_climbs(const climbed_trees<Table>& all, cudaStream_t stream) {
  const auto tree_at = [&](int level) -> const climbed_tree<Table>& {
    return level == 0 ? all.tree : all.smaller[level - 1].tree;
  };
  for (int level = 0; level < all.levels; ++level) {
    const climbed_tree<Table>& tree = tree_at(level);
    const piece_tree<Table>& pieces = all.smaller[level];
    cudaError_t result = launch_climb(tree, steps_before_stop, stream);
    if (result == cudaSuccess) result = cudaMemsetAsync(pieces.count, 0, sizeof(u32), stream);
    if (result != cudaSuccess) return result;
    find_pieces_kernel<<<node_blocks(tree.nodes.rows), node_threads, 0, stream>>>(tree, pieces.first, pieces.count);
    join_pieces_kernel<<<node_blocks(pieces.tree.nodes.rows), node_threads, 0, stream>>>(tree, pieces);
  }
  const cudaError_t result = launch_climb(tree_at(all.levels), ~0u, stream);
  if (result != cudaSuccess) return result;
  for (int level = all.levels; level-- > 0;) {
    const climbed_tree<Table>& tree = tree_at(level);
    const piece_tree<Table>& pieces = all.smaller[level];
    hand_down_kernel<<<node_blocks(pieces.tree.nodes.rows), node_threads, 0, stream>>>(pieces);
    finish_pieces_kernel<<<node_blocks(tree.nodes.rows), node_threads, 0, stream>>>(tree, pieces.above);
  }
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: joins the nodes of one strip.
//
// Reads   bits
// Writes  parent: each node to the first node of its component
// Needs   nothing but shared memory
// Method  as in stage 2: a first link by a plain store, links shortened by their own threads, one union for each
//         remaining pair of nodes that touch
#pragma once
#include "engine/cuda/cluster.cuh"
#include "label/cuda/small_frame/encode.cuh"
#include "label/cuda/tiles/solve.cuh"

namespace skerry::label_stages::on_device {

/// Nodes of one word: those that start in it have the numbers from `first` on, `entering` goes on from the left.
template <class Word>
struct frame_nodes {
  Word starts;
  u32 first, entering;
  __device__ u32 at(Word bit) const {
    const u32 count = count_bits(starts & up_to(bit));
    return count > 0 ? first + count - 1 : entering;
  }
};

/// Where the last group of the strip above touches the first one of this, or the same of any two groups that follow each
/// other: bits as in touching(), one for each pair of nodes.
template <class Shape>
__device__ typename Shape::word frame_touches(const group_word<Shape>& earlier, const group_word<Shape>& here,
                                              typename Shape::word changes) {
  constexpr int k = Shape::group_rows - 1;
  using word = typename Shape::word;
  word touch, left;
  if constexpr (Shape::axes == 1) {
    touch = earlier.row[0] & here.row[0];
    left = earlier.left[0] & here.left[0];
  } else {
    touch = earlier.widened(k) & here.widened(0);
    left = (earlier.left[k] | earlier.left[k] << 1) & (here.left[0] | here.left[0] << 1);
  }
  return first_touches<word>(touch, changes, left >> (Shape::word_bits - 1));
}

template <class Shape>
struct frame_block {
  using word = typename Shape::word;
  static constexpr int rounds = 3;
  const frame_plan& plan;
  const frame_memory<Shape>& memory;
  const u32 rank, thread, lane;  // rank: of the block in its cluster
  u32 group, column;             // of this thread's word
  bool inside;                   // whether there is such a word
  const block_words parent;
  group_word<Shape> here{};
  frame_nodes<word> own{}, above{};
  word open[1] = {};  // touching pixels whose nodes are not yet joined
  word unlinked = 0;  // starts of the nodes without a first link

  __device__ frame_block(const frame_plan& p, const frame_memory<Shape>& m)
      : plan(p), memory(m), rank(blockIdx.x), thread(threadIdx.x), lane(threadIdx.x % 32), parent{m.parent} {
    group = plan.by_columns.quotient(thread);
    column = thread - group * plan.columns;
    inside = group < plan.groups;
  }

  __device__ word* bits_of_own() const { return memory.bits + group * Shape::group_rows * plan.columns + column; }
  __device__ u32 number_of(u32 in_group, u32 in_column) const {
    return (in_group * plan.columns + in_column) * Shape::nodes_of_word;
  }

  /// Whether a node reaches the last pixel before this word. It goes on into the word or touches its first pixel's
  /// neighbours, so it is asked for either way.
  __device__ static bool ends_before(const group_word<Shape>& g) {
    return (g.left[0] | g.left[Shape::group_rows - 1]) >> (Shape::word_bits - 1);
  }

  /// The node that reaches the last pixel before the word of each lane where `wanted`; all lanes of the warp come here together.
  /// It started in the words of lanes before or, if `with` is 0, in words of earlier warps, and then all lanes from lane 0
  /// on lie in one row.
  __device__ u32 entering_node(word starts, u32 first, bool wanted, u32 in_group) const {
    const u32 with = __ballot_sync(~0u, starts != 0) & ((1u << lane) - 1);
    u32 node = __shfl_sync(~0u, first + count_bits(starts) - 1, with ? 31 - __clz(with) : 0);
    if (!plan.rows_end_in_warps && __any_sync(~0u, wanted && with == 0)) {
      const u32 row = __shfl_sync(~0u, in_group, 0);
      for (i32 end = static_cast<i32>(__shfl_sync(~0u, column, 0)); end > 0; end -= 32) {
        const i32 at = end - 1 - static_cast<i32>(lane);
        const word before = at < 0 ? 0 : frame_word<Shape>(memory.bits, plan.columns, row, at).starts();
        const u32 found = __ballot_sync(~0u, before != 0);
        if (found == 0) continue;
        const u32 last = at < 0 ? 0 : number_of(row, at) + count_bits(before) - 1;
        const u32 from_earlier = __shfl_sync(~0u, last, __ffs(found) - 1);
        if (with == 0) node = from_earlier;
        break;
      }
    }
    return node;
  }

  /// Gives each node of this thread's word its first link: to a node that it touches, or to itself.
  __device__ void link() {
    if (inside) here = frame_word<Shape>(memory.bits, plan.columns, group, column);
    group_word<Shape> earlier{};
    if (inside && group > 0) earlier = frame_word<Shape>(memory.bits, plan.columns, group - 1, column);
    own.starts = here.starts();
    own.first = thread * Shape::nodes_of_word;
    own.entering = entering_node(own.starts, own.first, ends_before(here), group);
    above.starts = earlier.starts();
    above.first = (thread - plan.columns) * Shape::nodes_of_word;
    above.entering = entering_node(above.starts, above.first, ends_before(earlier), group - 1);
    open[0] = frame_touches<Shape>(earlier, here, own.starts | above.starts);
    unlinked = first_links(
        runs_of_word<word>{own.starts, own.first}, open, [&](int, word bit) { return above.at(bit); },
        [&](u32 node, u32 to, word) { memory.parent[node] = to; });
  }

  __device__ u32 end_of_own() const { return own.first + count_bits(own.starts); }

  /// Each link is moved by its own thread alone.
  __device__ void shorten_links() const {
    for (int round = 0; round < rounds; ++round)
      for (u32 node = own.first; node < end_of_own(); ++node) jump(parent, node);
  }

  __device__ void unite() const {
    unite_open(
        parent, open, [&](word bit) { return own.at(bit); }, [&](int, word bit) { return above.at(bit); });
  }

  /// Tells both strips what lies at their common edge. The words of the strip below are written from here.
  __device__ void show_edges() const {
    if (!inside) return;
    const auto put = [&](typename Shape::edge_word* to, word value, u32 block) {
      u32* at = reinterpret_cast<u32*>(to + column);
      cluster_word(at, block).store(static_cast<u32>(value));
      if constexpr (Shape::halves == 2) cluster_word(at + 1, block).store(static_cast<u32>(value >> 32));
    };
    if (group == 0 && rank > 0) {
      put(memory.top.starts, own.starts, rank);
      put(memory.top.row, here.row[0], rank);
      cluster_word(memory.top.entering + column, rank).store(own.entering);
    }
    if (group == plan.groups - 1 && rank + 1 < plan.blocks) {
      put(memory.above.starts, own.starts, rank + 1);
      put(memory.above.row, here.row[Shape::group_rows - 1], rank + 1);
      cluster_word(memory.above.entering + column, rank + 1).store(own.entering);
    }
  }
};

}  // namespace skerry::label_stages::on_device

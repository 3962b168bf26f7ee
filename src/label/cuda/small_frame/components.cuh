// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: from the nodes of strips to the components of the frame.
//
// Reads   parent, bits, the edges of strips
// Writes  parent: the slot of each node's component; records: those of the whole frame, at roots
// Needs   three barriers of the cluster: slots known; unions and sums done; sums joined at roots
// Method  pieces are joined by atomics in shared memory, those of one component in a warp by the warp first. Components of
//         neighbouring strips are united in each other's shared memory
#pragma once
#include "label/cuda/small_frame/records.cuh"

namespace skerry::label_stages::on_device {

struct frame_counters {
  u32 slots, roots;  // of this block
  u32 warp_total[32];
  u32 roots_of[frame_most_blocks];  // of each block
};

template <class Shape, bool Features>
struct frame_components {
  using word = typename Shape::word;
  const frame_block<Shape>& block;
  const frame_records& records;
  frame_counters& counters;
  const u32 y, x;  // of this thread's word in the frame
  word roots = 0;  // starts of the nodes that became components

  __device__ frame_components(const frame_block<Shape>& b, const frame_records& r, frame_counters& c)
      : block(b), records(r), counters(c), y((b.rank * b.plan.groups + b.group) * Shape::group_rows),
        x(b.column * Shape::word_bits) {}

  /// Pixels from a start in this thread's word up to the next.
  __device__ word reach_of(word start) const { return span<word>(start, block.own.starts & ~up_to(start)); }

  /// Gives slots to the nodes that are roots in this strip. The first ones were cleared at the beginning.
  __device__ void begin() {
    for (word rest = block.unlinked; rest != 0; rest &= rest - 1) {
      const word bit = rest & -rest;
      const u32 node = block.own.at(bit);
      if (block.parent.load(node) == node) roots |= bit;
    }
    if (!__any_sync(~0u, roots != 0)) return;
    const u32 count = count_bits(roots);
    const bool few = !__any_sync(~0u, count > 1);
    const u32 sum = few ? __popc(__ballot_sync(~0u, count > 0) & (2u << block.lane) - 1) : sum_up_to_thread(count);
    u32 slot = 0;
    if (block.lane == 31) slot = atomicAdd(&counters.slots, sum);
    slot = __shfl_sync(~0u, slot, 31) + sum - count;
    for (word rest = roots; rest != 0; rest &= rest - 1, ++slot) {
      const word bit = rest & -rest;
      if (slot >= block.plan.threads) records.clear(slot);
      block.parent.store(block.own.at(bit), is_component | slot);
    }
  }

  /// Links each other node to the first node of its component, or to its slot if that is there already. A link is only
  /// moved by its own thread, so the last move stays; but everyone's moves shorten everyone's way.
  __device__ void flatten() const {
    // One loop over nodes and links together: lanes whose nodes are near their roots need not wait for each other lane's
    // farthest node.
    word rest = block.own.starts & ~roots;
    u32 node = 0, link = 0;
    const auto next_node = [&] {
      node = block.own.at(rest & -rest);
      link = block.parent.load(node);
    };
    if (rest != 0) next_node();
    while (rest != 0) {
      const u32 above = block.parent.load(link);
      if (above != link) block.parent.store(node, above);
      if (above == link || (above & is_component)) {
        rest &= rest - 1;
        if (rest != 0) next_node();
      } else {
        link = above;
      }
    }
  }

  /// The slot of a node of this strip, when slots are known.
  __device__ u32 slot_of(u32 node) const {
    u32 link = block.parent.load(node);
    if (!(link & is_component)) link = block.parent.load(link);
    return link & 0xffff;
  }

  /// Joins the pieces of this thread's word.
  __device__ void sum_pieces() const {
    const word entering = block.here.any() & ~block.own.starts & 1;
    each_bit_together(block.own.starts | entering, [&](bool active, word bit) {
      u32 slot = 0;
      frame_record p{};
      if (active) {
        const u32 node = block.own.at(bit);
        slot = slot_of(node);
        p = measure_frame_piece<Shape>(block.here, y, x, reach_of(bit));
        if (!(bit & entering)) block.parent.store(node, is_component | slot);
      }
      join_by_place(
          part_on_its_way<frame_record>{active, slot, p}, 8,
          [](frame_record& a, const frame_record& b, auto with) { join<Features>(a, b, with); },
          [&](u32 to, const frame_record& part) { records.join<Features>(to, part); });
    });
  }

  /// Unites the components of this strip and the one above that touch. Several threads share a word, because pairs cost
  /// several trips to another block each.
  __device__ void unite_across() const {
    constexpr u32 share = 8;
    const frame_edge<Shape>&from = block.memory.above, &to = block.memory.top;
    const u32 columns = block.plan.columns, last_group = (block.plan.groups - 1) * columns;
    if (block.rank == 0) return;
    for (u32 k = block.thread; k < columns * share; k += block.plan.threads) {
      const u32 column = k / share;
      group_word<Shape> earlier{}, here{};
      earlier.row[Shape::group_rows - 1] = from.row[column];
      here.row[0] = to.row[column];
      if (column > 0) earlier.left[Shape::group_rows - 1] = from.row[column - 1], here.left[0] = to.row[column - 1];
      const frame_nodes<word> above{static_cast<word>(from.starts[column]),
                                    (last_group + column) * Shape::nodes_of_word, from.entering[column]};
      const frame_nodes<word> below{static_cast<word>(to.starts[column]), column * Shape::nodes_of_word,
                                    to.entering[column]};
      u32 pair = 0;
      for (word rest = frame_touches<Shape>(earlier, here, above.starts | below.starts); rest != 0; rest &= rest - 1) {
        if (pair++ % share != k % share) continue;
        const word bit = rest & -rest;
        unite_by_splicing(records, slot_above(above.at(bit)), block.rank << 16 | slot_of(below.at(bit)));
      }
    }
  }

  /// Sends what this strip knows of components that are rooted elsewhere to the roots, and counts the roots.
  __device__ void join_across() const {
    const u32 slots = counters.slots;
    u32 count = 0;
    for (u32 slot = block.thread; slot < slots; slot += block.plan.threads) {
      const u32 self = records.name_of(slot), link = records.load(self);
      count += link == self;
      if (link == self) continue;
      const u32 root = find_root<shortening::none>(records, link);
      if (root != link) records.store(self, root);
      records.join_from_anywhere<Features>(root, records.get(slot));
    }
    count = __reduce_add_sync(~0u, count);
    if (block.lane == 0 && count != 0) atomicAdd(&counters.roots, count);
  }

  /// Tells every block how many components are rooted here.
  __device__ void show_roots() const {
    if (block.plan.blocks == 1) {
      if (block.thread == 0) counters.roots_of[0] = counters.slots;
    } else if (block.thread < block.plan.blocks)
      cluster_word(&counters.roots_of[block.rank], block.thread).store(counters.roots);
  }

 private:
  __device__ u32 slot_above(u32 node) const {
    const u32 strip = block.rank - 1;
    u32 link = cluster_word(block.memory.parent + node, strip).load();
    if (!(link & is_component)) link = cluster_word(block.memory.parent + link, strip).load();
    return strip << 16 | (link & 0xffff);
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// What a tile adds to nodes of other tiles: a table in shared memory, so that the tile adds to each node once. Many tiles add to the
// same nodes, and additions to one word wait for each other.
#pragma once
#include "engine/cuda/shared_words.cuh"
#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

// Pixels and children in the halves of a word: a tile has at most 4096 of each.
struct some_pixels {
  static constexpr u32 one_child = 1 << 16;
  u32 word;
  __device__ u32 pixels() const { return word % one_child; }
  __device__ u32 children() const { return word / one_child; }
};

// A hash table from nodes to slots: open addressing, at most eight looks.
template <u32 Bits>
class far_slots {
 public:
  static constexpr u32 slots = 1 << Bits;

  // By all threads; a barrier must follow.
  __device__ void clear() {
    for (u32 slot = threadIdx.x; slot < slots; slot += tile_threads) nodes_[slot] = nowhere;
  }
  // nowhere if there is no room.
  __device__ u32 slot_of(u32 node) {
    u32 slot = node * 0x9e3779b9u >> (32 - Bits);  // Fibonacci hashing
    for (u32 tries = 0; tries < most_tries; ++tries, slot = (slot + 1) % slots) {
      u32 seen = block_words{nodes_}.load(slot);
      if (seen == nowhere) {
        seen = atomicCAS(nodes_ + slot, nowhere, node);
        if (seen == nowhere) seen = node;
      }
      if (seen == node) return slot;
    }
    return nowhere;
  }
  // Of slots that are taken, behind a barrier; `nowhere` of others.
  __device__ u32 node(u32 slot) const { return nodes_[slot]; }

 private:
  static constexpr u32 most_tries = 8;
  u32 nodes_[slots];
};

class far_nodes : public far_slots<10> {
 public:
  // By all threads; a barrier must follow.
  __device__ void clear() {
    far_slots::clear();
    for (u32 slot = threadIdx.x; slot < slots; slot += tile_threads) counts_[slot] = 0;
  }
  // False where there is no room.
  __device__ bool add(u32 node, u32 count) {
    const u32 slot = slot_of(node);
    if (slot != nowhere) atomicAdd(counts_ + slot, count);
    return slot != nowhere;
  }
  __device__ some_pixels count(u32 slot) const { return {counts_[slot]}; }

 private:
  u32 counts_[slots];
};

}  // namespace skerry::tree_stages::on_device

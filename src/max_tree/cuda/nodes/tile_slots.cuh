// SPDX-License-Identifier: Apache-2.0
// Nodes that a tile has a part of, in slots in shared memory: what the tile has of each, and how they hang together.
#pragma once
#include <cstring>

#include "max_tree/cuda/hooks/chains_of_tile.cuh"
#include "max_tree/cuda/hooks/far_nodes.cuh"
#include "max_tree/cuda/nodes/tile_part.cuh"

namespace skerry::tree_stages::on_device {

// Rows of a warp's threads on their way to memory, so that the warp writes words that follow each other.
struct rows_on_their_way {
  static constexpr u32 at_once = 8, most_words = 13;
  u64 words[tile_threads / 32][at_once * most_words];

  // Writes the row of each thread to that of its node; threads of `nowhere` write nothing. By whole warps.
  template <class Row>
  __device__ void write(Row* to, u32 node, const Row& row) {
    constexpr u32 size = sizeof(Row) / 8, pitch = size | 1;  // odd: threads have banks of their own
    static_assert(sizeof(Row) % 8 == 0 && pitch <= most_words);
    const u32 lane = lane_of_thread();
    u64* const of_warp = words[threadIdx.x / 32];
    u64 own[size];
    memcpy(own, &row, sizeof row);
#pragma unroll
    for (u32 first = 0; first < 32; first += at_once) {
      if (lane / at_once == first / at_once) {
#pragma unroll
        for (u32 k = 0; k < size; ++k) of_warp[lane % at_once * pitch + k] = own[k];
      }
      __syncwarp();
#pragma unroll
      for (u32 k = 0; k < at_once * size; k += 32) {
        const u32 item = (k + lane) % (at_once * size), from = item / size, word = item % size;
        const u32 of_row = __shfl_sync(~0u, node, static_cast<int>(first + from));
        if (k + lane < at_once * size && of_row != nowhere)
          reinterpret_cast<u64*>(to + of_row)[word] = of_warp[from * pitch + word];
      }
      __syncwarp();
    }
  }
};

// Slots: first those of nodes whose first pixels the tile has, then those of others. A tile with more nodes than that takes several
// rounds, each with nodes of its own; those of others stay.
template <int Rank>
struct tile_slots {
  using part = tile_part<Rank>;
  static constexpr u32 own_slots = 800, far_bits = 7;  // three tiles fit 228 KB of shared memory
  static constexpr u32 slots = own_slots + far_slots<far_bits>::slots;
  static constexpr u32 no_slot = 0xffff, one_child = 1 << 16, never_arrive = one_child << 15;
  static_assert(own_slots % 32 == 0);

  u32 parts[part::words][slots];
  u32 links[slots];  // the slot of the node below, if it has one; above it children that have not arrived
  u32 leaves[own_slots / 32];
  u32 node_of_slot[own_slots];
  u16 place_of_slot[own_slots];
  u8 key_of_slot[own_slots];
  bool is_shared_slot[own_slots];
  u16 number_of_place[tile_pixels];  // of first pixels: which node of the tile it is
  u16 joining[own_slots];            // slots that join to rows
  far_slots<far_bits> far;
  // Nodes of the tile, the first of this round; the next slot to climb from; slots that join rows.
  u32 nodes, first_node, next, joins;
  rows_on_their_way rows;

  [[nodiscard]] static __device__ bool is_own(u32 slot) { return slot < own_slots; }
  [[nodiscard]] __device__ u32 used() const { return min(nodes - first_node, own_slots); }
  // Of a node of the tile in this round; otherwise nowhere.
  [[nodiscard]] __device__ u32 own_slot(int place) const {
    const u32 slot = number_of_place[place] - first_node;
    return slot < used() ? slot : nowhere;
  }
  // Of a slot of another tile's node that is not taken: nowhere.
  [[nodiscard]] __device__ u32 node(u32 slot) const {
    if (!is_own(slot)) return far.node(slot - own_slots);
    return node_of_slot[slot];
  }
  [[nodiscard]] __device__ u32 link(u32 slot) const { return block_words{const_cast<u32*>(links)}.load(slot); }
  [[nodiscard]] __device__ u32 below(u32 slot) const { return link(slot) % one_child; }
  [[nodiscard]] __device__ u32 children(u32 slot) const { return link(slot) / one_child; }
  [[nodiscard]] __device__ bool is_joined(u32 slot) const { return children(slot) == 0 && below(slot) != no_slot; }

  // By all threads; a barrier must follow.
  __device__ void clear() {
    far.clear();
    if (threadIdx.x == 0) nodes = 0;
    for (u32 slot = own_slots + threadIdx.x; slot < slots; slot += tile_threads) begin(slot, {}, never_arrive);
  }
  // By all threads, between barriers.
  __device__ void begin_round(u32 first) {
    if (threadIdx.x == 0) first_node = first, next = joins = 0;
  }
  __device__ void begin(u32 slot, const part& first, u32 children) {
#pragma unroll
    for (int k = 0; k < part::words; ++k) parts[k][slot] = first.word[k];
    links[slot] = no_slot + children;
  }
  __device__ void hang(u32 slot, u32 below) {
    atomicAdd(links + below, one_child);
    atomicSub(links + slot, no_slot - below);
  }
  // A child that has no slot will not arrive here.
  __device__ void keep_open(u32 slot) { atomicAdd(links + slot, one_child); }
  // nowhere if there is no room.
  [[nodiscard]] __device__ u32 slot_of_far(u32 node) {
    const u32 slot = far.slot_of(node);
    return slot == nowhere ? nowhere : own_slots + slot;
  }

  // `wanted` has a bit for each word.
  [[nodiscard]] __device__ part read(u32 slot, u32 wanted) const {
    part own{};
#pragma unroll
    for (int k = 0; k < part::words; ++k)
      if ((wanted >> k & 1) != 0) own.word[k] = block_words{const_cast<u32*>(parts[k])}.load(slot);
    return own;
  }
  __device__ void join(u32 slot, const part& other, u32 wanted) {
#pragma unroll
    for (int k = 0; k < part::words; ++k) {
      const u32 word = other.word[k];
      if ((wanted >> k & 1) == 0 || word == 0) continue;
      if (k < part::sums) atomicAdd(&parts[k][slot], word);
      else if (k < part::sums + part::sets) atomicOr(&parts[k][slot], word);
      else atomicMax(&parts[k][slot], word);
    }
  }
  // Of pixels that all have this level.
  __device__ void add_greys(u32 slot, u32 level) {
    part own{};
    own.word[part::pixels_x] = parts[part::pixels_x][slot];
    own.add_greys(level);
    parts[part::grey][slot] = own.word[part::grey];
    parts[part::squares][slot] = own.word[part::squares];
  }

  // By all threads, between barriers.
  __device__ void find_leaves() {
    const u32 some = used();
    for (u32 slot = threadIdx.x; slot < own_slots; slot += tile_threads) {
      const u32 word = __ballot_sync(~0u, slot < some && children(slot) == 0);
      if (lane_of_thread() == 0) leaves[slot / 32] = word;
    }
  }
  // From leaves down, through closed nodes. By whole warps, between barriers.
  __device__ void climb(u32 wanted) {
    u32 slot = 0;
    follow_chains(
        &next, used(),
        [&](u32 number) {
          slot = number;
          return (leaves[number / 32] >> number % 32 & 1) != 0;
        },
        [&] {
          const u32 to = below(slot);
          if (to == no_slot) return false;
          join(to, read(slot, wanted), wanted);
          __threadfence_block();
          slot = to;
          const bool is_last = atomicSub(links + to, one_child) / one_child == 1;
          __threadfence_block();
          return is_last;
        });
  }
  // By whole warps.
  __device__ void add_joining(bool joins_rows, u32 slot) {
    const u32 place = place_in_list(&joins, joins_rows);
    if (joins_rows) joining[place] = static_cast<u16>(slot);
  }
};

// Of compute capability 9.0, three at once; of 8.6, 8.9 and 12.0, one.
static_assert(3 * (sizeof(tile_slots<3>) + 1024) <= 228 * 1024 && sizeof(tile_slots<3>) <= 99 * 1024);

}  // namespace skerry::tree_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// What the pixels of one tile add to rows, in shared memory: sums of 32 bits with coordinates relative to the tile.
//
//   warp   threads whose pieces belong to one row join them first
//   block  a hash table of rows; a row that finds no slot goes to device memory directly
#pragma once
#include "core/intensity.hpp"
#include "engine/cuda/join_rows.cuh"
#include "engine/cuda/shared_words.cuh"
#include "engine/cuda/warp.cuh"
#include "regions/cuda/numbers.cuh"

namespace skerry::regions::on_device {

// The words of a part of a row. Geometry alone needs the first of them, and what follows depends on the kernel: patterns, or all
// the others.
namespace word {
enum : u32 {
  area,
  sum_x,
  sum_y,
  min_x,
  max_x,
  min_y,
  max_y,
  words_of_geometry,
  xx = words_of_geometry,
  xy,
  yy,
  sum_0,
  sum_1,  // of intensities: digits of 24 bits, so that those of 256 patches fit
  square_0,
  square_1,
  square_2,
  least,
  most,  // intensities, moved so that the least of their type is 0
  words_of_all,
  joins_slanted = words_of_geometry,  // of patterns: two counts in a word; others lie above the sums of geometry
  side_diagonal,
  words_of_patterns  // sums, as the words of all in their places
};
}

inline constexpr u32 digit_of_sum = 24;

enum class how_to_join { sum, least, most };

__device__ constexpr how_to_join how(u32 of) {
  switch (of) {
    case word::min_x:
    case word::min_y:
    case word::least: return how_to_join::least;
    case word::max_x:
    case word::max_y:
    case word::most: return how_to_join::most;
    default: return how_to_join::sum;
  }
}

static_assert(word::words_of_patterns <= word::least, "patterns are sums");

// What joins to anything.
__device__ constexpr u32 nothing_of(u32 of) { return how(of) == how_to_join::least ? ~0u : 0; }

template <u32 Words>
struct tile_part {
  u32 words[Words];

  __device__ tile_part() {
#pragma unroll
    for (u32 k = 0; k < Words; ++k) words[k] = nothing_of(k);
  }
};

// The parts of these threads of a warp, in each of them.
template <u32 Words>
__device__ tile_part<Words> joined_in_warp(u32 threads, const tile_part<Words>& own) {
  tile_part<Words> all;
#pragma unroll
  for (u32 k = 0; k < Words; ++k) switch (how(k)) {
      case how_to_join::sum: all.words[k] = __reduce_add_sync(threads, own.words[k]); break;
      case how_to_join::least: all.words[k] = __reduce_min_sync(threads, own.words[k]); break;
      case how_to_join::most: all.words[k] = __reduce_max_sync(threads, own.words[k]); break;
    }
  return all;
}

template <u32 Words>
struct block_table {
  static constexpr u32 slot_bits = 9, slots = 1 << slot_bits, most_probes = 8;
  u32 rows[slots];
  u32 words[Words][slots];

  // By all threads of a block; a barrier follows.
  __device__ void clear() {
    for (u32 slot = threadIdx.x; slot < slots; slot += tile_threads) clear_slot(slot);
  }
  // False when the row finds no slot.
  [[nodiscard]] __device__ bool join(u32 row, const tile_part<Words>& part) {
    const u32 slot = slot_of(row);
    if (slot == slots) return false;
#pragma unroll
    for (u32 k = 0; k < Words; ++k) {
      if (part.words[k] == nothing_of(k)) continue;
      switch (how(k)) {
        case how_to_join::sum: atomicAdd(&words[k][slot], part.words[k]); break;
        case how_to_join::least: atomicMin(&words[k][slot], part.words[k]); break;
        case how_to_join::most: atomicMax(&words[k][slot], part.words[k]); break;
      }
    }
    return true;
  }
  // By all threads, between barriers: calls write(row, part) for each row, and clears the table.
  template <class Write>
  __device__ void empty(Write write) {
    for (u32 slot = threadIdx.x; slot < slots; slot += tile_threads) {
      const u32 row = rows[slot];
      if (row == no_row) continue;
      tile_part<Words> part;
#pragma unroll
      for (u32 k = 0; k < Words; ++k) part.words[k] = words[k][slot];
      clear_slot(slot);
      write(row, part);
    }
  }

 private:
  __device__ void clear_slot(u32 slot) {
    rows[slot] = no_row;
#pragma unroll
    for (u32 k = 0; k < Words; ++k) words[k][slot] = nothing_of(k);
  }
  [[nodiscard]] __device__ u32 slot_of(u32 row) {
    const block_words taken{rows};
    u32 slot = row * 0x9e3779b1u >> (32 - slot_bits);
    for (u32 probe = 0; probe < most_probes; ++probe, slot = (slot + 1) % slots) {
      u32 seen = taken.load(slot);
      if (seen == no_row) seen = taken.exchange_if(slot, no_row, row);
      if (seen == no_row || seen == row) return slot;
    }
    return slots;
  }
};

// Joins the part of each thread to its row, or nothing where that is no_row: by whole warps. Rows of several threads are joined in
// the warp, one row after the other.
template <u32 Words, class Write>
__device__ void join_by_warp(block_table<Words>& table, u32 row, const tile_part<Words>& own, Write write) {
  constexpr int most_rounds = 4, least_threads = 3;
  const auto join = [&](u32 to, const tile_part<Words>& part) {
    if (!table.join(to, part)) write(to, part);
  };
  u32 left = __ballot_sync(~0u, row != no_row);
  for (int round = 0; round < most_rounds && left != 0; ++round) {
    const u32 first = first_of(left);
    const u32 chosen = __shfl_sync(~0u, row, first), threads = __ballot_sync(~0u, row == chosen);
    left &= ~threads;
    if (__popc(threads) < least_threads) continue;
    if (row == chosen) {
      const tile_part<Words> all = joined_in_warp(threads, own);
      if (lane_of_thread() == first) join(row, all);
      row = no_row;
    }
    __syncwarp();
  }
  if (row != no_row) join(row, own);
  __syncwarp();
}

}  // namespace skerry::regions::on_device

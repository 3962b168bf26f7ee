// SPDX-License-Identifier: Apache-2.0
// One digit of a stable sort (radix_sort.cuh).
//
//   block   a tile of items
//   warp    a piece of it, 32 items at a time
//   thread  items; one of the first 256 also a digit
//
// Reads   items of a source: a key and a value of 32 bits each, fewer than 2^31
// Writes  the items to a sink, in the order of a digit of their keys, and those alike in the order they had
// Needs   how many items have each digit; sums of tiles, 0
// Method  [Adinets2022]. Blocks take tiles in turn. A block counts its digits and tells other blocks: how many it has, and, as
//         soon as these are known, how many it and all tiles before have. So it waits only for tiles that have been taken
//         by then. In shared memory items are put in order, and leave in pieces that follow each other.
#pragma once
#include "engine/cuda/shared_words.cuh"
#include "engine/cuda/warp.cuh"

namespace skerry {

inline constexpr u32 digit_bits = 8, digit_values = 1 << digit_bits;

// Two blocks on a processor: three of smaller tiles write more, and shorter, pieces at the same time, and are slower.
inline constexpr u32 sort_threads = 384, sort_items = 20, sort_blocks = 2, sort_warps = sort_threads / 32;
inline constexpr u32 sort_tile = sort_threads * sort_items;
static_assert(sort_threads >= digit_values, "a thread for each digit");

inline u32 sort_tiles(u32 items) { return (items - 1) / sort_tile + 1; }

// What one digit needs.
struct sort_pass {
  u32 items, shift;
  const u32* counts;  // of all items with each digit
  u32* ticket;        // the next tile; 0 at the beginning
  u32* sums;          // 256 words for each tile, 0 at the beginning
  u32* next_sums;     // those of the next digit, which are cleared; or null
};

// ---- the items of a warp that are alike -------------------------------------------------------------------------------

// Votes, since __match_any_sync() takes longer the more digits there are.
__device__ inline u32 lanes_alike(u32 digit) {
  u32 alike = ~0u;
#pragma unroll
  for (u32 bit = 1; bit < digit_values; bit *= 2) {
    u32 same;  // in this bit. Of the same in C++ the compiler makes twice as many instructions
    asm volatile(
        "{ .reg .pred is_set; .reg .b32 own;\n"
        "  and.b32 own, %1, %2;\n"
        "  setp.ne.u32 is_set, own, 0;\n"
        "  vote.sync.ballot.b32 %0, is_set, 0xffffffff;\n"
        "  @!is_set not.b32 %0, %0; }"
        : "=r"(same)
        : "r"(digit), "r"(bit));
    alike &= same;
  }
  return alike;
}

// ---- sums over tiles -----------------------------------------------------------------------------------------------

// A word for each tile and digit: 0 is nothing yet; then 1 more than the tile has; then, with the highest bit, what it has and all
// before. Items are fewer than 2^31.
inline constexpr u32 with_all_before = u32{1} << 31, tiles_at_once = 4;

__device__ inline u32 sum_of_tiles_before(const device_words& sums, u32 tile, u32 digit) {
  u32 sum = 0;
  for (bool found = tile == 0; !found;) {
    u32 words[tiles_at_once];
#pragma unroll
    for (u32 j = 0; j < tiles_at_once; ++j)
      words[j] = tile > j ? sums.load((tile - 1 - j) * digit_values + digit) : with_all_before;
    bool known = true;
#pragma unroll
    for (u32 j = 0; j < tiles_at_once; ++j) {
      known = known && words[j] != 0;
      if (!known || found) continue;
      found = words[j] >= with_all_before;
      sum += found ? words[j] - with_all_before : words[j] - 1;
      --tile;
    }
  }
  __syncwarp();
  return sum;
}

// ---- one pass -----------------------------------------------------------------------------------------------------

struct sort_memory {
  u32 keys[sort_tile], values[sort_tile];
  u32 counts[sort_warps][digit_values];  // of each warp; then where its items of a digit begin in the tile
  u32 places[digit_values];              // of items in memory, less those in the tile
  u64 sums_of_warps[digit_values / 32];
  u32 tile;
};

// Sums over the first 256 threads of a block, of the threads before. By all threads.
__device__ inline u64 sum_of_threads_before(u64 own, u64* sums_of_warps) {
  const u32 lane = lane_of_thread(), warp = threadIdx.x / 32;
  u64 sum = sum_up_to_thread(own);
  if (lane == 31 && warp < digit_values / 32) sums_of_warps[warp] = sum;
  __syncthreads();
#pragma unroll
  for (u32 w = 0; w < digit_values / 32; ++w)
    if (w < warp) sum += sums_of_warps[w];
  return sum - own;
}

__device__ inline void rank_in_warp(const u32 (&keys)[sort_items], u32 shift, u32* counts, u32 (&ranks)[sort_items]) {
  const u32 below = (u32{1} << threadIdx.x % 32) - 1;
#pragma unroll
  for (u32 k = 0; k < sort_items; ++k) {
    const u32 digit = keys[k] >> shift & (digit_values - 1), alike = lanes_alike(digit);
    const u32 before = static_cast<u32>(__popc(alike & below)), seen = counts[digit];
    ranks[k] = digit << 16 | (seen + before);
    __syncwarp();
    if (before == 0) counts[digit] = seen + static_cast<u32>(__popc(alike));
    __syncwarp();
  }
}

// By thread t for digit t: tells other tiles, and turns counts of warps into places in the tile. What it returns is to be added to
// a place in the tile, and is without the tiles before.
__device__ inline u32 place_digits(sort_memory& memory, const sort_pass& pass, const device_words& sums, u32& own) {
  const u32 digit = threadIdx.x;
  own = 0;
  u64 both = 0;
  if (digit < digit_values) {
#pragma unroll
    for (u32 w = 0; w < sort_warps; ++w) own += memory.counts[w][digit];
    sums.store(memory.tile * digit_values + digit, memory.tile == 0 ? own + with_all_before : own + 1);
    both = u64{pass.counts[digit]} << 32 | own;
  }
  both = sum_of_threads_before(both, memory.sums_of_warps);
  if (digit < digit_values) {
    u32 begin = static_cast<u32>(both);
#pragma unroll
    for (u32 w = 0; w < sort_warps; ++w) {
      const u32 of_warp = memory.counts[w][digit];
      memory.counts[w][digit] = begin;
      begin += of_warp;
    }
  }
  return static_cast<u32>(both >> 32) - static_cast<u32>(both);
}

template <class Source, class Sink>
__global__ void __launch_bounds__(sort_threads, sort_blocks) sort_kernel(Source from, Sink to, sort_pass pass) {
  extern __shared__ __align__(16) char sort_bytes_of_block[];
  auto& memory = *reinterpret_cast<sort_memory*>(sort_bytes_of_block);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) memory.tile = atomicAdd(pass.ticket, 1);
#pragma unroll
  for (u32 i = lane; i < digit_values; i += 32) memory.counts[warp][i] = 0;
  __syncthreads();
  const u32 tile = memory.tile, first = tile * sort_tile, inside = min(sort_tile, pass.items - first);
  const u32 first_of_thread = warp * 32 * sort_items + lane;

  u32 keys[sort_items], values[sort_items], ranks[sort_items];
  if (const u64 begin = first + first_of_thread; inside == sort_tile) {
    from.read([&](u32 k) { return begin + 32 * k; }, keys, values);
  } else {
    from.read([&](u32 k) { return min(begin + 32 * k, u64{pass.items - 1}); }, keys, values);
#pragma unroll
    for (u32 k = 0; k < sort_items; ++k)
      if (first_of_thread + 32 * k >= inside) keys[k] = ~0u;  // last of all, and not written
  }
  rank_in_warp(keys, pass.shift, memory.counts[warp], ranks);
  __syncthreads();
  const device_words sums{pass.sums};
  u32 own;
  const u32 place = place_digits(memory, pass, sums, own);
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < sort_items; ++k) {
    const u32 at = (ranks[k] & 0xffff) + memory.counts[warp][ranks[k] >> 16];
    memory.keys[at] = keys[k];
    memory.values[at] = values[k];
  }
  if (threadIdx.x < digit_values) {
    const u32 before = sum_of_tiles_before(sums, tile, threadIdx.x);
    if (tile != 0) sums.store(tile * digit_values + threadIdx.x, before + own + with_all_before);
    if (pass.next_sums != nullptr) pass.next_sums[tile * digit_values + threadIdx.x] = 0;
    memory.places[threadIdx.x] = place + before;
  }
  __syncthreads();
  // An item at a time: when a thread reads several before it writes any, more is written at once, and slower.
#pragma unroll
  for (u32 k = 0; k < sort_items; ++k) {
    const u32 at = threadIdx.x + k * sort_threads, key = memory.keys[at];
    if (at < inside) to.write(memory.places[key >> pass.shift & (digit_values - 1)] + at, key, memory.values[at]);
  }
}

}  // namespace skerry

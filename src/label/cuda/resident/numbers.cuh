// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: components are numbered in raster order of their first pixels.
//
// Reads   bits at first pixels; what other tiles count
// Writes  counts of each row for other tiles; components before each 32 pixels of this one; offsets, overflow
// Needs   all components united
// Method  words of other tiles are 0 until they are written: who needs them waits for them, and for nothing else
#pragma once
#include "label/cuda/resident/block.cuh"
#include "label/cuda/small_frame/emit.cuh"

namespace skerry::label_stages::on_device {

/// Calls take(k, word) for each k in [0, count), dealt to the threads of the block, with words that other blocks will write.
template <u32 Threads, class Take>
__device__ void each_awaited(const u32* words, u32 count, const Take& take) {
  constexpr u32 at_once = 4;
  const device_words from{const_cast<u32*>(words)};
  for (u32 begin = threadIdx.x; begin < count; begin += at_once * Threads) {
    u32 word[at_once];
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) word[k] = begin + k * Threads < count ? from.load(begin + k * Threads) : 1;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      const u32 at = begin + k * Threads;
      while (word[k] == 0) word[k] = from.load(at);
      if (at < count) take(at, word[k]);
    }
  }
}

template <class Shape, class Features>
struct resident_numbers {
  static constexpr int threads = Shape::group_words;
  const resident_block<Shape, Features>& block;
  resident_memory<Shape, Features>& memory;
  const int thread;

  __device__ explicit resident_numbers(const resident_block<Shape, Features>& b)
      : block(b), memory(b.memory), thread(b.thread) {}

  /// Components of the frame before the one with a first pixel in this tile.
  __device__ u32 rank_of(u32 first) const {
    return memory.before_word[first / 32] + __popc(memory.tile.roots[first / 32] & ((1u << first % 32) - 1));
  }

  /// By the first 64 threads.
  __device__ void tell() const {
    if (thread >= tile_rows) return;
    u32 count = 0;
#pragma unroll
    for (int k = 0; k < tile_words; ++k) count += __popc(memory.tile.roots[thread * tile_words + k]);
    const u32 total = __reduce_add_sync(~0u, count);
    u32 four = (count + 1) << thread % 4 * 8;
    four |= __shfl_xor_sync(~0u, four, 1);
    four |= __shfl_xor_sync(~0u, four, 2);
    if (block.lane % 4 == 0) device_words{block.out.counts}.store(u64{block.tile} * 16 + thread / 4, four);
    if (block.lane == 0) device_words{block.out.totals}.store(u64{block.tile} * 2 + block.warp, total + 1);
  }

  /// Counts the components of the frame before each row of the tile, with barriers.
  __device__ void count_before() const {
    const u32 row_of_tiles = block.at.y * block.grid.tiles_x;
    u32 before = 0;
    each_awaited<threads>(block.out.totals, row_of_tiles * 2, [&](u32, u32 word) { before += word - 1; });
    each_awaited<threads>(block.out.counts + row_of_tiles * 16, static_cast<u32>(block.grid.tiles_x) * 16,
                          [&](u32 k, u32 word) { memory.counts[k] = word; });
    before = __reduce_add_sync(~0u, before);
    if (block.lane == 0) memory.warp_total[block.warp] = before;
    __syncthreads();
    u32 base = 0, left = 0, sum = 0;
    if (thread < tile_rows) {
      for (int k = 0; k < threads / 32; ++k) base += memory.warp_total[k];
      u32 row = 0;
      for (int x = 0; x < block.grid.tiles_x; ++x) {
        const u32 count = (memory.counts[x * 16 + thread / 4] >> thread % 4 * 8 & 255) - 1;
        row += count;
        if (x < block.at.x) left += count;
      }
      sum = sum_up_to_thread(row);
      if (thread == 31) memory.before = sum;
      base += left + sum - row;
      if (thread == tile_rows - 1) memory.all = base - left + row;
    }
    __syncthreads();
    if (thread < tile_rows) {
      base += thread >= 32 ? memory.before : 0;
#pragma unroll
      for (int k = 0; k < tile_words; ++k) {
        memory.before_word[thread * tile_words + k] = base;
        base += __popc(memory.tile.roots[thread * tile_words + k]);
      }
    }
    __syncthreads();
  }

  /// By the block of the last tile.
  __device__ void write_counts(const frame_target& to) const {
    to.write_counts(memory.all + memory.before, Features::wanted);
  }
};

}  // namespace skerry::label_stages::on_device

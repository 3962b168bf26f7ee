// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: components are numbered in raster order of their first pixels.
//
// Reads   bits at first pixels; how many each row of each tile has, and each row of tiles
// Writes  components before each 32 pixels of the tile; offsets, overflow
// Needs   all components united
// Method  tiles add what they have while others unite, and who takes a component from a set takes it from these counts, too: behind the
//         barrier they are right
#pragma once
#include "label/cuda/resident/block.cuh"
#include "label/cuda/small_frame/emit.cuh"

namespace skerry::label_stages::on_device {

template <class Shape, class Features>
struct resident_numbers {
  static constexpr int threads = Shape::group_words, warps = threads / 32, quads = tile_rows / 4 / warps;
  static_assert(quads * warps * 4 == tile_rows);
  const resident_block<Shape, Features>& block;
  resident_memory<Shape, Features>& memory;
  const int thread;

  __device__ explicit resident_numbers(const resident_block<Shape, Features>& b)
      : block(b), memory(b.memory), thread(b.thread) {}

  /// Components of the frame before the one with a first pixel in this tile.
  __device__ u32 rank_of(u32 first) const {
    return memory.before_word[first / 32] + __popc(memory.tile.roots[first / 32] & ((1u << first % 32) - 1));
  }

  /// Adds the first pixels of the tile, by its last 64 threads; the first ones unite.
  __device__ void count() const {
    const int row = thread - (threads - tile_rows);
    if (row < 0) return;
    u32 own = 0;
#pragma unroll
    for (int k = 0; k < tile_words; ++k) own += __popc(memory.tile.roots[row * tile_words + k]);
    const u32 all = __reduce_add_sync(~0u, own);
    u32 four = own << row % 4 * 8;
    four |= __shfl_xor_sync(~0u, four, 1);
    four |= __shfl_xor_sync(~0u, four, 2);
    if (block.lane % 4 == 0 && four != 0) atomicAdd(block.out.in_rows + place_of(block.at.x, row), four);
    if (block.lane == 0) block.out.in_band.add(block.at.y, all);
  }

  /// Of four rows, the counts of the tile that has the number of the lane, beside this one.
  struct row_counts {
    u32 of_four[quads];
  };
  __device__ row_counts load_rows() const {
    row_counts rows{};
    if (block.lane >= block.grid.tiles_x) return rows;
#pragma unroll
    for (int k = 0; k < quads; ++k)
      rows.of_four[k] = device_words{block.out.in_rows}.load(place_of(block.lane, row_of_quad(k)));
    return rows;
  }
  /// Counts the components in rows of tiles before, and in all; by the last warp.
  __device__ void sum_bands() const {
    if (block.warp != warps - 1) return;
    const counts_apart::sums bands = block.out.in_band.sum(block.grid.tiles_y, block.at.y);
    if (block.lane == 0) memory.bands = bands;
  }

  /// Counts the components of the frame before each 32 pixels of the tile; the last tile tells how many there are. With barriers, after
  /// sum_bands().
  __device__ void count_before(const row_counts& rows, const frame_target& to) const {
    const int lane = block.lane;
#pragma unroll
    for (int k = 0; k < quads; ++k) {
      constexpr u32 two = 0x00ff00ff;
      const u32 even = rows.of_four[k] & two, odd = rows.of_four[k] >> 8 & two;
      const bool is_left = lane < block.at.x;
      const u32 all_even = __reduce_add_sync(~0u, even), all_odd = __reduce_add_sync(~0u, odd),
                left_even = __reduce_add_sync(~0u, is_left ? even : 0),
                left_odd = __reduce_add_sync(~0u, is_left ? odd : 0);
      if (lane >= 4) continue;
      const int row = row_of_quad(k) + lane, shift = lane / 2 * 16;
      memory.in_row[row] = (lane % 2 == 0 ? all_even : all_odd) >> shift & 0xffff;
      memory.left[row] = (lane % 2 == 0 ? left_even : left_odd) >> shift & 0xffff;
    }
    __syncthreads();
    if (block.tile == block.grid.tiles - 1) to.write_counts(memory.bands.all, Features::wanted);
    if (thread < tile_rows) {
      const u32 own = memory.in_row[thread], first_half = __reduce_add_sync(~0u, memory.in_row[lane]);
      u32 base =
          memory.bands.before + memory.left[thread] + sum_up_to_thread(own) - own + (thread < 32 ? 0 : first_half);
#pragma unroll
      for (int k = 0; k < tile_words; ++k) {
        memory.before_word[thread * tile_words + k] = base;
        base += __popc(memory.tile.roots[thread * tile_words + k]);
      }
    }
    __syncthreads();
  }

 private:
  /// In the counts, of four rows of a tile beside this one.
  __device__ u32 place_of(i32 column, int row) const {
    return block.out.four_rows(block.grid, column, block.at.y * tile_rows + row);
  }
  __device__ int row_of_quad(int k) const { return (k * warps + block.warp) * 4; }
};

}  // namespace skerry::label_stages::on_device

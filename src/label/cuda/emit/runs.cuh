// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA: the runs of what is labelled, in raster order.
//
//   thread  one word of a row: the runs that start and those that end there
//   block   one tile
//   grid    first the runs of each unit are counted, then the counts are summed (resolve/number.cuh), then runs are written
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank, offset
// Writes  row, begin and label where a run starts, its end where it ends: the same place of the list
#pragma once
#include "label/cuda/measure/tile_labels.cuh"
#include "skerry/label.hpp"

namespace skerry::label_stages::on_device {

/// Starts and ends of the runs of a word that belong to labelled components.
struct run_ends {
  u32 starts = 0, ends = 0;

  /// By all threads of the block, which has looked up the labels of the tile.
  template <class Shape>
  __device__ static run_ends of(const tiling& grid, const label_tables& tables, u32 tile, tile_place at,
                                const row_word& here, const tile_labels<Shape>& labels) {
    const auto pixels = [&](i32 x, int column) {
      if (x < 0 || x >= grid.tiles_x) return u32{0};
      return tables.bits[(u64{tile} + x - at.x) * (tile_rows * tile_words) + here.row * tile_words + column];
    };
    const u32 word = here.inside(grid) ? labels.bits[threadIdx.x] : 0;
    if (word == 0) return {};
    const u32 left = here.column > 0 ? labels.bits[threadIdx.x - 1] : pixels(at.x - 1, tile_words - 1);
    const u32 right = here.column < tile_words - 1 ? labels.bits[threadIdx.x + 1] : pixels(at.x + 1, 0);
    const u32 kept = labels.labelled(here.row, here.column, word);
    return {kept & ~(word << 1 | left >> 31), kept & ~(word >> 1 | right << 31)};
  }
};

template <class Shape, class Tables>
__global__ __launch_bounds__(label_threads) void count_runs_kernel(const tiling grid, const Tables tables,
                                                                   u32* counts) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up(grid, tables, tile, at, cuda::numbering::consecutive);
  const row_word here = row_word::of_thread<Shape>(at);
  u32 count = __popc(run_ends::of<Shape>(grid, tables, tile, at, here, shared).starts);
  count += __shfl_xor_sync(~0u, count, 1);
  count += __shfl_xor_sync(~0u, count, 2);
  if (here.column == 0 && here.inside(grid)) counts[here.unit(grid, at)] = count;
}

template <class Shape, class Tables>
__global__ __launch_bounds__(label_threads) void write_runs_kernel(const tiling grid, const Tables tables,
                                                                   const u32* runs_before, labelled_run* runs,
                                                                   const u64 capacity) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up(grid, tables, tile, at, cuda::numbering::consecutive);
  const row_word here = row_word::of_thread<Shape>(at);
  const run_ends found = run_ends::of<Shape>(grid, tables, tile, at, here, shared);
  u32 before = 0;  // starts of the words to the left in this unit
#pragma unroll
  for (int step = 1; step < tile_words; ++step) {
    const u32 other = __shfl_up_sync(~0u, __popc(found.starts), step, tile_words);
    if (here.column >= step) before += other;
  }
  if (!here.inside(grid)) return;
  before += runs_before[here.unit(grid, at)];
  const i64 row = Shape::rank == 2 ? here.y : here.z * grid.height + here.y;
  for (u32 rest = found.starts; rest != 0; rest &= rest - 1) {
    const u32 bit = rest & -rest, place = before + __popc(found.starts & (bit - 1));
    if (place >= capacity) break;
    runs[place].row = row;
    runs[place].begin = static_cast<i32>(here.x) + __ffs(bit) - 1;
    runs[place].label = shared.label_at(here.row, here.column, bit);
  }
  for (u32 rest = found.ends; rest != 0; rest &= rest - 1) {
    const u32 bit = rest & -rest, place = before + __popc(found.starts & up_to(bit)) - 1;
    if (place >= capacity) break;
    runs[place].end = static_cast<i32>(here.x) + __ffs(bit);
  }
}

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA: the runs of what is labelled, in raster order.
//
//   thread  finds the runs that start in a word of a row; then has a run, whoever found it; then words of the list
//   warp    eight rows of a tile: their runs are gathered in shared memory, so that no thread waits for one that found more, and
//           neighbouring threads write neighbouring words
//   block   one tile
//   grid    first the runs of each unit are counted, then the counts are summed (resolve/number.cuh), then runs are written
//
// Reads   bits, edges, prefix, component, first, info, parent, root_bits, root_rank, offset; to count them bits and edges alone, if
//         all components are labelled
// Writes  row, begin and label where a run starts, its end where it ends: mostly by the same tile
#pragma once
#include <cstddef>

#include "engine/cuda/warp.cuh"
#include "label/cuda/measure/tile_labels.cuh"
#include "skerry/label.hpp"

namespace skerry::label_stages::on_device {

/// Runs of a row of a tile that go on in the tile to the left or to the right of it.
struct row_neighbours {
  const tiling& grid;
  const label_tables& tables;
  u32 tile;
  i32 x;  // of the tile, in tiles

  /// Whether the pixel of this row in the last column of the tile to the left is foreground.
  [[nodiscard]] __device__ u32 left(int row) const { return x > 0 ? edge(tile - 1, 1, row) : 0; }
  /// The same in the first column of the tile to the right.
  [[nodiscard]] __device__ u32 right(int row) const { return x + 1 < grid.tiles_x ? edge(tile + 1, 0, row) : 0; }

 private:
  [[nodiscard]] __device__ u32 edge(u32 of_tile, int side, int row) const {
    return tables.edge(of_tile, side, row / 8) >> row % 8 & 1;
  }
};

/// Starts of the runs of the pixels `kept` of a word, which hold all or none of each run; by a whole warp.
__device__ inline u32 run_starts(const row_neighbours& beside, const row_word& here, u32 word, u32 kept) {
  const u32 word_left = __shfl_up_sync(~0u, word, 1);
  if (kept == 0) return 0;
  const u32 left = here.column > 0 ? word_left >> 31 : beside.left(here.row);
  return kept & ~(word << 1 | left);
}

/// The column behind the run with a pixel at `column` of a row of a tile: at most tile_width.
__device__ inline int end_of_run(const u32* row, int column) {
  for (;;) {
    const u32 others = ~(row[column / 32] >> column % 32);
    column += others == 0 ? 32 : first_of(others);
    if (column % 32 != 0 || column == tile_width || (row[column / 32] & 1) == 0) return column;
  }
}

/// Some of the runs of a warp's rows, on their way to the list.
struct run_window {
  static constexpr u32 capacity = 64;
  u64 words[3 * capacity];     // as in the list; the end is 0 where another tile knows it
  u32 place[capacity];         // in the list
  u16 begin[capacity];         // row of the warp << 7 | column of the tile
  u32 shift[32 / tile_words];  // of each row: from a run's number in the warp to its place

  /// Writes `count` runs to a list. By a whole warp; words that follow each other are one store, which fills sectors.
  __device__ void write(u32 count, labelled_run* runs, u64 room) const {
    static_assert(sizeof(labelled_run) == 24 && offsetof(labelled_run, begin) == 8 &&
                  offsetof(labelled_run, label) == 16);
    for (u32 k = lane_of_thread(); k < 3 * count; k += 32) {
      const u32 run = k / 3, part = k % 3;
      if (place[run] >= room) continue;
      u64* const to = reinterpret_cast<u64*>(runs + place[run]) + part;
      const u64 word = words[k];
      if (part != 1 || word >> 32 != 0) *to = word;
      else *reinterpret_cast<u32*>(to) = static_cast<u32>(word);
    }
  }
};

template <class Shape, class Tables>
__global__ __launch_bounds__(label_threads) void count_runs_kernel(const tiling grid, const Tables tables,
                                                                   const bool all_labelled, u32* counts) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  const row_word here = row_word::of_thread<Shape>(at);
  const u32 word = here.inside(grid) ? tables.bits[u64{tile} * (tile_rows * tile_words) + threadIdx.x] : 0;
  u32 kept = word;
  if (!all_labelled) {
    shared.look_up(grid, tables, tile, at, cuda::numbering::consecutive);
    kept = shared.labelled(here.row, here.column, word);
  }
  u32 count = __popc(run_starts({grid, tables, tile, at.x}, here, word, kept));
  count += __shfl_xor_sync(~0u, count, 1);
  count += __shfl_xor_sync(~0u, count, 2);
  if (here.column == 0 && here.inside(grid)) counts[here.unit(grid, at)] = count;
}

template <class Shape, class Tables>
__global__ __launch_bounds__(label_threads) void write_runs_kernel(const tiling grid, const Tables tables,
                                                                   const bool all_labelled, const u32* runs_before,
                                                                   labelled_run* runs, const u64 capacity) {
  __shared__ tile_labels<Shape> shared;
  __shared__ run_window windows[label_threads / 32];
  const u32 tile = blockIdx.x, lane = lane_of_thread();
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up(grid, tables, tile, at, cuda::numbering::consecutive);
  const row_word here = row_word::of_thread<Shape>(at);
  const row_neighbours beside{grid, tables, tile, at.x};
  const u32 word = here.inside(grid) ? shared.bits[threadIdx.x] : 0;
  const u32 kept = all_labelled ? word : shared.labelled(here.row, here.column, word);
  const u32 starts = run_starts(beside, here, word, kept);

  const u32 own = __popc(starts), up_to_own = sum_up_to_thread(own), before = up_to_own - own;
  const u32 total = __shfl_sync(~0u, up_to_own, 31);
  run_window& window = windows[threadIdx.x / 32];
  if (here.column == 0 && here.inside(grid)) {
    const u32 place = runs_before[here.unit(grid, at)];
    window.shift[lane / tile_words] = place - before;
    if ((kept & ~starts & 1) != 0) {  // a run comes in from the tile to the left
      const int end = end_of_run(shared.bits + here.row * tile_words, 0);
      if (place - u64{1} < capacity && (end < tile_width || beside.right(here.row) == 0))
        runs[place - 1].end = static_cast<i32>(here.x) + end;
    }
  }
  const int first_row = here.row - static_cast<int>(lane / tile_words);  // of the warp
  const i64 row = (Shape::rank == 2 ? here.y : here.z * grid.height + here.y) - lane / tile_words;
  const u32 x = static_cast<u32>(at.x) * tile_width;
  for (u32 first = 0; first < total; first += run_window::capacity) {
    const u32 count = min(total - first, run_window::capacity);
    __syncwarp();
    u32 slot = before - first;
    for (u32 rest = starts; rest != 0; rest &= rest - 1, ++slot)
      if (slot < run_window::capacity)
        window.begin[slot] = static_cast<u16>(lane / tile_words * tile_width + here.column * 32 + first_of(rest));
    __syncwarp();
    for (u32 k = lane; k < count; k += 32) {
      const u32 line = window.begin[k] / tile_width;
      const int column = window.begin[k] % tile_width, row_of_tile = first_row + static_cast<int>(line);
      const int end = end_of_run(shared.bits + row_of_tile * tile_words, column);
      const bool ends = end < tile_width || beside.right(row_of_tile) == 0;
      window.place[k] = first + k + window.shift[line];
      window.words[3 * k] = static_cast<u64>(row + line);
      window.words[3 * k + 1] = (x + static_cast<u32>(column)) | u64{ends ? x + static_cast<u32>(end) : 0} << 32;
      window.words[3 * k + 2] = shared.label_at(row_of_tile, column / 32, 1u << column % 32);
    }
    __syncwarp();
    window.write(count, runs, capacity);
  }
}

}  // namespace skerry::label_stages::on_device

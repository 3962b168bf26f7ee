// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, selections: components that do not stay lose the bit of their root, and what stays is counted again.
//
//   warp    the components of a tile
//   block   successive tiles, or the digits of one frame
//   grid    the k-th largest area is found digit by digit, from the highest; of equal areas the earlier labels stay
//
// Reads   info, parent, border_features, pool, first
// Writes  root_bits
// Needs   a fixed piece of the pool for each tile, so that every component is there
#pragma once
#include "engine/cuda/pieces.cuh"
#include "label/cuda/resolve/placed_tile.cuh"
#include "label/cuda/tiles/measure.cuh"

namespace skerry::label_stages::on_device {

inline constexpr int select_threads = 256, select_tiles = 64;  // per block

struct size_rule {
  u64 min_area, max_area;
  bool clear_border;
};

/// How far the search for the k-th largest area of a frame has come.
struct area_search {
  u64 prefix;  // the area's digits that are known
  u64 left;    // how many components are kept of those that have these digits
  u32 all;     // no more than k are there: all stay
  u32 unused;
};

struct select_tables {
  u32* histogram;       // [frames][256]
  area_search* search;  // [frames]
  u32* tie_bits;        // [row][tiles_x][4] components that have the k-th largest area
  u32* tie_rank;        // [row][tiles_x]
  u64* tie_offset;      // [frames + 1]

  __host__ void lay_out(pieces& scratch, u64 frames, u64 units) {
    scratch.take(histogram, frames * 256);
    scratch.take(search, frames);
    scratch.take(tie_bits, units * tile_words);
    scratch.take(tie_rank, units);
    scratch.take(tie_offset, frames + 1);
  }
};

// ---- warp -----------------------------------------------------------------------------------------

/// Calls visit(geometry, place of the first pixel) for the components of a tile that are still there.
template <class Shape, class Visit>
__device__ void each_kept_root(const tiling& grid, const label_tables& tables, u32 tile, const Visit& visit) {
  const tile_info info = tables.info[tile];
  const tile_place at = tile_place::of(grid, tile);
  const u32 border_begin = tile * Shape::border_capacity;
  for (u32 component = threadIdx.x % 32; component < info.components; component += 32) {
    if (component < info.border && tables.parent[border_begin + component] != border_begin + component) continue;
    const auto first = pixel_place::of<Shape>(grid, at, tables.first[u64{tile} * Shape::run_capacity + component]);
    if (!is_there(grid, tables, first)) continue;
    visit(geometry_of_root<Shape>(tables, tile, at, info, component), first);
  }
}

/// Calls visit(tile) for the tiles of this block: one for each warp at a time.
template <class Visit>
__device__ void each_tile_of_block(const tiling& grid, const Visit& visit) {
  const u32 begin = blockIdx.x * select_tiles, end = min(begin + select_tiles, grid.tiles);
  for (u32 tile = begin + threadIdx.x / 32; tile < end; tile += select_threads / 32) visit(tile);
}

template <class Shape>
__device__ bool touches_border(const geometry& g, const tiling& grid) {
  const i32 last[3] = {grid.depth - 1, grid.height - 1, grid.width - 1};
  bool touches = false;
#pragma unroll
  for (int axis = 3 - Shape::rank; axis < 3; ++axis) touches |= g.min[axis] == 0 || g.max[axis] == last[axis];
  return touches;
}

// ---- grid -----------------------------------------------------------------------------------------

template <class Shape>
__global__ __launch_bounds__(select_threads) void select_by_size_kernel(const tiling grid, const label_tables tables,
                                                                        const size_rule rule) {
  each_tile_of_block(grid, [&](u32 tile) {
    each_kept_root<Shape>(grid, tables, tile, [&](const geometry& g, const pixel_place& first) {
      const bool stays =
          rule.min_area <= g.area && g.area <= rule.max_area && !(rule.clear_border && touches_border<Shape>(g, grid));
      if (!stays) drop(grid, tables, first);
    });
  });
}

__global__ inline void begin_search_kernel(area_search* search, u32 frames, u64 largest) {
  const u32 frame = blockIdx.x * select_threads + threadIdx.x;
  if (frame < frames) search[frame] = {0, largest, 0, 0};
}

/// Components of a block by the digit at `shift` of their area, of those whose higher digits are known.
struct digit_counts {
  u32 of[256];

  /// By all threads of the block; ends with a barrier.
  __device__ void clear() {
    of[threadIdx.x] = 0;
    __syncthreads();
  }
  __device__ void add(u64 area, u32 shift, u64 prefix) {
    if (area >> shift >> 8 == prefix) atomicAdd(&of[area >> shift & 255], 1u);
  }
  /// By all threads of the block; begins with a barrier.
  __device__ void add_to(u32* histogram) const {
    __syncthreads();
    if (of[threadIdx.x] != 0) atomicAdd(histogram + threadIdx.x, of[threadIdx.x]);
  }
};

template <class Shape>
__global__ __launch_bounds__(select_threads) void count_digits_kernel(const tiling grid, const label_tables tables,
                                                                      const select_tables t, const u32 shift) {
  __shared__ digit_counts counts;
  const u32 begin = blockIdx.x * select_tiles, end = min(begin + select_tiles, grid.tiles);
  const u32 tiles_of_frame = grid.tiles / frames_in<Shape>(grid);
  for (u32 next = begin; next < end;) {  // frame by frame
    const u32 frame = next / tiles_of_frame, frame_end = min(end, (frame + 1) * tiles_of_frame);
    const u64 prefix = t.search[frame].prefix;
    counts.clear();
    for (u32 tile = next + threadIdx.x / 32; tile < frame_end; tile += select_threads / 32)
      each_kept_root<Shape>(grid, tables, tile,
                            [&](const geometry& g, const pixel_place&) { counts.add(g.area, shift, prefix); });
    counts.add_to(t.histogram + u64{frame} * 256);
    __syncthreads();
    next = frame_end;
  }
}

/// One block per frame: the digit that the k-th largest area has. Clears the counts for the next digit.
__global__ __launch_bounds__(select_threads) inline void choose_digit_kernel(const select_tables t) {
  __shared__ u64 above[257];  // components whose digit is at least this
  u32* counts = t.histogram + u64{blockIdx.x} * 256;
  const u32 digit = threadIdx.x;
  above[digit] = counts[digit];
  if (digit == 0) above[256] = 0;
  __syncthreads();
  for (u32 step = 1; step < 256; step *= 2) {
    const u64 more = digit + step < 256 ? above[digit + step] : 0;
    __syncthreads();
    above[digit] += more;
    __syncthreads();
  }
  counts[digit] = 0;
  const area_search now = t.search[blockIdx.x];
  __syncthreads();
  if (above[0] < now.left) {  // only at the first digit: later ones have been seen to be enough
    if (digit == 0) t.search[blockIdx.x].all = 1;
  } else if (above[digit + 1] < now.left && now.left <= above[digit]) {
    t.search[blockIdx.x] = {now.prefix << 8 | digit, now.left - above[digit + 1], 0, 0};
  }
}

/// Drops smaller components and marks those that have the k-th largest area.
template <class Shape>
__global__ __launch_bounds__(select_threads) void drop_smaller_kernel(const tiling grid, const label_tables tables,
                                                                      const select_tables t) {
  const u32 tiles_of_frame = grid.tiles / frames_in<Shape>(grid);
  each_tile_of_block(grid, [&](u32 tile) {
    const area_search found = t.search[tile / tiles_of_frame];
    if (found.all) return;
    each_kept_root<Shape>(grid, tables, tile, [&](const geometry& g, const pixel_place& first) {
      if (g.area < found.prefix) drop(grid, tables, first);
      else if (g.area == found.prefix) atomicOr(t.tie_bits + first.word(grid), first.bit());
    });
  });
}

/// Of the components that have the k-th largest area, drops all but the first.
__global__ __launch_bounds__(select_threads) inline void drop_ties_kernel(const u64 units, const u64 units_of_frame,
                                                                          u32* root_bits, const select_tables t) {
  const u64 unit = u64{blockIdx.x} * select_threads + threadIdx.x;
  if (unit >= units) return;
  const u64 frame = unit / units_of_frame;
  u64 rank = t.tie_rank[unit] - t.tie_offset[frame];
  for (u32 k = 0; k < tile_words; ++k)
    for (u32 rest = t.tie_bits[unit * tile_words + k]; rest != 0; rest &= rest - 1, ++rank)
      if (rank >= t.search[frame].left) root_bits[unit * tile_words + k] &= ~(rest & -rest);
}

}  // namespace skerry::label_stages::on_device

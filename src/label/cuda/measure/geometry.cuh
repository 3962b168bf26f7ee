// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA: one row of geometry per component, in label order. The other features: sums.cuh.
//
//   warp   32 rows at a time, staged in shared memory and written by a lane for each word of a row; a tile of few components
//   block  four tiles; the warps share a tile of many components
//
// Reads   info, first, pool, border_features, parent, root_bits, root_rank; bits, prefix, component where the pool is full
// Writes  the rows of the components whose label is at most `capacity`
#pragma once
#include "label/cuda/measure/tile_labels.cuh"
#include "label/cuda/tiles/measure.cuh"

namespace skerry::label_stages::on_device {

inline constexpr int measure_threads = 128, measure_tiles = 4, few_components = 96,
                     words_per_row = sizeof(geometry) / 8;

template <class Shape>
struct measure_memory {
  geometry staged[measure_threads];
  u32 destination[measure_threads];
  u32 bits[tile_rows * tile_words];    // of the roots of a tile
  u16 before[tile_rows * tile_words];  // roots of the tile before each word
  u32 row_rank[tile_rows];             // roots of the image before each row of the tile
  u16 order[Shape::run_capacity];      // roots of the tile in raster order
  u32 warp_total[measure_threads / 32];
};

/// One row for each lane with a `rank`, from the pool or from the border's table, written by a lane for each word of a row.
template <class Shape>
__device__ void write_rows(const label_tables& tables, geometry* rows, u64 capacity, u32 tile, tile_place at,
                           const tile_info& info, u32 component, const tile_component& in_pool, u32 rank,
                           measure_memory<Shape>& shared) {
  const int lane = threadIdx.x % 32, base = threadIdx.x - lane;
  if (rank != ~0u)
    shared.staged[threadIdx.x] = component < info.border
                                     ? tables.border_features[tile * Shape::border_capacity + component]
                                     : place<Shape>(in_pool, at);
  shared.destination[threadIdx.x] = rank;
  __syncwarp();
  constexpr int rows_at_once = 32 / words_per_row;
  static_assert(32 % rows_at_once == 0);
  if (lane < rows_at_once * words_per_row) {
#pragma unroll
    for (int k = 0; k < 32; k += rows_at_once) {
      const int row = base + k + lane / words_per_row;
      const u32 to = shared.destination[row];
      if (to != ~0u && to < capacity)
        reinterpret_cast<u64*>(rows)[u64{to} * words_per_row + lane % words_per_row] =
            reinterpret_cast<const u64*>(shared.staged)[row * words_per_row + lane % words_per_row];
    }
  }
  __syncwarp();
}

/// What the pool has of an inner component; nothing of others. A component that the pool had no room for loses its rank:
/// write_left_out() sees to it.
__device__ inline tile_component from_pool(const label_tables& tables, const tile_info& info, u32 component,
                                           u32& rank) {
  if (rank == ~0u || component < info.border) return {};
  const u32 slot = info.pool_begin + component - info.border;
  if (slot >= tables.pool_capacity) {
    rank = ~0u;
    return {};
  }
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(tables.pool) + slot);
  return {words.x, words.y, words.z, words.w};
}

/// A tile of few components, by one warp.
template <class Shape>
__device__ void write_few(const tiling& grid, const label_tables& tables, geometry* rows, u64 capacity, u32 tile,
                          const tile_info& info, measure_memory<Shape>& shared) {
  const tile_place at = tile_place::of(grid, tile);
  for (u32 begin = 0; begin < info.components; begin += 32) {
    const u32 component = begin + threadIdx.x % 32;
    u32 rank = ~0u;
    if (component < info.components &&
        (component >= info.border ||
         tables.parent[tile * Shape::border_capacity + component] == tile * Shape::border_capacity + component))
      rank = rank_of(grid, tables,
                     pixel_place::of<Shape>(grid, at, tables.first[u64{tile} * Shape::run_capacity + component]));
    const tile_component in_pool = from_pool(tables, info, component, rank);
    write_rows<Shape>(tables, rows, capacity, tile, at, info, component, in_pool, rank, shared);
  }
}

/// Brings the roots of a tile into raster order, and counts them; ends with a barrier.
template <class Shape>
__device__ u32 order_roots(const tiling& grid, const label_tables& tables, u32 tile, tile_place at,
                           const tile_info& info, measure_memory<Shape>& shared) {
  constexpr int each = tile_rows * tile_words / measure_threads;  // words of a thread
  static_assert(each > 0 && tile_words % each == 0);
  const int word = threadIdx.x * each, row = word / tile_words;
  const image_row in_image = image_row::of<Shape>(at, row);
  u32 bits[each] = {}, count = 0;
  if (in_image.exists(grid)) {
    const u64 unit = in_image.unit(grid, at.x);
#pragma unroll
    for (int k = 0; k < each; ++k) bits[k] = tables.root_bits[unit * tile_words + word % tile_words + k];
    if (word % tile_words == 0) shared.row_rank[row] = tables.root_rank[unit];
  }
#pragma unroll
  for (int k = 0; k < each; ++k) count += __popc(bits[k]);
  u32 roots = 0, sum = sum_before_thread<measure_threads>(count, shared.warp_total, roots);
#pragma unroll
  for (int k = 0; k < each; ++k) {
    shared.bits[word + k] = bits[k];
    shared.before[word + k] = static_cast<u16>(sum);
    sum += __popc(bits[k]);
  }
  __syncthreads();
  const u16* first_of = tables.first + u64{tile} * Shape::run_capacity;
  for (u32 component = threadIdx.x; component < info.components; component += measure_threads) {
    const u32 first = first_of[component], roots_there = shared.bits[first / 32], bit = 1u << first % 32;
    if (roots_there & bit)
      shared.order[shared.before[first / 32] + __popc(roots_there & (bit - 1))] = static_cast<u16>(component);
  }
  __syncthreads();
  return roots;
}

/// A tile of many components, by the whole block, in raster order: rows that follow each other in the table are written
/// together. In any other order the device memory is filled by pieces of sectors.
template <class Shape>
__device__ void write_many(const tiling& grid, const label_tables& tables, geometry* rows, u64 capacity, u32 tile,
                           const tile_info& info, measure_memory<Shape>& shared) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const tile_place at = tile_place::of(grid, tile);
  const u16* first_of = tables.first + u64{tile} * Shape::run_capacity;
  const u32 roots = order_roots(grid, tables, tile, at, info, shared);
  // A thread asks for all it needs for several rows, then writes them: what it waits for comes at once.
  constexpr int at_once = 4;
  for (u32 begin = warp * 32; begin < roots; begin += measure_threads * at_once) {
    u32 component[at_once], rank[at_once];
    tile_component in_pool[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const u32 order = begin + k * measure_threads + lane;
      component[k] = order < roots ? shared.order[order] : 0;
      rank[k] = order < roots ? first_of[component[k]] / tile_width : ~0u;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (rank[k] != ~0u)
        rank[k] = shared.row_rank[rank[k]] + begin + k * measure_threads + lane - shared.before[rank[k] * tile_words];
      in_pool[k] = from_pool(tables, info, component[k], rank[k]);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (begin + k * measure_threads < roots)
        write_rows<Shape>(tables, rows, capacity, tile, at, info, component[k], in_pool[k], rank[k], shared);
  }
  __syncthreads();
}

/// What stage 2 had of a component of a tile, summed again from the tile's bits by one thread.
template <class Shape>
__device__ tile_component summed_again(const label_tables& tables, u32 tile, u32 component, u32 first) {
  using word = typename Shape::word;
  const u32* const rows = tables.bits + u64{tile} * (tile_rows * tile_words);
  const u16* const runs_before = tables.prefix + u64{tile} * Shape::prefix_pitch;
  const u16* const component_of = tables.component + u64{tile} * Shape::run_capacity;
  piece sum{0, 0, 0, tile_width, 0, 0};
  for (int k = 0; k < Shape::group_words; ++k) {
    const int group = k / Shape::words, column = k % Shape::words;
    const group_word<Shape> here = group_word<Shape>::of(rows, group, column);
    const word starts = here.starts();
    // Runs that start here, and the one that comes in from the left, if any.
    for (word rest = starts | (here.any() & 1); rest != 0; rest &= rest - 1) {
      const word bit = rest & -rest;
      if (component_of[runs_before[k] + count_bits(starts & up_to(bit)) - 1] != component) continue;
      const piece p = measure_piece<Shape>(here, group, column, span<word>(bit, starts & ~up_to(bit)));
      sum.area_y += p.area_y, sum.sum_x += p.sum_x, sum.sum_z += p.sum_z;
      sum.min_x = min(sum.min_x, p.min_x), sum.max_x = max(sum.max_x, p.max_x);
      sum.box_yz = Shape::rank == 2 ? max(sum.box_yz, p.box_yz) : sum.box_yz | p.box_yz;
    }
  }
  return packed<Shape>(sum, first);
}

/// With more components than rows the pool is full at some time, and by then it holds those of the tiles that came first,
/// on every call others. The rows that it lacks are summed here, slowly, so that what is within the capacity is always
/// there.
template <class Shape>
__device__ void write_left_out(const tiling& grid, const label_tables& tables, geometry* rows, u64 capacity, u32 tile,
                               const tile_info& info) {
  const tile_place at = tile_place::of(grid, tile);
  const u32 slots = tables.pool_capacity > info.pool_begin ? tables.pool_capacity - info.pool_begin : 0;
  for (u32 k = info.border + slots + threadIdx.x; k < info.components; k += measure_threads) {
    const u32 first = tables.first[u64{tile} * Shape::run_capacity + k];
    const u32 rank = rank_of(grid, tables, pixel_place::of<Shape>(grid, at, first));
    if (rank < capacity) rows[rank] = place<Shape>(summed_again<Shape>(tables, tile, k, first), at);
  }
}

/// The k-th tile of this block. At any time the tiles that the blocks are at lie beside each other, and so do the rows that
/// they write: memory is filled a page at a time.
__device__ inline u32 measured_tile(u32 k) { return blockIdx.x + k * gridDim.x; }

template <class Shape>
__global__ __launch_bounds__(measure_threads) void measure_kernel(const tiling grid, const label_tables tables,
                                                                  geometry* rows, const u64 capacity) {
  static_assert(sizeof(geometry) == 8 * words_per_row);
  __shared__ measure_memory<Shape> shared;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  tile_info all{0, 0, 0};
  if (lane < measure_tiles && measured_tile(lane) < grid.tiles) all = tables.info[measured_tile(lane)];
  wait_for_stream();
  for (int k = 0; k < measure_tiles; ++k) {
    const u32 counts = __shfl_sync(~0u, all.border | u32{all.components} << 16, k);
    const tile_info info{static_cast<u16>(counts), static_cast<u16>(counts >> 16), __shfl_sync(~0u, all.pool_begin, k)};
    if (info.components > few_components) {
      __syncthreads();
      write_many<Shape>(grid, tables, rows, capacity, measured_tile(k), info, shared);
    } else if (k == warp) {
      write_few<Shape>(grid, tables, rows, capacity, measured_tile(k), info, shared);
    }
  }
  // Apart from the above, whose speed this must not touch.
  if (!__any_sync(~0u, all.pool_begin + all.components - all.border > tables.pool_capacity)) return;
  for (int k = 0; k < measure_tiles && measured_tile(k) < grid.tiles; ++k)
    write_left_out<Shape>(grid, tables, rows, capacity, measured_tile(k), tables.info[measured_tile(k)]);
}

template <class Shape>
cudaError_t launch_measure(const tiling& grid, const label_tables& tables, geometry* rows, u64 capacity, bool early,
                           cudaStream_t stream) {
  return launch_kernel(early, measure_kernel<Shape>, (grid.tiles + measure_tiles - 1) / measure_tiles, measure_threads,
                       stream, grid, tables, rows, capacity);
}

}  // namespace skerry::label_stages::on_device

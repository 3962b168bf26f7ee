// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA: roots to labels 1..n in raster order. One cooperative kernel, which swallows stage 3.
//
//   patch    4 x 4 tiles (2D) united in shared memory; then their borders united in device memory
//   flatten  each border component points at its root; what is not a root loses its bit and gives its features away
//   number   the bits of the roots, in raster order, are counted: a label is 1 + the bits before the root's
//
// Reads   what stages 2 and 3 write
// Writes  parent, root_bits, border_features, root_rank, offset
// Needs   a cooperative launch
#pragma once
#include "engine/cuda/join_rows.cuh"
#include "label/cuda/resolve/merge.cuh"
#include "label/cuda/resolve/number.cuh"

namespace skerry::label_stages::on_device {

// ---- thread ---------------------------------------------------------------------------------------

/// To rows in shared memory that other threads join to at the same time. A sum is a pair of words, so that each addition is one
/// native atomic and a carry.
struct join_in_block {
  __device__ void sum(u64& to, u64 value) const {
    u32* const words = reinterpret_cast<u32*>(&to);
    const u32 low = static_cast<u32>(value), old = atomicAdd(words, low);
    const u32 high = static_cast<u32>(value >> 32) + (old + low < old);
    if (high != 0) atomicAdd(words + 1, high);
  }
  __device__ void least(i32& to, i32 value) const { atomicMin(&to, value); }
  __device__ void most(i32& to, i32 value) const { atomicMax(&to, value); }
};

/// Features on their way to a few roots, joined in shared memory first: thousands of additions to one address in device
/// memory would wait for each other.
template <class Shape, class Features>
struct feature_cache {
  static constexpr u32 slot_bits = Features::wanted ? 5 : 0, slots = 1 << slot_bits, nobody = ~0u;
  u32 root[slots];
  geometry sum[slots];

  __device__ void clear() {
    if constexpr (Features::wanted)
      if (threadIdx.x < slots) root[threadIdx.x] = nobody, sum[threadIdx.x] = empty_geometry(Shape::rank);
  }
  __device__ void add(geometry* table, u32 to, const geometry& g) {
    const u32 slot = (to * 0x9e3779b1u) >> (32 - slot_bits);
    u32 owner = block_words{root}.load(slot);
    if (owner == nobody) owner = atomicCAS(&root[slot], nobody, to);
    if (owner != nobody && owner != to) return join<Shape::rank>(table[to], g, join_at_once());
    join<Shape::rank>(sum[slot], g, join_in_block());
  }
  /// By all threads of the block, after a barrier.
  __device__ void flush(geometry* table) const {
    if constexpr (Features::wanted)
      if (threadIdx.x < slots && root[threadIdx.x] != nobody)
        join<Shape::rank>(table[root[threadIdx.x]], sum[threadIdx.x], join_at_once());
  }
};

/// `node` turned out to belong to `root`.
template <class Shape, class Features>
__device__ void give_up(const image_sets<Shape>& sets, u32 node, u32 root, pixel_place place,
                        feature_cache<Shape, Features>& cache) {
  atomicAnd(sets.tables.root_bits + place.word(sets.grid), ~place.bit());
  if constexpr (Features::wanted) cache.add(sets.tables.border_features, root, sets.tables.border_features[node]);
}

// ---- block ----------------------------------------------------------------------------------------

template <class Shape, class Features>
__device__ void solve_patch(const image_sets<Shape>& sets, tile_place corner, u32* words, u32* pairs, u32* pair_count,
                            feature_cache<Shape, Features>& cache) {
  const tiling& grid = sets.grid;
  const label_tables& tables = sets.tables;
  const patch_sets patch{{words}};
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto tile_of = [&](int k) {
    return tile_place{corner.z, corner.y + k / patch_side, corner.x + k % patch_side};
  };
  const auto exists = [&](tile_place at) { return at.y < grid.tiles_y && at.x < grid.tiles_x; };
  for (int k = warp; k < patch_tiles; k += resolve_threads / 32) {
    if (!exists(tile_of(k))) continue;
    const u32 tile = tile_at<Shape>(grid, tile_of(k)), count = tables.info[tile].border;
    for (u32 number = lane; number < count; number += 32) {
      const u32 first = tables.first[u64{tile} * Shape::run_capacity + number],
                slot = k * Shape::border_capacity + number;
      const u32 y = k / patch_side * Shape::height + (first >> 7), x = k % patch_side * tile_width + (first & 127);
      words[slot] = (y * (patch_side * tile_width) + x) << patch_sets::slot_bits | slot;
    }
  }
  if (threadIdx.x == 0) *pair_count = 0;
  cache.clear();
  __syncthreads();
  const patch_pair_list<Shape> list{grid, corner, pairs, pair_count};
  constexpr int bytes = patch_side * 8, column_tasks = (patch_side - 1) * bytes,
                row_tasks = (patch_side - 1) * patch_side * 16;
  for (int task = threadIdx.x; task < row_tasks + column_tasks; task += resolve_threads) {
    if (task < column_tasks) {
      const i32 x = corner.x + 1 + task / bytes, y8 = corner.y * 8 + task % bytes;
      if (x < grid.tiles_x && y8 < grid.tiles_y * 8) merge_columns<Shape>(grid, tables, corner.z, y8, x, 255, list);
    } else {
      const int k = task - column_tasks, x = k % 16 * 8, tile = patch_side + k / 16;
      if (exists(tile_of(tile)))
        merge_rows<Shape>(grid, tables, tile_of(tile), 0, x / Shape::word_bits,
                          typename Shape::word{255} << x % Shape::word_bits, list);
    }
  }
  __syncthreads();
  for (u32 k = threadIdx.x; k < *pair_count; k += resolve_threads) list.unite(pairs[k], tables, patch);
  __syncthreads();
  for (int k = warp; k < patch_tiles; k += resolve_threads / 32) {
    if (!exists(tile_of(k))) continue;
    const u32 tile = tile_at<Shape>(grid, tile_of(k)), count = tables.info[tile].border;
    for (u32 number = lane; number < count; number += 32) {
      const u32 slot = k * Shape::border_capacity + number;
      u32 root = patch_sets::slot_of(patch.parent.load(slot));
      if (root == slot) continue;
      root = link_to_root(patch.parent, slot, root, patch_sets::slot_of);
      const u32 node = tile * Shape::border_capacity + number;
      const u32 above = tile_at<Shape>(grid, tile_of(root / Shape::border_capacity)) * Shape::border_capacity +
                        root % Shape::border_capacity;
      sets.parent.store(node, above);
      give_up<Shape, Features>(sets, node, above, sets.place(node), cache);
    }
  }
  __syncthreads();
  cache.flush(tables.border_features);
}

// ---- grid -----------------------------------------------------------------------------------------

/// Calls step(k) for k in [0, count), dealt to the threads of the grid.
template <class Step>
__device__ void each_of(u64 count, const Step& step) {
  for (u64 k = u64{blockIdx.x} * resolve_threads + threadIdx.x; k < count; k += u64{gridDim.x} * resolve_threads)
    step(k);
}

template <class Shape>
__device__ void merge_patches(const image_sets<Shape>& sets) {
  const tiling& grid = sets.grid;
  const u32 rows_of_patches = (grid.tiles_y - 1) / patch_side, columns_of_patches = (grid.tiles_x - 1) / patch_side;
  constexpr u32 each = 4, parts = tile_width / each;  // pixels for one thread
  const u32 per_row = grid.tiles_x * parts;
  each_of(u64{rows_of_patches} * per_row * grid.depth, [&](u64 k) {
    const u32 border = static_cast<u32>(k / per_row), place = static_cast<u32>(k % per_row);
    const i32 z = border / rows_of_patches, y = (border % rows_of_patches + 1) * patch_side;
    const u32 x = place % parts * each;
    merge_rows<Shape>(grid, sets.tables, {z, y, static_cast<i32>(place / parts)}, 0, x / Shape::word_bits,
                      typename Shape::word{15} << x % Shape::word_bits, sets);
  });
  const u32 pieces = grid.tiles_y * 32;  // of two rows
  each_of(u64{columns_of_patches} * pieces * grid.depth, [&](u64 k) {
    const u32 row = static_cast<u32>(k / columns_of_patches),
              x = (static_cast<u32>(k % columns_of_patches) + 1) * patch_side;
    merge_columns<Shape>(grid, sets.tables, row / pieces, row % pieces / 4, x, 3u << row % 4 * 2, sets);
  });
  if constexpr (Shape::axes > 1) {  // corners of patches that lie above each other, between their columns of tiles
    each_of(u64{rows_of_patches} * grid.tiles_x * grid.depth, [&](u64 k) {
      const u32 border = static_cast<u32>(k / grid.tiles_x), x = static_cast<u32>(k % grid.tiles_x);
      const i32 z = border / rows_of_patches, y8 = (border % rows_of_patches + 1) * patch_side * 8;
      if (x % patch_side != 0) merge_columns<Shape>(grid, sets.tables, z, y8, x, 1, sets);
    });
  }
}

template <class Shape>
__device__ void merge_tiles(const image_sets<Shape>& sets) {
  const tiling& grid = sets.grid;
  each_of(u64{grid.tiles} * Shape::group_words, [&](u64 k) {
    const int place = static_cast<int>(k % Shape::group_words);
    merge_rows<Shape>(grid, sets.tables, tile_place::of(grid, static_cast<u32>(k / Shape::group_words)),
                      place / Shape::words, place % Shape::words, ~typename Shape::word{0}, sets);
  });
  if (grid.tiles_x > 1) {
    const u32 borders = grid.tiles_x - 1;
    each_of(u64{borders} * grid.tiles_y * grid.depth, [&](u64 k) {
      const u32 row = static_cast<u32>(k / borders);
      merge_columns<Shape>(grid, sets.tables, row / grid.tiles_y, row % grid.tiles_y, static_cast<i32>(k % borders) + 1,
                           255, sets);
    });
  }
}

/// A component whose bit is still set but that has a parent was a root until the last unions.
template <class Shape, class Features>
__device__ void flatten(const image_sets<Shape>& sets, feature_cache<Shape, Features>& cache) {
  cache.clear();
  __syncthreads();
  const u32 lane = threadIdx.x % 32;
  const u32 warps = gridDim.x * (resolve_threads / 32);
  for (u32 tile = blockIdx.x * (resolve_threads / 32) + threadIdx.x / 32; tile < sets.grid.tiles; tile += warps) {
    const u32 count = sets.tables.info[tile].border;
    for (u32 number = lane; number < count; number += 32) {
      const u32 node = tile * Shape::border_capacity + number, above = sets.parent.load(node);
      if (above == node) continue;
      const u32 root = link_to_root(sets.parent, node, above);
      const pixel_place place = sets.place(node);
      if (device_words{sets.tables.root_bits}.load(place.word(sets.grid)) & place.bit())
        give_up<Shape, Features>(sets, node, root, place, cache);
    }
  }
  __syncthreads();
  cache.flush(sets.tables.border_features);
}

template <class Shape, class Features>
__global__ __launch_bounds__(resolve_threads, 4) void resolve_kernel(const tiling grid, const label_tables tables,
                                                                     const bool numbered) {
  __shared__ u32 words[Shape::rank == 2 ? patch_tiles * Shape::border_capacity : 32];
  __shared__ u32 pairs[Shape::rank == 2 ? patch_pairs : 1];
  __shared__ u32 pair_count;
  __shared__ feature_cache<Shape, Features> cache;
  const grid_barrier all;
  const image_sets<Shape> sets(grid, tables);
  bool across = grid.tiles > 1;
  if constexpr (Shape::rank == 2) {
    const u32 patches_y = (grid.tiles_y + patch_side - 1) / patch_side,
              patches_x = (grid.tiles_x + patch_side - 1) / patch_side;
    for (u32 patch = blockIdx.x; patch < patches_y * patches_x * grid.depth; patch += gridDim.x) {
      const i32 x = patch % patches_x, y = patch / patches_x % patches_y, z = patch / patches_x / patches_y;
      __syncthreads();
      solve_patch<Shape, Features>(sets, {z, y * patch_side, x * patch_side}, words, pairs, &pair_count, cache);
    }
    across = patches_y * patches_x > 1;
    all.sync();
    if (across) merge_patches<Shape>(sets);
  } else if (across) {
    merge_tiles<Shape>(sets);
  }
  if (across) {
    all.sync();
    flatten<Shape, Features>(sets, cache);
    all.sync();
  }
  if (numbered)
    number_units(grid.units, units_of_frame<Shape>(grid), bit_counts{tables.root_bits}, tables.root_rank, tables.offset,
                 tables.block_total, words, all);
}

// ---- host -----------------------------------------------------------------------------------------

template <class Shape, class Features>
cudaError_t launch_resolve(const tiling& grid, const label_tables& tables, bool numbered, u32 blocks,
                           cudaStream_t stream) {
  return launch_together(blocks, stream, resolve_kernel<Shape, Features>, grid, tables, numbered);
}

}  // namespace skerry::label_stages::on_device

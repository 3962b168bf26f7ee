// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA: roots to labels 1..n in raster order. One cooperative kernel, which swallows stage 3.
//
//   merge    stage 3: components of neighbouring tiles become one set
//   flatten  each border component points at its root; what is not a root loses its bit and gives its features away
//   number   the bits of the roots, in raster order, are counted: a label is 1 + the bits before the root's
//
// Reads   what stages 2 and 3 write
// Writes  parent, root_bits, border_features, root_rank, offset
// Needs   a cooperative launch
#pragma once
#include <cstddef>

#include "engine/cuda/early_launch.cuh"
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
template <class Shape, class Features, u32 SlotBits = 5>
struct feature_cache {
  static constexpr u32 slot_bits = Features::wanted ? SlotBits : 0, slots = 1 << slot_bits, nobody = ~0u;
  u32 root[slots];
  geometry sum[slots];

  __device__ void clear() {
    if constexpr (Features::wanted)
      for (u32 slot = threadIdx.x; slot < slots; slot += blockDim.x)
        root[slot] = nobody, sum[slot] = empty_geometry(Shape::rank);
  }
  __device__ void add(geometry* table, u32 to, const geometry& g) {
    u32 slot = (to * 0x9e3779b1u) >> (32 - slot_bits);
    for (int tried = 0; tried < 2; ++tried, slot = (slot + 1) % slots) {
      u32 owner = block_words{root}.load(slot);
      if (owner == nobody) owner = atomicCAS(&root[slot], nobody, to);
      if (owner == nobody || owner == to) return join<Shape::rank>(sum[slot], g, join_in_block());
    }
    join<Shape::rank>(table[to], g, join_at_once());
  }
  /// By all threads of the block, after a barrier.
  __device__ void flush(geometry* table) const {
    if constexpr (Features::wanted)
      for (u32 slot = threadIdx.x; slot < slots; slot += blockDim.x)
        if (root[slot] != nobody) join<Shape::rank>(table[root[slot]], sum[slot], join_at_once());
  }
};

// ---- grid -----------------------------------------------------------------------------------------

/// Room for more roots where a block has thousands of border components.
template <class Shape, class Features>
using resolve_cache = feature_cache<Shape, Features, 8>;

/// What has a parent was a root of its tile, and is none of the image.
template <class Shape, class Features>
__device__ void flatten(const image_sets<Shape>& sets, resolve_cache<Shape, Features>& cache) {
  const label_tables& tables = sets.tables;
  cache.clear();
  __syncthreads();
  const u32 lane = threadIdx.x % 32, warps = gridDim.x * (resolve_threads / 32);
  for (u32 tile = blockIdx.x * (resolve_threads / 32) + threadIdx.x / 32; tile < sets.grid.tiles; tile += warps) {
    const u32 count = tables.info[tile].border;
    for (u32 number = lane; number < count; number += 32) {
      const u32 node = tile * Shape::border_capacity + number, above = sets.parent.load(node);
      if (above == node) continue;
      const u32 root = link_to_root(sets.parent, node, above);
      const pixel_place place = sets.place(node);
      atomicAnd(tables.root_bits + place.word(sets.grid), ~place.bit());
      if constexpr (Features::wanted) cache.add(tables.border_features, root, tables.border_features[node]);
    }
  }
  __syncthreads();
  cache.flush(tables.border_features);
}

template <class Shape, class Features>
__global__ __launch_bounds__(resolve_threads,
                             4) void resolve_kernel(const tiling grid, const label_tables tables, const bool numbered,
                                                    const bool only_roots_are_read, const u32 border_pixels) {
  using cache = resolve_cache<Shape, Features>;
  constexpr std::size_t bytes = sizeof(pair_memory) > sizeof(cache) ? sizeof(pair_memory) : sizeof(cache);
  __shared__ alignas(u64) unsigned char memory[bytes];
  const grid_barrier all;
  let_next_launch();
  if (grid.tiles > 1) {
    const image_sets<Shape> sets(grid, tables);
    merge_tiles<Shape>(sets, border_pixels, *reinterpret_cast<pair_memory*>(memory));
    all.sync();
    flatten<Shape, Features>(sets, *reinterpret_cast<cache*>(memory));
    all.sync();
  }
  if (numbered)
    number_units(grid.units, units_of_frame<Shape>(grid), bit_counts{tables.root_bits, only_roots_are_read},
                 tables.root_rank, tables.offset, tables.block_total, reinterpret_cast<u32*>(memory), all);
}

// ---- host -----------------------------------------------------------------------------------------

template <class Shape, class Features>
cudaError_t launch_resolve(const tiling& grid, const label_tables& tables, bool numbered, bool only_roots_are_read,
                           u32 border_pixels, u32 blocks, cudaStream_t stream) {
  return launch_together(blocks, stream, resolve_kernel<Shape, Features>, grid, tables, numbered, only_roots_are_read,
                         border_pixels);
}

}  // namespace skerry::label_stages::on_device

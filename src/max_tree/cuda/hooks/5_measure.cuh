// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure: the area of each node.
//
//   thread  16 pixels in turn; then a chain of nodes, as long as its thread is the last to arrive at each
//   block   a tile
//
// Reads   keys, the parent image
// Writes  the area of each node at its first pixel, 0 at other pixels
// Needs   one word of scratch per pixel, zeroed: at first pixels of nodes, in the high half 1 + the children that have not
//         arrived, 0 for leaves; in the low half pixels so far, without the first
// Method  every child adds its area to its parent's word and takes itself off; who takes off the last goes on with the
//         parent. One addition does both, so nothing is read that another thread may be about to write.
#pragma once
#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/hooks/4_resolve.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr u64 one_child = u64{1} << 32;

// Adds pixels and children to the word of a node. The first children add the 1 that leaves do not have.
__device__ inline void add_to_node(u64* words, u32 node, u32 pixels, u32 children) {
  auto* const word = reinterpret_cast<unsigned long long*>(words + node);
  const u64 old = atomicAdd(word, children * one_child + pixels);
  if (children != 0 && old < one_child) atomicAdd(word, one_child);
}

// One addition for all threads of a warp that add to the same node; of nowhere, none.
__device__ inline void add_together(u64* words, u32 node, bool is_child) {
  const u32 alike = __match_any_sync(~0u, node), children = __ballot_sync(~0u, is_child) & alike;
  if (node == nowhere || !is_first_of(alike)) return;
  add_to_node(words, node, static_cast<u32>(__popc(alike & ~children)), static_cast<u32>(__popc(children)));
}

// Counts pixels and children of each node; first in shared memory, in the halves of a word, if the node is of the tile.
template <int Rank, class Key>
__global__ void __launch_bounds__(tile_threads)
    count_kernel(tree_grid<Rank> grid, grey_source<Key> image, const u32* parent, u64* words, u32* area) {
  using g = tree_grid<Rank>;
  constexpr u32 one_child_here = 1 << 16;
  __shared__ u32 counts[tile_pixels];
  const tile_box inside = grid.tile(blockIdx.x);
  for (int place = threadIdx.x; place < tile_pixels; place += tile_threads) counts[place] = 0;
  __syncthreads();
  for (int place = threadIdx.x; place < tile_pixels; place += tile_threads) {
    const int x = g::x_of(place), y = g::y_of(place), z = g::z_of(place);
    u32 far_node = nowhere;
    bool is_child = false;
    if (inside.holds(x, y, z)) {
      const u32 pixel = grid.pixel(inside.x + x, inside.y + y, inside.z + z), below = parent[pixel];
      is_child = is_first_pixel(image, image.key(inside.x + x, inside.y + y, inside.z + z), pixel, below);
      area[pixel] = is_child ? 1 : 0;
      const u32 row = below / static_cast<u32>(grid.width);
      const int bx = static_cast<int>(below - row * static_cast<u32>(grid.width)) - inside.x;
      const int by = static_cast<int>(row % static_cast<u32>(grid.height)) - inside.y;
      const int bz = static_cast<int>(row / static_cast<u32>(grid.height)) - inside.z;
      if (below == pixel) is_child = false;
      else if (inside.holds(bx, by, bz)) atomicAdd(counts + g::place(bx, by, bz), is_child ? one_child_here : 1);
      else far_node = below;
    }
    add_together(words, far_node, is_child);
  }
  __syncthreads();
  each_pixel<Rank>(inside, [&](int place, int x, int y, int z) {
    if (const u32 count = counts[place]; count != 0)
      add_to_node(words, grid.pixel(inside.x + x, inside.y + y, inside.z + z), count % one_child_here,
                  count / one_child_here);
  });
}

template <int Rank>
__global__ void __launch_bounds__(tile_threads)
    climb_kernel(tree_grid<Rank> grid, const u32* parent, u64* words, u32* area) {
  const tile_box inside = grid.tile(blockIdx.x);
  each_pixel<Rank>(inside, [&](int, int x, int y, int z) {
    u32 node = grid.pixel(inside.x + x, inside.y + y, inside.z + z);
    if (atomic_ref<u32, sharing::device>(area[node]).load(relaxed) != 1) return;
    const u64 own = atomic_ref<u64, sharing::device>(words[node]).load(relaxed);
    if (own >= one_child) return;
    u32 pixels = 1 + static_cast<u32>(own);
    for (;;) {
      atomic_ref<u32, sharing::device>(area[node]).store(pixels, relaxed);
      const u32 below = parent[node];
      if (below == node) return;
      const u64 old =
          atomicAdd(reinterpret_cast<unsigned long long*>(words + below), static_cast<u64>(pixels) - one_child);
      if (old >> 32 != 2) return;
      pixels += 1 + static_cast<u32>(old);
      node = below;
    }
  });
}

template <int Rank, class Key>
cudaError_t launch_area(const tree_grid<Rank>& grid, const grey_source<Key>& image, const u32* parent, u64* words,
                        u64 pixels, u32* area, cudaStream_t stream) {
  const cudaError_t result = cudaMemsetAsync(words, 0, pixels * sizeof(u64), stream);
  if (result != cudaSuccess) return result;
  count_kernel<Rank, Key><<<grid.tiles(), tile_threads, 0, stream>>>(grid, image, parent, words, area);
  climb_kernel<Rank><<<grid.tiles(), tile_threads, 0, stream>>>(grid, parent, words, area);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device

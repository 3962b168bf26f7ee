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
#include "max_tree/2_local.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr u64 one_child = u64{1} << 32;

template <class Key>
__device__ bool is_first_pixel(const grey_source<Key>& image, Key key, u32 pixel, u32 parent) {
  return parent == pixel || image.key(parent) != key;
}

// Counts pixels and children of each node.
template <int Rank, class Key>
__global__ void __launch_bounds__(tile_threads)
    count_kernel(tree_grid<Rank> grid, grey_source<Key> image, const u32* parent, u64* words, u32* area) {
  const tile_box inside = grid.tile(blockIdx.x);
  using g = tree_grid<Rank>;
  constexpr u32 nowhere = ~0u;
  for (int place = threadIdx.x; place < tile_pixels; place += tile_threads) {
    const int x = g::x_of(place), y = g::y_of(place), z = g::z_of(place);
    u32 to = nowhere;
    bool is_child = false;
    if (inside.holds(x, y, z)) {
      const u32 pixel = grid.pixel(inside.x + x, inside.y + y, inside.z + z);
      const u32 below = parent[pixel];
      const Key key = image.key(inside.x + x, inside.y + y, inside.z + z);
      is_child = is_first_pixel(image, key, pixel, below);
      area[pixel] = is_child ? 1 : 0;
      if (below != pixel) to = below;
    }
    // One addition for all threads of the warp that add to the same word.
    const u32 alike = __match_any_sync(~0u, to), children = __ballot_sync(~0u, is_child) & alike;
    if (to == nowhere || __ffs(alike) - 1 != static_cast<int>(threadIdx.x % 32)) continue;
    auto* const word = reinterpret_cast<unsigned long long*>(words + to);
    const u32 first_children = static_cast<u32>(__popc(children));
    const u64 old = atomicAdd(word, first_children * one_child + static_cast<u32>(__popc(alike & ~children)));
    if (first_children != 0 && old < one_child) atomicAdd(word, one_child);
  }
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

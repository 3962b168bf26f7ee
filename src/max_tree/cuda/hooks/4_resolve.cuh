// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, resolve: links to the parent image.
//
//   thread  16 pixels in turn
//   block   a tile, so that most of what it follows is in its cache
//
// Reads   links
// Writes  the parent of each pixel: the first pixel of its node, from there the first pixel of the node below; the root's
//         first pixel is its own
#pragma once
#include "max_tree/cuda/hooks/2_local.cuh"

namespace skerry::tree_stages::on_device {

// In the parent image: a pixel is the first of its node.
template <class Key>
__device__ bool is_first_pixel(const grey_source<Key>& image, Key key, u32 pixel, u32 parent) {
  return parent == pixel || image.key(parent) != key;
}

// Links that nobody changes any more.
struct settled_links {
  const u64* words;

  // The first pixel of the level that `at` is in.
  __device__ u32 first_of(u64 at) const {
    for (u64 below; key_in(below = words[place_in(at)]) == key_in(at);) at = below;
    return place_in(at);
  }
};

template <int Rank>
__global__ void __launch_bounds__(tile_threads) resolve_kernel(tree_grid<Rank> grid, const u64* words, u32* parent) {
  const tile_box inside = grid.tile(blockIdx.x);
  const settled_links links{words};
  const auto pixel = [&](int x, int y, int z) { return grid.pixel(inside.x + x, inside.y + y, inside.z + z); };
  each_pixel<Rank>(
      inside,
      [&](int, int x, int y, int z) {
        const u64 below = words[pixel(x, y, z)];
        return below != 0 ? links.first_of(below) : pixel(x, y, z);
      },
      [&](u32 below, int x, int y, int z) { parent[pixel(x, y, z)] = below; });
}

template <int Rank>
cudaError_t launch_resolve(const tree_grid<Rank>& grid, const u64* links, u32* parent, cudaStream_t stream) {
  resolve_kernel<Rank><<<grid.tiles(), tile_threads, 0, stream>>>(grid, links, parent);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device

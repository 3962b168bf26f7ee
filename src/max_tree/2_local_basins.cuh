// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, wide keys: the basins of maxima.
//
//   thread  16 pixels in turn
//   block   a tile
//
// Reads   the rank of each pixel
// Writes  the maximum whose basin each pixel is in
// Method  [Lukasczyk2024] each pixel points to its highest neighbour. Pointers are followed within the tile first, by
//         halving in shared memory, so that what is left is a hop from tile to tile
#pragma once
#include "max_tree/2_local.cuh"
#include "max_tree/2_local_sort.cuh"

namespace skerry::tree_stages::on_device {

// Calls visit(x, y, z) for the neighbours of a pixel that are in the image.
template <int Connectivity, class Visit>
__device__ void each_neighbour(const tree_grid<rank_of<Connectivity>>& grid, i32 x, i32 y, i32 z, Visit visit) {
  constexpr bool slanted = Connectivity == 8 || Connectivity == 26;
  constexpr int deep = rank_of<Connectivity> == 3 ? 1 : 0;
#pragma unroll
  for (int dz = -deep; dz <= deep; ++dz)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        const int moved = (dx != 0) + (dy != 0) + (dz != 0);
        if (moved == 0 || (!slanted && moved > 1)) continue;
        const bool inside = static_cast<u32>(x + dx) < static_cast<u32>(grid.width) &&
                            static_cast<u32>(y + dy) < static_cast<u32>(grid.height) &&
                            static_cast<u32>(z + dz) < static_cast<u32>(grid.depth);
        if (inside) visit(x + dx, y + dy, z + dz);
      }
}

template <int Connectivity>
__global__ void __launch_bounds__(tile_threads)
    basins_kernel(tree_grid<rank_of<Connectivity>> grid, const u32* rank, u32* basin) {
  constexpr int dimensions = rank_of<Connectivity>;
  using g = tree_grid<dimensions>;
  __shared__ u16 next[tile_pixels];    // within the tile; itself where the way ends or leaves the tile
  __shared__ u32 target[tile_pixels];  // of those: where to
  const tile_box inside = grid.tile(blockIdx.x);
  each_pixel<dimensions>(inside, [&](int place, int dx, int dy, int dz) {
    const i32 x = inside.x + dx, y = inside.y + dy, z = inside.z + dz;
    u32 to = grid.pixel(x, y, z), highest = rank[to];
    int to_place = place;
    each_neighbour<Connectivity>(grid, x, y, z, [&](i32 nx, i32 ny, i32 nz) {
      const u32 pixel = grid.pixel(nx, ny, nz), height = rank[pixel];
      if (height < highest) return;
      highest = height;
      to = pixel;
      const int px = nx - inside.x, py = ny - inside.y, pz = nz - inside.z;
      to_place = inside.holds(px, py, pz) ? g::place(px, py, pz) : place;
    });
    next[place] = static_cast<u16>(to_place);
    target[place] = to;
  });
  for (bool changed = true; __syncthreads_or(changed);) {
    changed = false;
    each_pixel<dimensions>(inside, [&](int place, int, int, int) {
      volatile u16* const ways = next;  // others may have moved on already: all the better
      const u16 to = ways[place], after = ways[to];
      if (after == to) return;
      ways[place] = after;
      changed = true;
    });
  }
  each_pixel<dimensions>(inside, [&](int place, int x, int y, int z) {
    basin[grid.pixel(inside.x + x, inside.y + y, inside.z + z)] = target[next[place]];
  });
}

// From tile to tile.
__global__ inline void __launch_bounds__(linear_threads) follow_kernel(u32 pixels, u32* basin) {
  const u32 pixel = blockIdx.x * linear_threads + threadIdx.x;
  if (pixel >= pixels) return;
  volatile u32* const ways = basin;
  const u32 begin = ways[pixel];
  u32 to = begin;
  for (u32 after = ways[to]; after != to; after = ways[to]) to = after;
  if (to != begin) ways[pixel] = to;
}

}  // namespace skerry::tree_stages::on_device

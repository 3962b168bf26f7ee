// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, wide keys: the branches of one tile, in shared memory.
//
//   thread  16 pixels in turn
//   block   a tile
//
// A branch is what grows around one maximum, from there down to the pixel where it meets a branch with a higher maximum,
// and ends in it. Where branches end is all that must be known of far places: how many pixels a branch has, and how many
// levels, does not matter, so chains as long as the image cost no more than others.
//
// Reads   the rank of each pixel
// Writes  as if there were no other tiles: the branch of each pixel, by its maximum, and at each maximum the end of its
//         branch, 1 + the rank of the meeting pixel over the maximum of the other branch; 0 for the highest of all
// Method  [Lukasczyk2024] each pixel points to its highest neighbour, and pointers are halved until they lead to the
//         maximum whose basin the pixel is in. [Smirnov2017] Each pixel where basins meet joins their branches; a branch
//         keeps the highest of its ends, and what this replaces is joined further down. As in links.cuh one atomic maximum
//         does it.
#pragma once
#include "max_tree/2_local.cuh"
#include "max_tree/2_local_sort.cuh"

namespace skerry::tree_stages::on_device {

// Ends of branches; Words is tile_links<u64> or image_links.
template <class Words>
struct branch_ends {
  Words words;
  const u32* rank;

  // The branch that a branch is a part of at a level.
  __device__ u32 at_level(u32 branch, u32 level) const {
    for (u64 end = words.load(branch); key_in(end) > level; end = words.load(branch)) branch = place_in(end);
    return branch;
  }

  // Two branches meet at a pixel of rank `level`, if not above it.
  __device__ void join(u32 a, u32 b, u32 level) const {
    for (;;) {
      a = at_level(a, level);
      b = at_level(b, level);
      if (a == b) return;
      if (rank[a] > rank[b]) {
        const u32 higher = a;
        a = b;
        b = higher;
      }
      const u64 end = word_of<u64>(level + 1, b), old = words.raise(a, end);
      if (old == 0 || old == end) return;
      if (old < end) {  // it had met another one further down
        a = b;
        level = key_in(old) - 1;
        b = place_in(old);
      } else {
        a = place_in(old);
      }
    }
  }
};

struct branch_memory {
  u64 ends[tile_pixels];  // at maxima
  u32 rank[tile_pixels];
  u16 basin[tile_pixels];
};

// Calls visit(place) for the neighbours of a pixel in the tile.
template <int Connectivity, class Visit>
__device__ void each_neighbour(const tile_box& inside, int x, int y, int z, Visit visit) {
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
        if (inside.holds(x + dx, y + dy, z + dz))
          visit(tree_grid<rank_of<Connectivity>>::place(x + dx, y + dy, z + dz));
      }
}

template <int Connectivity>
__device__ void find_basins(branch_memory& memory, const tile_box& inside) {
  constexpr int dimensions = rank_of<Connectivity>;
  each_pixel<dimensions>(inside, [&](int place, int x, int y, int z) {
    u32 highest = memory.rank[place];
    int to = place;
    each_neighbour<Connectivity>(inside, x, y, z, [&](int other) {
      if (memory.rank[other] <= highest) return;
      highest = memory.rank[other];
      to = other;
    });
    memory.basin[place] = static_cast<u16>(to);
    memory.ends[place] = 0;
  });
  for (bool changed = true; __syncthreads_or(changed);) {
    changed = false;
    each_pixel<dimensions>(inside, [&](int place, int, int, int) {
      volatile u16* const ways = memory.basin;  // others may have moved on already: all the better
      const u16 to = ways[place], after = ways[to];
      if (after == to) return;
      ways[place] = after;
      changed = true;
    });
  }
}

template <int Connectivity>
__global__ void __launch_bounds__(tile_threads)
    local_branches_kernel(tree_grid<rank_of<Connectivity>> grid, const u32* rank, u32* branch, u64* ends) {
  constexpr int dimensions = rank_of<Connectivity>;
  using g = tree_grid<dimensions>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<branch_memory*>(shared);
  const tile_box inside = grid.tile(blockIdx.x);
  each_pixel<dimensions>(inside, [&](int place, int x, int y, int z) {
    memory.rank[place] = rank[grid.pixel(inside.x + x, inside.y + y, inside.z + z)];
  });
  __syncthreads();
  find_basins<Connectivity>(memory, inside);
  const branch_ends<tile_links<u64>> branches{{memory.ends}, memory.rank};
  each_pixel<dimensions>(inside, [&](int place, int x, int y, int z) {
    const u32 level = memory.rank[place], own = memory.basin[place];
    u32 last = own;
    each_neighbour<Connectivity>(inside, x, y, z, [&](int other) {
      const u32 theirs = memory.basin[other];
      if (theirs == own || theirs == last || memory.rank[other] < level) return;
      last = theirs;
      branches.join(own, theirs, level);
    });
  });
  __syncthreads();
  const auto pixel_at = [&](u32 place) {
    const int at = static_cast<int>(place);
    return grid.pixel(inside.x + g::x_of(at), inside.y + g::y_of(at), inside.z + g::z_of(at));
  };
  each_pixel<dimensions>(inside, [&](int place, int, int, int) {
    const u32 pixel = pixel_at(place), basin = memory.basin[place];
    branch[pixel] = pixel_at(branches.at_level(basin, memory.rank[place]));
    if (basin != static_cast<u32>(place)) return;
    const u64 end = branches.words.load(place);
    ends[pixel] = end == 0 ? 0 : word_of<u64>(key_in(end), pixel_at(place_in(end)));
  });
}

template <int Connectivity>
cudaError_t launch_local_branches(const tree_grid<rank_of<Connectivity>>& grid, const u32* rank, u32* branch, u64* ends,
                                  cudaStream_t stream) {
  constexpr auto bytes = static_cast<int>(sizeof(branch_memory));
  const cudaError_t result =
      cudaFuncSetAttribute(local_branches_kernel<Connectivity>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (result != cudaSuccess) return result;
  local_branches_kernel<Connectivity><<<grid.tiles(), tile_threads, bytes, stream>>>(grid, rank, branch, ends);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device

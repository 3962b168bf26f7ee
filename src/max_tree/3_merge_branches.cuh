// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA, wide keys: which branch ends in which.
//
//   thread  16 pixels in turn
//   block   a tile
//
// A branch is what grows around one maximum, from there down to the pixel where it meets a branch with a higher maximum,
// and ends in it. Where branches end is all that must be found between far places: how many pixels a branch has, and how
// many levels, does not matter, so chains as long as the image cost no more than others.
//
// Reads   ranks, basins
// Writes  the end of each branch, a word at its maximum: 1 + the rank of the meeting pixel over the maximum of the other
//         branch; 0 for the highest of all. Then the branch of each pixel
// Method  [Smirnov2017] each pixel where basins meet joins their branches; a branch keeps the highest of its ends, and what
//         this replaces is joined further down. As in links.cuh one atomic maximum does it.
#pragma once
#include "max_tree/2_local_basins.cuh"

namespace skerry::tree_stages::on_device {

struct branch_ends {
  u64* words;
  const u32* rank;

  __device__ u64 load(u32 branch) const {
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(words + branch) : "memory");
    return value;
  }

  // The branch that a branch is a part of at a level.
  __device__ u32 at_level(u32 branch, u32 level) const {
    for (u64 end = load(branch); key_in(end) > level; end = load(branch)) branch = place_in(end);
    return branch;
  }

  // The branches of two maxima meet at a pixel of rank `level`, if not above it.
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
      const u64 end = word_of<u64>(level + 1, b);
      const u64 old = atomicMax(reinterpret_cast<unsigned long long*>(words) + a, static_cast<unsigned long long>(end));
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

template <int Connectivity>
__global__ void __launch_bounds__(tile_threads)
    join_branches_kernel(tree_grid<rank_of<Connectivity>> grid, const u32* rank, const u32* basin, u64* ends) {
  const tile_box inside = grid.tile(blockIdx.x);
  const branch_ends branches{ends, rank};
  each_pixel<rank_of<Connectivity>>(inside, [&](int, int dx, int dy, int dz) {
    const i32 x = inside.x + dx, y = inside.y + dy, z = inside.z + dz;
    const u32 pixel = grid.pixel(x, y, z), own = basin[pixel], level = rank[pixel];
    u32 last = own;
    each_neighbour<Connectivity>(grid, x, y, z, [&](i32 nx, i32 ny, i32 nz) {
      const u32 other = grid.pixel(nx, ny, nz), theirs = basin[other];
      if (theirs == own || theirs == last || rank[other] < level) return;
      last = theirs;
      branches.join(own, theirs, level);
    });
  });
}

// The basin of each pixel becomes its branch.
__global__ inline void __launch_bounds__(linear_threads)
    branches_kernel(u32 pixels, const u32* rank, const u64* ends, u32* basin) {
  const u32 pixel = blockIdx.x * linear_threads + threadIdx.x;
  if (pixel >= pixels) return;
  const u32 level = rank[pixel], begin = basin[pixel];
  u32 branch = begin;
  for (u64 end = ends[branch]; key_in(end) > level; end = ends[branch]) branch = place_in(end);
  if (branch != begin) basin[pixel] = branch;
}

}  // namespace skerry::tree_stages::on_device

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
};

// Joins two branches that meet at a pixel of rank `level`, if not above it. In steps, as chain_walk.
template <class Words>
class branch_walk {
 public:
  __device__ void begin(u32 a, u32 b, u32 level) { a_ = a, b_ = b, level_ = level; }

  // False when they are joined.
  __device__ bool step(const branch_ends<Words>& ends) {
    const u64 end_a = ends.words.load(a_), end_b = ends.words.load(b_);
    const bool a_has_ended = key_in(end_a) > level_, b_has_ended = key_in(end_b) > level_;
    if (a_has_ended) a_ = place_in(end_a);
    if (b_has_ended) b_ = place_in(end_b);
    if (a_ == b_) return false;
    if (a_has_ended || b_has_ended) return true;
    if (ends.rank[a_] > ends.rank[b_]) {
      const u32 higher = a_;
      a_ = b_;
      b_ = higher;
    }
    const u64 end = word_of<u64>(level_ + 1, b_), old = ends.words.raise(a_, end);
    if (old == 0 || old == end) return false;
    if (old < end) {  // it had met another one further down
      a_ = b_;
      level_ = key_in(old) - 1;
      b_ = place_in(old);
    } else {
      a_ = place_in(old);
    }
    return true;
  }

 private:
  u32 a_, b_, level_;
};

struct branch_memory {
  u64 ends[tile_pixels];  // at maxima
  u32 rank[tile_pixels];
  u16 basin[tile_pixels];
};

struct offset {
  int x, y, z;
};

// The neighbours before a pixel in raster order, those that differ on one axis first.
template <int Connectivity>
__device__ offset earlier(int way) {
  if constexpr (Connectivity == 4 || Connectivity == 6) {
    return {-(way == 0), -(way == 1), -(way == 2)};
  } else {
    const int k =
        Connectivity == 8 ? way + 9 : way;  // of the 13 before the middle of a cube; 4 of them are in its plane
    return {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
  }
}

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

// Each thread looks at its pixels and their earlier neighbours in turn, and joins where basins meet.
template <int Connectivity>
__device__ void join_basins(const branch_memory& memory, const tile_box& inside,
                            const branch_ends<tile_links<u64>>& branches) {
  using g = tree_grid<rank_of<Connectivity>>;
  constexpr int ways = Connectivity / 2;
  branch_walk<tile_links<u64>> walk;
  bool busy = false;
  for (int slot = 0; busy || slot < run_pixels * ways;) {
    if (busy) {
      busy = walk.step(branches);
      continue;
    }
    const int place = static_cast<int>(threadIdx.x) + slot / ways * tile_threads, way = slot % ways;
    ++slot;
    const int x = g::x_of(place), y = g::y_of(place), z = g::z_of(place);
    const offset to = earlier<Connectivity>(way);
    if (!inside.holds(x, y, z) || !inside.holds(x + to.x, y + to.y, z + to.z)) continue;
    const int other = place + g::place(to.x, to.y, to.z);
    const u32 own = memory.basin[place], theirs = memory.basin[other];
    if (own == theirs) continue;
    walk.begin(own, theirs, min(memory.rank[place], memory.rank[other]));
    busy = true;
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
  join_basins<Connectivity>(memory, inside, branches);
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

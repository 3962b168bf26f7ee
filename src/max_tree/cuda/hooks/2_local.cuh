// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, local: the tree of one tile, in shared memory.
//
//   thread  16 pixels: a run (2_runs.cuh), or with 8 neighbours a piece of a strip (2_strips.cuh)
//   block   a tile
//
// Reads   keys of the tile
// Writes  the link of each pixel, as if there were no other tiles: within a level one hop to its first pixel, from there
//         to the first pixel of the level below
// Method  each thread solves its run of pixels alone. Then touching runs are connected, at few pairs of pixels, which are
//         listed before: first those of runs above each other and of every second column or strip, since chains that several
//         join at once are walked along by all of these. Threads of a warp wait for each other after each loop of unequal
//         length: by themselves they stay apart until the end.
#pragma once
#include <type_traits>

#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/1_encode.cuh"
#include "max_tree/cuda/hooks/2_runs.cuh"
#include "max_tree/cuda/hooks/2_strips.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr int most_rounds = 12;
inline constexpr int steps_at_once = 4;  // that a warp takes before idle threads look for the next pair

template <int Connectivity>
using runs_of = std::conditional_t<Connectivity == 8, strip_runs, column_runs<Connectivity>>;

template <int Connectivity>
struct tile_memory {
  u32 links[tile_pixels];
  u8 keys[tile_pixels];
  u16 list[runs_of<Connectivity>::most_listed];
  u32 listed[most_rounds];  // early pairs, from the beginning of the list on, and << 16 late ones, from its end back
};

template <int Connectivity>
class tile_solver {
 public:
  __device__ tile_solver(tile_memory<Connectivity>& memory, const tile_box& inside)
      : memory_(memory), links_{memory.links}, runs_(memory.keys, links_, inside) {}

  __device__ void solve() {
    runs_.link();
    if constexpr (rank_of<Connectivity> == 2) list(runs_.follows(), false);
    list(runs_.template kept<1, 0, 0>(), runs_.template late<1>());
    __syncthreads();
    connect_listed<1, 0, 0>();
    if constexpr (rank_of<Connectivity> == 3) round<0, 0, 1>();
    if constexpr (Connectivity == 26) {
      round<1, 1, 0>();
      round<1, -1, 0>();
      round<0, 1, 1>();
      round<0, -1, 1>();
      round<1, 0, 1>();
      round<-1, 0, 1>();
      round<1, 1, 1>();
      round<1, -1, 1>();
      round<-1, 1, 1>();
      round<-1, -1, 1>();
    }
    __syncthreads();
  }

  // What the link of a pixel leads to: the word of the first pixel of a level, or 0.
  __device__ u32 link_of(u32 place) const {
    u32 at = links_.load(place);
    if (at != 0)
      for (u32 below; key_in(below = links_.load(place_in(at))) == key_in(at);) at = below;
    return at;
  }

 private:
  static constexpr u32 most_listed = runs_of<Connectivity>::most_listed;

  // The pixels of a thread do not follow each other in the list: neighbours in it begin at other chains.
  __device__ void list(u32 kept, bool late) {
    const u32 own = static_cast<u32>(__popc(kept)), late_ones = __ballot_sync(~0u, late);
    const u32 alike = late ? late_ones : ~late_ones;
    const u32 of_warp = __reduce_add_sync(~0u, late ? own << 16 : own);
    const u32 before = __shfl_sync(~0u, lane_of_thread() == 0 ? atomicAdd(memory_.listed + rounds_, of_warp) : 0, 0);
    u32 next = late ? before >> 16 : before & 0xffff;
    for (u32 some; (some = __ballot_sync(~0u, kept != 0)) != 0; kept &= kept - 1) {
      some &= alike;
      const u32 at = next + count_before(some), slot = late ? most_listed - 1 - at : at;
      if (kept != 0) memory_.list[slot] = runs_.listed(__ffs(static_cast<int>(kept)) - 1);
      next += static_cast<u32>(__popc(some));
    }
  }

  // In images half of the warps do it: at the end most threads of a warp wait for a long walk, and fewer warps have fewer of these.
  // They take pairs of the list in turn, and their threads the next when they are done with one.
  template <int Dx, int Dy, int Dz>
  __device__ void connect_listed() {
    const u32 both = memory_.listed[rounds_++], early = both & 0xffff, count = early + (both >> 16);
    constexpr u32 warps = tile_threads / 32, walkers = rank_of<Connectivity> == 2 ? 4 : warps;
    u32 next = (threadIdx.x / 32 + blockIdx.x * walkers) % warps;  // not the same for all tiles of a processor
    if (next >= walkers) return;
    chain_walk<tile_links<u32>, u32> walk;
    bool busy = false;
    for (;;) {
      const u32 idle = __ballot_sync(~0u, !busy);
      if (idle != 0 && next < count) {
        const u32 i = next + walkers * count_before(idle);
        next += walkers * static_cast<u32>(__popc(idle));
        if (!busy && i < count) {
          const u32 listed = memory_.list[i < early ? i : most_listed - 1 + early - i];
          begin(walk, runs_of<Connectivity>::template pair_of<Dx, Dy, Dz>(listed));
          busy = true;
        }
      } else if (idle == ~0u) {
        return;
      }
#pragma unroll
      for (int k = 0; k < steps_at_once; ++k)
        if (busy) busy = walk.step(links_);
    }
  }

  __device__ void begin(chain_walk<tile_links<u32>, u32>& walk, const place_pair& pair) const {
    walk.begin(links_, word_at(pair.a), word_at(pair.b));
  }
  __device__ u32 word_at(u32 place) const { return word_of<u32>(memory_.keys[place] + 1u, place); }

  template <int Dx, int Dy, int Dz>
  __device__ void round() {
    __syncthreads();
    list(runs_.template kept<Dx, Dy, Dz>(), runs_.template late<Dx>());
    __syncthreads();
    connect_listed<Dx, Dy, Dz>();
  }

  tile_memory<Connectivity>& memory_;
  tile_links<u32> links_;
  runs_of<Connectivity> runs_;
  int rounds_ = 0;
};

template <int Connectivity>
__global__ void __launch_bounds__(tile_threads)
    local_kernel(tree_grid<rank_of<Connectivity>> grid, grey_source<u8> image, u64* links) {
  constexpr int rank = rank_of<Connectivity>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<tile_memory<Connectivity>*>(shared);
  const tile_box inside = grid.tile(blockIdx.x);
  if (threadIdx.x < most_rounds) memory.listed[threadIdx.x] = 0;
  each_pixel<rank>(inside, [&](int place, int x, int y, int z) {
    memory.keys[place] = image.key(inside.x + x, inside.y + y, inside.z + z);
  });
  __syncthreads();
  tile_solver<Connectivity> solver(memory, inside);
  solver.solve();
  each_pixel<rank>(
      inside, [&](int place, int, int, int) { return solver.link_of(static_cast<u32>(place)); },
      [&](u32 to, int x, int y, int z) {
        const int at = static_cast<int>(place_in(to));
        using grid_type = tree_grid<rank>;
        const u32 pixel =
            grid.pixel(inside.x + grid_type::x_of(at), inside.y + grid_type::y_of(at), inside.z + grid_type::z_of(at));
        links[grid.pixel(inside.x + x, inside.y + y, inside.z + z)] = to != 0 ? word_of<u64>(key_in(to), pixel) : 0;
      });
}

template <int Connectivity>
cudaError_t launch_local(const tree_grid<rank_of<Connectivity>>& grid, const grey_source<u8>& image, u64* links,
                         cudaStream_t stream) {
  constexpr auto bytes = static_cast<int>(sizeof(tile_memory<Connectivity>));
  static_assert(bytes <= 48 << 10);
  local_kernel<Connectivity><<<grid.tiles(), tile_threads, bytes, stream>>>(grid, image, links);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device

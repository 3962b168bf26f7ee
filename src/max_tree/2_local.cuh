// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, local: the tree of one tile, in shared memory.
//
//   thread  16 pixels below each other
//   block   a tile
//
// Reads   keys of the tile
// Writes  the link of each pixel, as if there were no other tiles: within a level one hop to its first pixel, from there
//         to the first pixel of the level below; and the place of the first NaN
// Method  each thread solves its run of pixels alone, with the run itself as the stack. Then touching runs are connected,
//         at few pairs of pixels: a pair is left out where a neighbouring pair, or a pixel that touches both, connects
//         the two at a level that is not lower. Pairs that stay are listed first, so that all threads have some.
#pragma once
#include "max_tree/1_encode.cuh"
#include "max_tree/links.cuh"
#include "max_tree/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

// A pair that is not straight can be kept at every pixel; straight ones at every second, and where runs follow each other.
template <int Connectivity>
inline constexpr int most_listed = Connectivity == 4 ? 2304 : tile_pixels;
inline constexpr int most_rounds = 12;

template <int Connectivity>
struct tile_memory {
  u32 links[tile_pixels];
  u8 keys[tile_pixels];
  u16 list[most_listed<Connectivity>];
  u32 listed[most_rounds], taken[most_rounds];
};

template <int Connectivity>
class tile_solver {
 public:
  static constexpr int rank = rank_of<Connectivity>;
  using grid_type = tree_grid<rank>;

  __device__ tile_solver(tile_memory<Connectivity>& memory, const tile_box& inside)
      : memory_(memory), inside_(inside), links_{memory.links}, x_(grid_type::x_of(threadIdx.x)) {
    const int row = threadIdx.x >> grid_type::shift;
    constexpr int runs = grid_type::side / run_pixels;
    y_ = row % runs * run_pixels;
    z_ = row / runs;
    valid_ = inside.holds(x_, y_, z_);
  }

  __device__ void solve() {
    if (valid_) link_run();
    list_kept(valid_ ? kept_straight<1, 0>() : 0);
    __syncthreads();
    connect_runs();
    connect_listed<1, 0, 0>();
    if constexpr (Connectivity == 8) {
      round<1, 1, 0>();
      round<1, -1, 0>();
    }
    if constexpr (rank == 3) round<0, 0, 1>();
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

  // The word of the first pixel of the level that `at` is in; the lowest of all has none below it.
  __device__ u32 first_of(u32 at) const {
    for (;;) {
      const u32 below = links_.load(place_in(at));
      if (below == 0) return key_in(at) == 0 && memory_.keys[0] == 0 ? 0 : at;
      if (key_in(below) != key_in(at)) return at;
      at = below;
    }
  }

  // What the link of a pixel leads to; found is false when it is the lowest of the tile.
  __device__ u32 link_of(u32 place, bool& found) const {
    const u32 below = links_.load(place);
    found = below != 0 || (place != 0 && memory_.keys[0] == 0);
    return below == 0 ? 0 : first_of(below);
  }

 private:
  __device__ u32 place(int i) const { return static_cast<u32>(grid_type::place(x_, y_ + i, z_)); }
  __device__ u32 word_at(u32 place) const { return word_of<u32>(memory_.keys[place], place); }

  // Runs below each other.
  __device__ void connect_runs() const {
    if (!valid_ || y_ == 0) return;
    chain_walk<tile_links<u32>, u32> walk;
    walk.begin(links_, word_at(place(0)), word_at(place(0) - grid_type::side));
    while (walk.step(links_)) {}
  }

  // Links always lead to the first pixel of a level of this run.
  __device__ void link_run() const {
    u32 top = word_at(place(0));
    links_.store(place(0), 0);
    const int pixels = min(run_pixels, inside_.height - y_);
    for (int i = 1; i < pixels; ++i) {
      const u32 here = word_at(place(i));
      u32 below = top;
      if (key_in(here) < key_in(top)) {
        u32 above = top;
        below = links_.load(place_in(top));
        while (below != 0 && key_in(below) > key_in(here)) {
          above = below;
          below = links_.load(place_in(below));
        }
        top = below;
        if (below == 0 || key_in(below) != key_in(here)) {
          links_.store(place_in(above), here);
          top = here;
        }
      } else if (key_in(here) > key_in(top)) {
        top = here;
      }
      links_.store(place(i), below);
    }
  }

  // A bit for each pixel of the run whose pair with the pixel beside it is kept: the lower key of the pair has a local
  // maximum along the run, one per plateau.
  template <int Dx, int Dz>
  __device__ u32 kept_straight() const {
    if (!inside_.holds(x_ + Dx, y_, z_ + Dz)) return 0;
    constexpr int beside = grid_type::place(Dx, 0, Dz);
    const u8* const keys = memory_.keys + place(0);
    const auto lower_at = [&](int i) -> int {
      if (y_ + i < 0 || y_ + i >= inside_.height) return -1;
      const u8 *const a = keys + i * grid_type::side, *const b = a + beside;
      return *a < *b ? *a : *b;
    };
    u32 kept = 0;
    int before = lower_at(-1), here = lower_at(0);
#pragma unroll
    for (int i = 0; i < run_pixels; ++i) {
      const int after = lower_at(i + 1);
      kept |= u32{here > before && here >= after} << i;
      before = here;
      here = after;
    }
    return kept;
  }

  // The same for pairs that differ on several axes: kept where every pixel that touches both is lower than both.
  template <int Dx, int Dy, int Dz>
  __device__ u32 kept_slanted() const {
    u32 kept = 0;
#pragma unroll 4
    for (int i = 0; i < run_pixels; ++i) {
      if (y_ + i >= inside_.height || !inside_.holds(x_ + Dx, y_ + i + Dy, z_ + Dz)) continue;
      const u8* const a = memory_.keys + place(i);
      const u8 b = a[grid_type::place(Dx, Dy, Dz)], lower = *a < b ? *a : b;
      bool keep = true;
      each_between<Dx, Dy, Dz>([&](int x, int y, int z) { keep &= a[grid_type::place(x, y, z)] < lower; });
      kept |= u32{keep} << i;
    }
    return kept;
  }

  // The pixels of a thread do not follow each other in the list: neighbours in it begin at other chains.
  __device__ void list_kept(u32 kept) {
    for (; kept != 0; kept &= kept - 1)
      memory_.list[atomicAdd(memory_.listed + rounds_, 1)] = static_cast<u16>(place(__ffs(static_cast<int>(kept)) - 1));
  }

  // Each thread takes the next pair as soon as it is done with one.
  template <int Dx, int Dy, int Dz>
  __device__ void connect_listed() {
    const u32 count = memory_.listed[rounds_];
    u32* const taken = memory_.taken + rounds_++;
    chain_walk<tile_links<u32>, u32> walk;
    for (bool busy = false;;) {
      if (!busy) {
        const u32 i = atomicAdd(taken, 1);
        if (i >= count) break;
        const u32 at = memory_.list[i];
        walk.begin(links_, word_at(at), word_at(at + grid_type::place(Dx, Dy, Dz)));
      }
      busy = walk.step(links_);
    }
  }

  template <int Dx, int Dy, int Dz>
  __device__ void round() {
    __syncthreads();
    constexpr bool straight = Dy == 0 && (Dx == 0 || Dz == 0);
    u32 kept = 0;
    if (valid_) {
      if constexpr (straight) kept = kept_straight<Dx, Dz>();
      else kept = kept_slanted<Dx, Dy, Dz>();
    }
    list_kept(kept);
    __syncthreads();
    connect_listed<Dx, Dy, Dz>();
  }

  tile_memory<Connectivity>& memory_;
  const tile_box& inside_;
  tile_links<u32> links_;
  int x_, y_, z_;  // of the run, in the tile
  bool valid_;
  int rounds_ = 0;
};

// Calls visit(place, x, y, z) for the pixels of a tile that this thread has: rows of pixels for rows of threads.
template <int Rank, class Visit>
__device__ void each_pixel(const tile_box& inside, Visit visit) {
#pragma unroll 4
  for (int place = threadIdx.x; place < tile_pixels; place += tile_threads) {
    const int x = tree_grid<Rank>::x_of(place), y = tree_grid<Rank>::y_of(place), z = tree_grid<Rank>::z_of(place);
    if (inside.holds(x, y, z)) visit(place, x, y, z);
  }
}

template <int Connectivity>
__global__ void __launch_bounds__(tile_threads)
    local_kernel(tree_grid<rank_of<Connectivity>> grid, grey_source<u8> image, u64* links) {
  constexpr int rank = rank_of<Connectivity>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<tile_memory<Connectivity>*>(shared);
  const tile_box inside = grid.tile(blockIdx.x);
  if (threadIdx.x < most_rounds) memory.listed[threadIdx.x] = memory.taken[threadIdx.x] = 0;
  each_pixel<rank>(inside, [&](int place, int x, int y, int z) {
    memory.keys[place] = image.key(inside.x + x, inside.y + y, inside.z + z);
  });
  __syncthreads();
  tile_solver<Connectivity> solver(memory, inside);
  solver.solve();
  each_pixel<rank>(inside, [&](int place, int x, int y, int z) {
    bool found;
    const auto to = solver.link_of(static_cast<u32>(place), found);
    const int at = static_cast<int>(place_in(to));
    using grid_type = tree_grid<rank>;
    const u32 pixel =
        grid.pixel(inside.x + grid_type::x_of(at), inside.y + grid_type::y_of(at), inside.z + grid_type::z_of(at));
    links[grid.pixel(inside.x + x, inside.y + y, inside.z + z)] = found ? word_of<u64>(key_in(to), pixel) : 0;
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

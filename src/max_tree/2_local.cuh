// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, local: the tree of one tile, in shared memory.
//
//   thread  16 pixels below each other
//   block   a tile
//
// Reads   keys of the tile
// Writes  the link of each pixel, as if there were no other tiles: within a level one hop to its first pixel, from there
//         to the first pixel of the level below
// Method  each thread solves its run of pixels alone, with the run itself as the stack. Then touching runs are connected,
//         at few pairs of pixels: a pair is left out where a neighbouring pair, or a pixel that touches both, connects
//         the two at a level that is not lower. Pairs that stay are listed first, so that all threads have some: first those
//         of every second column, since chains that several join at once are walked along by all of these. Threads of a
//         warp wait for each other after each loop of unequal length: by themselves they stay apart until the end.
#pragma once
#include "max_tree/1_encode.cuh"
#include "max_tree/links.cuh"
#include "max_tree/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

// Pairs that are not all straight can be kept at every pixel; straight ones at every second, and where runs follow each other.
template <int Connectivity>
inline constexpr int most_listed = Connectivity == 4 ? 2304 : tile_pixels;
inline constexpr int most_rounds = 12;
inline constexpr u32 left_is_below = 1 << 12, right_is_below = 1 << 13;  // in the list, of a pair with 8 neighbours
inline constexpr int steps_at_once = 4;  // that a warp takes before idle threads look for the next pair

template <int Connectivity>
struct tile_memory {
  u32 links[tile_pixels];
  u8 keys[tile_pixels];
  u16 list[most_listed<Connectivity>];
  u32 listed[most_rounds];  // early pairs, from the beginning of the list on, and << 16 late ones, from its end back
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
    link_run();
    list_kept(valid_ ? Connectivity == 8 ? kept_between_rows() : kept_straight<1, 0>() : 0, x_ % 2 != 0);
    __syncthreads();
    chain_walk<tile_links<u32>, u32> walk;
    const bool run_follows = valid_ && y_ > 0;
    if (run_follows) walk.begin(links_, word_at(place(0)), word_at(place(0) - grid_type::side));
    connect_listed<1, 0, 0>(walk, run_follows);
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

  // What the link of a pixel leads to: the word of the first pixel of a level, or 0.
  __device__ u32 link_of(u32 place) const {
    u32 at = links_.load(place);
    if (at != 0)
      for (u32 below; key_in(below = links_.load(place_in(at))) == key_in(at);) at = below;
    return at;
  }

 private:
  __device__ u32 place(int i) const { return static_cast<u32>(grid_type::place(x_, y_ + i, z_)); }
  __device__ u32 word_at(u32 place) const { return word_of<u32>(memory_.keys[place] + 1u, place); }

  // Links always lead to the first pixel of a level of this run. Threads of a warp go from pixel to pixel together.
  __device__ void link_run() const {
    const int pixels = valid_ ? min(run_pixels, inside_.height - y_) : 0;
    u32 top = word_at(place(0));  // the first pixel of the level of the pixel before
    if (pixels > 0) links_.store(place(0), 0);
    for (int i = 1; i < run_pixels; ++i) {
      const u32 here = word_at(place(i));
      u32 above = 0, below = top;
      if (i < pixels)
        while (key_in(below) > key_in(here)) {
          above = below;
          below = links_.load(place_in(below));
        }
      __syncwarp();
      if (i >= pixels) continue;
      top = key_in(below) == key_in(here) ? below : here;
      if (above != 0 && top == here) links_.store(place_in(above), here);
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

  // For 8 neighbours, a bit for each pixel of the run which with the one below it is connected to the two beside these. All
  // four touch, so one pair is enough, at the level at which both columns have a pixel. It is left out where a straight pair
  // above or below it is as high: that one is part of the four pixels there. So of each plateau the first is kept, if what
  // follows is not higher.
  __device__ u32 kept_between_rows() const {
    if (!inside_.holds(x_ + 1, y_, 0)) return 0;
    const u8* const keys = memory_.keys + place(0);
    const int rows = inside_.height - y_;
    const auto key = [&](int i, int x) -> int { return i < rows ? keys[i * grid_type::side + x] : -1; };
    int a = key(0, 0), b = key(0, 1), a_next = key(1, 0), b_next = key(1, 1);
    int straight = min(a, b), here = min(max(a, a_next), max(b, b_next));
    if (rows == 1) return y_ == 0 ? 1 : 0;
    bool begins = y_ == 0 || here > straight;
    u32 kept = 0;
#pragma unroll
    for (int i = 0; i < run_pixels; ++i) {
      a = a_next, b = b_next;
      a_next = key(i + 2, 0), b_next = key(i + 2, 1);
      straight = min(a, b);
      const int after = a_next < 0 ? -1 : min(max(a, a_next), max(b, b_next));
      kept |= u32{i + 1 < rows && begins && (here > straight || after <= here)} << i;
      begins = after > straight;
      here = after;
    }
    return kept;
  }

  // The same for pairs that differ on several axes, with 26 neighbours: kept where every pixel that touches both is lower than both.
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
  __device__ void list_kept(u32 kept, bool late) {
    const u32 own = static_cast<u32>(__popc(kept)), alike = __match_any_sync(~0u, late);
    const u32 of_warp = __reduce_add_sync(~0u, late ? own << 16 : own);
    const u32 before = __shfl_sync(~0u, lane() == 0 ? atomicAdd(memory_.listed + rounds_, of_warp) : 0, 0);
    u32 next = late ? before >> 16 : before & 0xffff;
    for (u32 some; (some = __ballot_sync(~0u, kept != 0)) != 0; kept &= kept - 1) {
      some &= alike;
      const u32 at = next + before_lane(some), slot = late ? most_listed<Connectivity> - 1 - at : at;
      if (kept != 0) memory_.list[slot] = listed(__ffs(static_cast<int>(kept)) - 1);
      next += static_cast<u32>(__popc(some));
    }
  }

  // A pixel of the run; for 8 neighbours with bits for the pair: of each column the lowest pixel not below the level of the four.
  __device__ u16 listed(int i) const {
    u32 at = place(i);
    if (Connectivity == 8 && y_ + i + 1 < inside_.height) {
      const u8 *const keys = memory_.keys + at, *const next = keys + grid_type::side;
      const int level = min(max(keys[0], next[0]), max(keys[1], next[1]));
      const auto is_below = [&](int column) {
        const int upper = keys[column], lower = next[column];
        return min(upper, lower) >= level ? lower < upper : upper < lower;
      };
      at |= (is_below(0) ? left_is_below : 0) | (is_below(1) ? right_is_below : 0);
    }
    return static_cast<u16>(at);
  }

  // A warp has every eighth pair of the list; its threads take the next when they are done with one, or with their own.
  template <int Dx, int Dy, int Dz>
  __device__ void connect_listed(chain_walk<tile_links<u32>, u32> walk, bool busy) {
    const u32 both = memory_.listed[rounds_++], early = both & 0xffff, count = early + (both >> 16);
    constexpr u32 warps = tile_threads / 32;
    u32 next = threadIdx.x / 32;
    for (;;) {
      const u32 idle = __ballot_sync(~0u, !busy);
      if (idle != 0 && next < count) {
        const u32 i = next + warps * before_lane(idle);
        next += warps * static_cast<u32>(__popc(idle));
        if (!busy && i < count) {
          const u32 of_list = memory_.list[i < early ? i : most_listed<Connectivity> - 1 + early - i];
          begin(walk, of_list, static_cast<u32>(grid_type::place(Dx, Dy, Dz)));
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

  __device__ void begin(chain_walk<tile_links<u32>, u32>& walk, u32 of_list, u32 beside) const {
    u32 a = of_list, b = of_list + beside;
    if constexpr (Connectivity == 8) {
      constexpr u32 side = grid_type::side;
      a = of_list % tile_pixels;
      b = a + 1 + ((of_list & right_is_below) != 0 ? side : 0);
      a += (of_list & left_is_below) != 0 ? side : 0;
    }
    walk.begin(links_, word_at(a), word_at(b));
  }

  __device__ static u32 lane() { return threadIdx.x % 32; }
  __device__ static u32 before_lane(u32 lanes) { return static_cast<u32>(__popc(lanes & ((u32{1} << lane()) - 1))); }

  template <int Dx, int Dy, int Dz>
  __device__ void round() {
    __syncthreads();
    constexpr bool straight = Dy == 0 && (Dx == 0 || Dz == 0);
    u32 kept = 0;
    if (valid_) {
      if constexpr (straight) kept = kept_straight<Dx, Dz>();
      else kept = kept_slanted<Dx, Dy, Dz>();
    }
    list_kept(kept, (Dx != 0 ? x_ : z_) % 2 != 0);
    __syncthreads();
    connect_listed<Dx, Dy, Dz>({}, false);
  }

  tile_memory<Connectivity>& memory_;
  const tile_box& inside_;
  tile_links<u32> links_;
  int x_, y_, z_;  // of the run, in the tile
  bool valid_;
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

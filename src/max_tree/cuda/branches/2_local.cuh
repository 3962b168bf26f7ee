// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, wide keys: the branches of one tile, in shared memory.
//
//   thread  16 pixels below each other
//   block   a tile
//
// Reads   keys of the tile
// Writes  as if there were no other tiles: the branch of each pixel, and at each maximum the end of its branch and the
//         spot of this end (2_branches.cuh)
// Method  [Lukasczyk2024] each pixel points to its highest neighbour, and pointers follow pointers until they lead to the
//         maximum whose basin the pixel is in. [Smirnov2017] Where basins meet their branches are joined. In images this is
//         done at saddles only: pixels whose higher neighbours, in the ring of eight around it, are several parts, each of
//         which is connected above the pixel; so its parts are joined, and nothing else.
#pragma once
#include "engine/cuda/kernel_facts.cuh"
#include "max_tree/cuda/branches/2_branches.cuh"
#include "max_tree/cuda/branches/saddles.cuh"
#include "max_tree/cuda/hooks/2_local.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr int most_saddles = tile_pixels / 2;  // that are listed

template <class Key>
struct branch_memory {
  u64 ends[tile_pixels / 2];
  Key keys[tile_pixels];
  u16 basin[tile_pixels];
  u16 saddles[most_saddles];
  u32 listed, taken;
};

template <int Connectivity, class Key>
class branch_solver {
 public:
  static constexpr int rank = rank_of<Connectivity>;
  using grid_type = tree_grid<rank>;

  __device__ branch_solver(branch_memory<Key>& memory, const tile_box& inside)
      : memory_(memory), inside_(inside), branches_{{memory.ends}, memory.keys}, x_(grid_type::x_of(threadIdx.x)) {
    constexpr int runs = grid_type::side / run_pixels;
    const int row = static_cast<int>(threadIdx.x) >> grid_type::shift;
    y_ = row % runs * run_pixels;
    z_ = row / runs;
    count_ = inside.holds(x_, y_, z_) ? min(run_pixels, inside.height - y_) : 0;
  }

  __device__ void solve(const tree_grid<rank>& grid, const grey_source<Key>& image) {
    read(grid, image);
    __syncthreads();
    if constexpr (rank == 2) point_in_plane();
    else point_in_volume();
    __syncthreads();
    follow();
    if constexpr (rank == 2) join_saddles();
    else join_basins();
    __syncthreads();
  }

  // Calls visit(place, branch) for the pixels of this thread. By all threads of a warp, which wait for each other after each.
  template <class Visit>
  __device__ void each(Visit visit) const {
    for (int i = 0; i < run_pixels; ++i) {
      const u32 branch = i < count_ ? at_level(branches_, memory_.basin[place(i)], memory_.keys[place(i)]) : 0;
      __syncwarp();
      if (i < count_) visit(place(i), branch);
    }
  }
  __device__ u64 end_of(u32 branch) const { return branches_.end(branch); }

 private:
  __device__ u32 place(int i) const { return static_cast<u32>(grid_type::place(x_, y_ + i, z_)); }

  __device__ void read(const tree_grid<rank>& grid, const grey_source<Key>& image) {
    if (threadIdx.x == 0) memory_.listed = memory_.taken = 0;
#pragma unroll
    for (int i = 0; i < run_pixels; ++i)
      if (i < count_) memory_.keys[place(i)] = image.key(inside_.x + x_, inside_.y + y_ + i, inside_.z + z_);
    for (int i = static_cast<int>(threadIdx.x); i < tile_pixels / 2; i += tile_threads) memory_.ends[i] = 0;
  }

  // The row of a surrounding; what is not in the tile is masked by whoever asks.
  __device__ void read_row(int y, Key (&row)[3]) const {
    const Key* const keys = memory_.keys + grid_type::place(x_, y, 0);
    row[0] = x_ > 0 ? keys[-1] : Key{0};
    row[1] = keys[0];
    row[2] = x_ + 1 < grid_type::side ? keys[1] : Key{0};
  }
  __device__ u32 columns_there(int x) const {
    return ~((x == 0 ? left | left_down | left_up : 0u) |
             (x + 1 >= inside_.width ? right | right_down | right_up : 0u));
  }
  __device__ u32 rows_there(int y) const {
    return ~((y == 0 ? up | left_up | right_up : 0u) | (y + 1 >= inside_.height ? down | left_down | right_down : 0u));
  }

  // The highest of the higher neighbours; of equal ones the last.
  __device__ static int way_up(const surroundings<Key>& around, u32 higher) {
    Key best = around.beside[1];
    int step = 0;
    const auto look = [&](u32 bit, Key key, int way) {
      if ((higher & bit) == 0 || key < best) return;
      best = key;
      step = way;
    };
    constexpr int side = grid_type::side;
    if constexpr (Connectivity == 8) look(left_up, around.above[0], -side - 1);
    look(up, around.above[1], -side);
    if constexpr (Connectivity == 8) look(right_up, around.above[2], -side + 1);
    look(left, around.beside[0], -1);
    look(right, around.beside[2], 1);
    if constexpr (Connectivity == 8) look(left_down, around.below[0], side - 1);
    look(down, around.below[1], side);
    if constexpr (Connectivity == 8) look(right_down, around.below[2], side + 1);
    return step;
  }

  __device__ void point_in_plane() {
    surroundings<Key> around;
    const u32 columns = columns_there(x_);
    read_row(max(y_ - 1, 0), around.above);
    read_row(y_, around.beside);
#pragma unroll
    for (int i = 0; i < run_pixels; ++i) {
      read_row(min(y_ + i + 1, grid_type::side - 1), around.below);
      const u32 higher = around.higher(columns & rows_there(y_ + i));
      int to = static_cast<int>(place(i));
      if (i < count_) {
        to += way_up(around, higher);
        if (const u32 parts = parts_of<Connectivity>(higher); (parts & (parts - 1)) != 0) list(i);
      }
      memory_.basin[place(i)] = static_cast<u16>(to);
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        around.above[k] = around.beside[k];
        around.beside[k] = around.below[k];
      }
    }
  }

  // The pixels of a thread do not follow each other in the list. Those for which there is no room it keeps.
  __device__ void list(int i) {
    const u32 at = atomicAdd(&memory_.listed, 1);
    if (at < most_saddles) memory_.saddles[at] = static_cast<u16>(place(i));
    else kept_ |= u32{1} << i;
  }

  __device__ void point_in_volume() {
    for (int i = 0; i < run_pixels; ++i) {
      u32 to = place(i);
      if (i < count_)
        each_neighbour<Connectivity>(inside_, x_, y_ + i, z_, [&](int other) {
          if (branches_.is_higher(static_cast<u32>(other), to)) to = static_cast<u32>(other);
        });
      memory_.basin[place(i)] = static_cast<u16>(to);
    }
  }

  // Pointers to maxima: in each round they go three times as far. Nobody reads while others write.
  __device__ void follow() {
    u16 to[run_pixels];
    for (bool more = true; more;) {
      bool changed = false;
#pragma unroll
      for (int i = 0; i < run_pixels; ++i) {
        const u16 next = memory_.basin[memory_.basin[place(i)]];
        to[i] = memory_.basin[next];
        changed |= to[i] != next;
      }
      more = __syncthreads_or(changed) != 0;
#pragma unroll
      for (int i = 0; i < run_pixels; ++i) memory_.basin[place(i)] = to[i];
      __syncthreads();
    }
  }

  // The next saddle; false when there is none.
  __device__ bool take_saddle(int& place_of_saddle) {
    if (kept_ != 0) {
      place_of_saddle = static_cast<int>(place(__ffs(static_cast<int>(kept_)) - 1));
      kept_ &= kept_ - 1;
      return true;
    }
    const u32 at = atomicAdd(&memory_.taken, 1);
    if (at >= min(memory_.listed, static_cast<u32>(most_saddles))) return false;
    place_of_saddle = memory_.saddles[at];
    return true;
  }

  __device__ u32 parts_around(int place) const {
    const int x = grid_type::x_of(place), y = grid_type::y_of(place);
    const u32 there = columns_there(x) & rows_there(y);
    const Key key = memory_.keys[place];
    u32 higher = 0;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      if ((there >> bit & 1) == 0) continue;
      const Key other = memory_.keys[place + ring_step(bit)];
      higher |= u32{bit < 4 ? other >= key : other > key} << bit;
    }
    return parts_of<Connectivity>(higher);
  }

  // Each thread takes the next saddle as soon as it is done with one. Those of a warp take each step together.
  __device__ void join_saddles() {
    branch_walk<tile_branches<Key>> walk;
    u32 parts = 0, first = 0;
    int saddle = 0;
    const auto basin_of_part = [&] {
      return u32{memory_.basin[saddle + ring_step(__ffs(static_cast<int>(parts)) - 1)]};
    };
    bool busy = false, more = true;
    do {
      if (!busy && parts == 0 && more && (more = take_saddle(saddle))) {
        parts = parts_around(saddle);
        first = basin_of_part();
        parts &= parts - 1;
      }
      __syncwarp();
      if (!busy && parts != 0) {
        walk.begin(first, basin_of_part(), memory_.keys[saddle], static_cast<u32>(saddle));
        parts &= parts - 1;
        busy = true;
      }
      if (busy) busy = walk.step(branches_);
    } while (__any_sync(~0u, busy || parts != 0 || more));
  }

  // Each thread looks at its pixels and their earlier neighbours in turn, and joins where basins meet.
  __device__ void join_basins() {
    constexpr int ways = Connectivity / 2;
    branch_walk<tile_branches<Key>> walk;
    bool busy = false;
    for (int slot = 0; busy || slot < count_ * ways;) {
      if (busy) {
        busy = walk.step(branches_);
        continue;
      }
      const int i = slot / ways;
      const offset to = earlier<Connectivity>(slot % ways);
      ++slot;
      if (!inside_.holds(x_ + to.x, y_ + i + to.y, z_ + to.z)) continue;
      const u32 own = place(i), other = own + static_cast<u32>(grid_type::place(to.x, to.y, to.z));
      if (memory_.basin[own] == memory_.basin[other]) continue;
      const u32 spot = memory_.keys[own] < memory_.keys[other] ? own : other;
      walk.begin(memory_.basin[own], memory_.basin[other], memory_.keys[spot], spot);
      busy = true;
    }
  }

  branch_memory<Key>& memory_;
  const tile_box& inside_;
  tile_branches<Key> branches_;
  int x_, y_, z_, count_;  // of the run, in the tile
  u32 kept_ = 0;
};

template <int Connectivity, class Key>
__global__ void __launch_bounds__(tile_threads)
    local_branches_kernel(tree_grid<rank_of<Connectivity>> grid, image_branches<Key> branches, u32* branch_of_pixel) {
  using g = tree_grid<rank_of<Connectivity>>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<branch_memory<Key>*>(shared);
  const tile_box inside = grid.tile(blockIdx.x);
  branch_solver<Connectivity, Key> solver(memory, inside);
  solver.solve(grid, branches.image);
  const auto in_rows_of = [&](u32 row, u32 place) {
    const int at = static_cast<int>(place);
    const i32 x = inside.x + g::x_of(at), y = inside.y + g::y_of(at), z = inside.z + g::z_of(at);
    return (static_cast<u32>(z) * static_cast<u32>(grid.height) + static_cast<u32>(y)) * row + static_cast<u32>(x);
  };
  solver.each([&](u32 place, u32 branch) {
    branch_of_pixel[in_rows_of(branches.image.width, place)] = in_rows_of(branches.pitch, branch);
    if (memory.basin[place] != place) return;
    const u64 end = solver.end_of(place);
    const u32 own = in_rows_of(branches.pitch, place) / 2;
    using tile = tile_branches<Key>;
    branches.spots[own] = end == 0 ? nowhere : in_rows_of(branches.image.width, tile::spot_in(end));
    branches.ends.words[own] =
        end == 0 ? 0 : branches.end_at(key_in(end), 0, in_rows_of(branches.pitch, tile::branch_in(end)));
  });
}

template <int Connectivity, class Key>
cudaError_t launch_local_branches(const tree_grid<rank_of<Connectivity>>& grid, const image_branches<Key>& branches,
                                  u32* branch_of_pixel, cudaStream_t stream, int device) {
  constexpr auto kernel = local_branches_kernel<Connectivity, Key>;
  constexpr std::size_t bytes = sizeof(branch_memory<Key>);
  static once_for_device known;
  const cudaError_t result = known(device, [&] { return allow_shared_memory(kernel, bytes); });
  if (result != cudaSuccess) return result;
  kernel<<<grid.tiles(), tile_threads, bytes, stream>>>(grid, branches, branch_of_pixel);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device

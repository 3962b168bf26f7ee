// SPDX-License-Identifier: Apache-2.0
// Stages 4 and 5, CUDA, where pixels join by value or axes are periodic: sums over the pixels of components. Features are those of
// measure/sums.cuh and measure/reals.cuh.
//
//   warp    names of 32 pixels, and where stretches of one name begin
//   thread  the stretches of a word
//   block   64 rows of 128 pixels
//
// Reads   pair_bits, runs_before, run_first; parent, once it has names
// Writes  the row of each name that is at most `capacity`
// Method  as measure/sums.cuh
#pragma once
#include "label/cuda/joins/nodes.cuh"
#include "label/cuda/measure/sums.cuh"

namespace skerry::label_stages::on_device {

/// Area and box of a stretch of pixels.
struct geometry_of_stretch {
  using row = geometry;
  using part = geometry;
  bool volume;

  struct kept {};
  __device__ kept kept_by(const row&) const { return {}; }
  __device__ void add(part& to, kept, const row_word& at, u32 bits) const {
    while (bits != 0) {
      const stretch pixels = stretch::lowest(bits);
      bits ^= pixels.bits;
      const placed_run run{volume ? at.z : 0, at.y, at.y + 1, at.x + pixels.begin, at.x + pixels.end};
      join(to, geometry_of(run), join_alone());
    }
  }
};

/// What selections ask of a component.
struct area_and_border {
  u32 area, at_border;  // pixels; stretches of pixels that lie at a border of the image
};

template <class With>
__device__ void join(area_and_border& a, const area_and_border& b, With with) {
  with.sum(a.area, b.area);
  with.sum(a.at_border, b.at_border);
}

struct area_of_stretch {
  using row = area_and_border;
  using part = area_and_border;
  const node_grid grid;
  bool volume;

  struct kept {};
  __device__ kept kept_by(const row&) const { return {}; }
  __device__ void add(part& to, kept, const row_word& at, u32 bits) const {
    if (bits == 0) return;
    const auto is_end = [](i64 place, i32 side) { return place == 0 || place == side - 1; };
    const i64 begin = at.x + lowest_bit(bits), last = at.x + highest_bit(bits);
    bool border = !grid.wraps_y && is_end(at.y, grid.height);
    border |= !grid.wraps_x && (begin == 0 || last == grid.width - 1);
    border |= volume && !grid.wraps_z && is_end(at.z, grid.depth);
    to.area += __popc(bits);
    to.at_border += border;
  }
};

/// Names of the pixels of a block.
struct named_rows {
  static constexpr u32 pitch = 33;
  u32 names[label_threads * pitch];
  u32 foreground[label_threads], starts[label_threads];

  /// By all threads of the block: 64 rows from `row` on, in the unit `unit_x` of each. Ends with a barrier.
  __device__ void look_up(const node_grid& grid, const pair_bits& pairs, const node_tables& tables, u32 row,
                          u32 unit_x) {
    const u32 lane = threadIdx.x % 32, rows = static_cast<u32>(grid.depth) * grid.height;
    for (u32 word = threadIdx.x - lane; word < threadIdx.x - lane + 32; ++word) {
      const u32 r = row + word / unit_words;
      u32 name = 0;
      if (r < rows) {
        const u32 z = grid.by_height.quotient(r);
        name = named_word::of(grid, pairs, tables, static_cast<i32>(z), static_cast<i32>(r - z * grid.height),
                              static_cast<i32>(unit_x * tile_width + word % unit_words * 32))
                   .name_of(grid, tables, lane);
      }
      const u32 left = __shfl_up_sync(~0u, name, 1);
      const u32 ones = __ballot_sync(~0u, name != 0),
                begun = __ballot_sync(~0u, name != 0 && (lane == 0 || name != left));
      names[word * pitch + lane] = name;
      if (lane == 0) foreground[word] = ones, starts[word] = begun;
    }
    __syncthreads();
  }
  /// The first stretch of `rest`, and its name.
  [[nodiscard]] __device__ u32 stretch_of(u32 rest) const {
    const u32 first = rest & -rest;
    return span<u32>(first, (starts[threadIdx.x] | ~foreground[threadIdx.x]) & ~up_to(first));
  }
  [[nodiscard]] __device__ u32 name_of(u32 rest) const {
    return rest == 0 ? 0 : names[threadIdx.x * pitch + lowest_bit(rest)];
  }
};

template <class Feature>
__global__ __launch_bounds__(label_threads) void sum_names_kernel(const node_grid grid, const pair_bits pairs,
                                                                  const node_tables tables, const Feature feature,
                                                                  typename Feature::row* rows, const u64 capacity) {
  using part = typename Feature::part;
  __shared__ named_rows shared;
  const u32 band = grid.by_units_x.quotient(blockIdx.x), unit_x = blockIdx.x - band * grid.units_x;
  shared.look_up(grid, pairs, tables, band * tile_rows, unit_x);
  const u32 row = band * tile_rows + threadIdx.x / unit_words, z = grid.by_height.quotient(row);
  const row_word here{0, 0, z, row - z * grid.height, i64{unit_x} * tile_width + threadIdx.x % unit_words * 32};
  u32 rest = shared.foreground[threadIdx.x];
  u32 common = common_label(shared.name_of(rest));
  if (common > capacity) common = 0;
  typename Feature::kept kept_by_common{};
  if (common != 0) kept_by_common = feature.kept_by(rows[common - 1]);
  part joined{};
  while (rest != 0) {
    const u32 bits = shared.stretch_of(rest), name = shared.name_of(rest);
    rest ^= bits;
    if (name > capacity) continue;
    if (name == common) {
      feature.add(joined, kept_by_common, here, bits);
    } else {
      part alone{};
      feature.add(alone, feature.kept_by(rows[name - 1]), here, bits);
      join(rows[name - 1], alone, join_at_once());
    }
  }
  __syncwarp();
  if (common == 0) return;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) join(joined, shuffled_down(joined, step), join_alone());
  if (threadIdx.x % 32 == 0) join(rows[common - 1], joined, join_at_once());
}

}  // namespace skerry::label_stages::on_device

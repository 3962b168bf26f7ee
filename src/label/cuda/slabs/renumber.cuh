// SPDX-License-Identifier: Apache-2.0
// Slabs, CUDA: the labels of a slab become those of the image. Components that belong to an earlier slab, or that are not kept,
// lose the bit of their root; the ranks of the others are moved, so that stage 6 finds the image's labels.
//
//   find     places of the first pixels of components, by their ranks: a warp for each
//   give up  bits are cleared; ranks count those that were cleared before, and all labels of earlier slabs
//
// Reads   root_bits, root_rank
// Writes  the same
#pragma once
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

/// Tables of a slab, with the labels of components whose roots lost their bits, by the places of these.
struct slab_tables : label_tables {
  const u64* places;  // unit * 128 + pixel of the unit, ascending
  const u32* labels;  // of each; 0: it has none
  u32 given_up;       // how many
};

__device__ inline u32 first_not_below(const u64* places, u32 count, u64 place) {
  u32 begin = 0;
  for (u32 end = count; begin < end;) {
    const u32 middle = (begin + end) / 2;
    if (places[middle] < place) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

__device__ inline u32 label_without_root(const tiling& grid, const slab_tables& tables, const pixel_place& first) {
  const u64 unit = static_cast<u64>(first.row) * grid.tiles_x + first.x / tile_width;
  return tables.labels[first_not_below(tables.places, tables.given_up, unit * tile_width + first.x % tile_width)];
}

inline constexpr u32 renumber_threads = 256, units_of_thread = 4;

__global__ __launch_bounds__(renumber_threads) inline void find_places_kernel(const u64 units,
                                                                              const label_tables tables,
                                                                              const u32* ranks, const u32 count,
                                                                              u64* places) {
  const u64 k = (u64{blockIdx.x} * renumber_threads + threadIdx.x) / 32;
  const u32 lane = lane_of_thread();
  if (k >= count) return;
  u64 unit = 0;  // the last whose rank is at most the component's
  for (u64 end = units; end - unit > 1;) {
    const u64 step = (end - unit + 31) / 32, at = unit + lane * step;
    const u32 not_after = __ballot_sync(~0u, at < end && tables.root_rank[at] <= ranks[k]);
    unit += static_cast<u64>(__popc(not_after) - 1) * step;
    end = min(end, unit + step);
  }
  if (lane != 0) return;
  u32 left = ranks[k] - tables.root_rank[unit];
  for (u32 word = 0; word < tile_words; ++word) {
    u32 bits = tables.root_bits[unit * tile_words + word];
    const u32 roots = __popc(bits);
    if (left >= roots) {
      left -= roots;
      continue;
    }
    for (; left > 0; --left) bits &= bits - 1;
    places[k] = unit * tile_width + word * 32 + __ffs(bits) - 1;
    return;
  }
}

__global__ __launch_bounds__(renumber_threads) inline void give_up_kernel(const u64 units, const slab_tables tables,
                                                                          const u32 base) {
  const u64 begin = (u64{blockIdx.x} * renumber_threads + threadIdx.x) * units_of_thread;
  if (begin >= units) return;
  u32 next = first_not_below(tables.places, tables.given_up, begin * tile_width);
  const auto is_left = [&](u64 unit) {
    return next < tables.given_up && tables.places[next] < (unit + 1) * tile_width;
  };
  if (begin + units_of_thread <= units && !is_left(begin + units_of_thread - 1)) {
    uint4* const ranks = reinterpret_cast<uint4*>(tables.root_rank + begin);
    const u32 more = base - next;
    const uint4 four = *ranks;
    *ranks = {four.x + more, four.y + more, four.z + more, four.w + more};
    return;
  }
  for (u64 unit = begin; unit < min(begin + units_of_thread, units); ++unit) {
    tables.root_rank[unit] += base - next;
    for (; is_left(unit); ++next) {
      const u32 pixel = static_cast<u32>(tables.places[next] % tile_width);
      tables.root_bits[unit * tile_words + pixel / 32] &= ~(1u << pixel % 32);
    }
  }
}
static_assert(units_of_thread == 4);

}  // namespace skerry::label_stages::on_device

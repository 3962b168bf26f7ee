// SPDX-License-Identifier: Apache-2.0
// Holes of regions, from their runs.
//
//   thread  a run, and the gap before it
//   warp    holes of one region are added up first
//   grid    runs are sorted by region; gaps that touch are united; then each adds its pixels to its region, by atomics
//
// Reads   runs in raster order and their regions, fewer than 2^31
// Writes  pixels and number of the holes of each region
// Method  regions/region_gaps.hpp. The sort keeps the raster order of the runs of a region. The first of them, which has no gap
//         before it, stands for the region's outside: the smallest member, and so the root of all gaps that are no holes. Threads
//         that unite gaps with it load its word, and write that of a gap
#pragma once
#include "core/union_find.hpp"
#include "engine/cuda/radix_sort.cuh"
#include "engine/cuda/warp.cuh"
#include "regions/cuda/numbers.cuh"
#include "regions/region_gaps.hpp"

namespace skerry::regions::on_device {

// ---- runs by region -------------------------------------------------------------------------------------------------

// 52 bytes for each run and 4 for each region, beside the tables of the sort.
struct hole_tables {
  sort_tables sort;
  row_stretch *found, *sorted;
  u32* found_regions;
  u32 *keys[2], *places[2];  // of runs on their way
  u32* firsts;

  hole_tables(pieces& memory, u32 runs, u64 regions) : sort(memory, runs) {
    memory.take(found, runs);
    memory.take(sorted, runs);
    memory.take(found_regions, runs);
    for (int side = 0; side < 2; ++side) {
      memory.take(keys[side], runs);
      memory.take(places[side], runs);
    }
    memory.take(firsts, regions + 1);
  }
};

struct found_runs {
  const u32* regions;
  template <class Place, u32 Items>
  __device__ void read(Place place, u32 (&key)[Items], u32 (&value)[Items]) const {
#pragma unroll
    for (u32 k = 0; k < Items; ++k) {
      value[k] = static_cast<u32>(place(k));
      key[k] = regions[value[k]];
    }
  }
};

struct runs_by_region {
  const row_stretch* found;
  row_stretch* sorted;
  u32* regions;
  __device__ void write(u32 place, u32 region, u32 run) const {
    sorted[place] = found[run];
    regions[place] = region;
  }
};

// Digits of the numbers of so many regions.
[[nodiscard]] inline u32 digits_of_regions(u64 regions) {
  u32 digits = 1;
  while ((regions - 1) >> digits * digit_bits != 0) ++digits;
  return digits;
}

// ---- gaps ---------------------------------------------------------------------------------------------------------

struct gap_work {
  const row_stretch* runs;
  const u32* regions;
  u32* firsts;   // of each region the first run, and behind them how many there are
  u32* parents;  // of gaps; the first run of a region is its outside
  u32 count;

  [[nodiscard]] __device__ region_gaps of(u32 region) const { return {runs, firsts[region], firsts[region + 1]}; }
  [[nodiscard]] __device__ union_find<u32, sharing::device> sets() const {
    return union_find<u32, sharing::device>(parents);
  }
};

__global__ inline void begin_gaps_kernel(const gap_work work, const u64 regions) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < work.count; k += u64{gridDim.x} * blockDim.x) {
    const u32 region = work.regions[k];
    work.parents[k] = static_cast<u32>(k);
    if (k == 0 || work.regions[k - 1] != region) work.firsts[region] = static_cast<u32>(k);
    if (k == 0) work.firsts[regions] = work.count;
  }
}

__global__ inline void join_gaps_kernel(const gap_work work, const extent size) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < work.count; k += u64{gridDim.x} * blockDim.x) {
    const region_gaps gaps = work.of(work.regions[k]);
    if (!gaps.has(k)) continue;
    gaps.join_around(k, size, [&](u64 a, u64 b) { work.sets().unite(static_cast<u32>(a), static_cast<u32>(b)); });
  }
}

__device__ inline void add_at_once(region_holes& to, u64 pixels, u32 holes) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&to.pixels), static_cast<unsigned long long>(pixels));
  if (holes != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&to.holes), static_cast<unsigned long long>(holes));
}

// By whole warps.
__global__ inline void count_holes_kernel(const gap_work work, region_holes* to) {
  for (u64 first = u64{blockIdx.x} * blockDim.x; first < work.count; first += u64{gridDim.x} * blockDim.x) {
    const u64 k = first + threadIdx.x;
    u32 region = no_row, holes = 0;
    u64 pixels = 0;
    if (k < work.count) {
      const u32 own = work.regions[k];
      const region_gaps gaps = work.of(own);
      const u32 root = gaps.has(k) ? work.sets().find(static_cast<u32>(k)) : static_cast<u32>(gaps.first);
      if (root != gaps.first) {
        region = own;
        pixels = gaps.pixels(k);
        holes = root == k ? 1 : 0;
      }
    }
    __syncwarp();
    const u32 threads = __ballot_sync(~0u, region != no_row);
    if (threads == 0) continue;
    const u32 chosen = __shfl_sync(~0u, region, static_cast<int>(first_of(threads)));
    if (__all_sync(~0u, region == chosen || region == no_row)) {
      pixels = sum_up_to_thread(pixels);
      holes = __reduce_add_sync(~0u, holes);
      if (lane_of_thread() == 31) add_at_once(to[chosen], pixels, holes);
    } else if (region != no_row) {
      add_at_once(to[region], pixels, holes);
    }
    __syncwarp();
  }
}

}  // namespace skerry::regions::on_device

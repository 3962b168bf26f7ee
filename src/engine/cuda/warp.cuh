// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp or of a block find out together: who comes first, how many come before, sums.
#pragma once
#include "core/portable.hpp"

namespace skerry {

/// Threads that a processor runs at once.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr int threads_at_once = 1536;
#else
inline constexpr int threads_at_once = 2048;
#endif

// ---- some threads of a warp, as a word of bits --------------------------------------------------------------------------

__device__ inline u32 lane_of_thread() { return threadIdx.x % 32; }

/// The number of the first one; there is one.
__device__ inline u32 first_of(u32 threads) { return static_cast<u32>(__ffs(static_cast<int>(threads))) - 1; }
/// Whether this is the first one.
__device__ inline bool is_first_of(u32 threads) { return first_of(threads) == lane_of_thread(); }

__device__ inline u32 count_of(u32 threads) { return static_cast<u32>(__popc(static_cast<int>(threads))); }
/// How many come before this one.
__device__ inline u32 count_before(u32 threads) { return count_of(threads & ((u32{1} << lane_of_thread()) - 1)); }

/// Reserves a place in a list for this thread's item, if it has one, by adding the warp's items to `count`, which other warps may change. By
/// whole warps.
__device__ inline u32 place_in_list(u32* count, bool has_item) {
  const u32 some = __ballot_sync(~0u, has_item);
  u32 first = 0;
  if (lane_of_thread() == 0 && some != 0) first = atomicAdd(count, count_of(some));
  return __shfl_sync(~0u, first, 0) + count_before(some);
}

// ---- sums ---------------------------------------------------------------------------------------------------------------

/// Over the threads of a warp up to this one; by all of them.
template <class Number>
__device__ Number sum_up_to_thread(Number own) {
  Number sum = own;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const Number before = __shfl_up_sync(~0u, sum, step);
    if (lane_of_thread() >= step) sum += before;
  }
  return sum;
}

/// Over the warps of a block before this one, of each of which the last thread has the number in `of_last`; `all` gets the sum over all
/// warps. By all threads, with one barrier in it; `scratch` has a word for each warp.
template <u32 Threads>
__device__ u32 sum_before_warp(u32 of_last, u32* scratch, u32& all) {
  const u32 lane = lane_of_thread(), warp = threadIdx.x / 32;
  if (lane == 31) scratch[warp] = of_last;
  __syncthreads();
  u32 before = 0;
  all = 0;
  if constexpr (Threads > 256) {
    const u32 of_warp = lane < Threads / 32 ? scratch[lane] : 0;
    before = __reduce_add_sync(~0u, lane < warp ? of_warp : 0);
    all = __reduce_add_sync(~0u, of_warp);
  } else {
#pragma unroll
    for (u32 k = 0; k < Threads / 32; ++k) {
      const u32 of_warp = scratch[k];
      if (k < warp) before += of_warp;
      all += of_warp;
    }
  }
  return before;
}

/// Over the threads of a block before this one; otherwise the same.
template <u32 Threads>
__device__ u32 sum_before_thread(u32 own, u32* scratch, u32& all) {
  const u32 sum = sum_up_to_thread(own);
  return sum_before_warp<Threads>(sum, scratch, all) + sum - own;
}

// ---- parts of rows ------------------------------------------------------------------------------------------------------

/// How rows join (core/feature.hpp) that these threads of a warp have: each gets what all of them have. By all of them.
struct join_in_warp {
  u32 threads;
  __device__ void sum(u32& all, u32 own) const { all = __reduce_add_sync(threads, own); }
  __device__ void least(u32& all, u32 own) const { all = __reduce_min_sync(threads, own); }
  __device__ void most(u32& all, u32 own) const { all = __reduce_max_sync(threads, own); }
  __device__ void flags(u32& all, u32 own) const { all = __reduce_or_sync(threads, own); }
};

/// Calls visit(active, bit) for each bit of a word; in a warp at the same time, until no thread has one left.
template <class Word, class Visit>
__device__ void each_bit_together(Word rest, Visit visit) {
  while (__any_sync(~0u, rest != 0)) {
    const Word bit = rest & -rest;
    const bool active = rest != 0;
    rest ^= bit;
    visit(active, bit);
  }
}

/// A part of a row on its way to a place, of a thread that has one.
template <class Part>
struct part_on_its_way {
  bool exists;
  u32 place;
  Part part;
};

/// Joins parts to places where other threads join theirs at the same time: by whole warps. If at least `worth_it` threads have the
/// place of the first one, theirs join in the warp: atomics to one word wait for each other.
template <class Part, class Join, class Add>
__device__ void join_by_place(const part_on_its_way<Part>& own, int worth_it, Join join, Add add) {
  const u32 all = __ballot_sync(~0u, own.exists);
  if (all == 0) return;
  const u32 common = __shfl_sync(~0u, own.place, first_of(all));
  const bool shares = own.exists && own.place == common;
  const u32 same = __ballot_sync(~0u, shares);
  if (shares && __popc(same) >= worth_it) {
    Part joined{};
    join(joined, own.part, join_in_warp{same});
    if (is_first_of(same)) add(common, joined);
  } else if (own.exists) {
    add(own.place, own.part);
  }
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp or of a block find out together: who comes first, how many come before, sums.
#pragma once
#include "core/portable.hpp"

namespace skerry {

// ---- some threads of a warp, as a word of bits --------------------------------------------------------------------------

__device__ inline u32 lane_of_thread() { return threadIdx.x % 32; }

/// The number of the first one; there is one.
__device__ inline u32 first_of(u32 threads) { return static_cast<u32>(__ffs(static_cast<int>(threads))) - 1; }
/// Whether this is the first one.
__device__ inline bool is_first_of(u32 threads) { return first_of(threads) == lane_of_thread(); }

__device__ inline u32 count_of(u32 threads) { return static_cast<u32>(__popc(static_cast<int>(threads))); }
/// How many come before this one.
__device__ inline u32 count_before(u32 threads) { return count_of(threads & ((u32{1} << lane_of_thread()) - 1)); }

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

}  // namespace skerry

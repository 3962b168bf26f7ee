// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA: what is counted in raster order: roots for labels, runs for their places in a list. Device code that
// other kernels run, and a kernel of its own.
//
// Reads   a count for each unit (128 pixels of a row; units are numbered in raster order)
// Writes  the sum of the counts before each unit that is read later (bit_counts), and before each frame
// Needs   a cooperative launch when there is more than one block
#pragma once
#include <cooperative_groups.h>

#include "engine/cuda/discard.cuh"
#include "engine/cuda/warp.cuh"
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

// ---- block ----------------------------------------------------------------------------------------

/// Sum over the block of `value`; every thread gets it.
__device__ inline u32 block_sum(u32 value, u32* scratch) {
  const u32 total = __reduce_add_sync(~0u, value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = total;
  __syncthreads();
  u32 sum = 0;
#pragma unroll
  for (u32 k = 0; k < resolve_threads / 32; ++k) sum += scratch[k];
  return sum;
}

// ---- grid -----------------------------------------------------------------------------------------

/// Waits for all blocks. One block needs no cooperative launch, which costs more to start.
struct grid_barrier {
  __device__ void sync() const {
    if (gridDim.x == 1) __syncthreads();
    else cooperative_groups::this_grid().sync();
  }
};

/// Counts the bits of each unit of a mask.
struct bit_counts {
  const u32* bits;
  bool only_ones_are_read = false;  // later readers look only at units that have ones, and at the sums before these
  __device__ u32 operator()(u64 unit) const {
    const uint4 words = __ldcg(reinterpret_cast<const uint4*>(bits) + unit);
    return __popc(words.x) + __popc(words.y) + __popc(words.z) + __popc(words.w);
  }
  /// Whether the sum before a unit may be read. By a warp, a unit for each thread. Eight units share a line of the cache, which is
  /// discarded if none of them has ones.
  __device__ bool is_read(u64 unit, u32 count, u64 end) const {
    if (!only_ones_are_read) return true;
    const u32 place = threadIdx.x % 8,
              ones_of_line = __ballot_sync(~0u, count != 0) >> (threadIdx.x % 32 - place) & 0xff;
    if (ones_of_line == 0 && place == 0 && unit + 7 < end) discard_line(bits + unit * tile_words);
    return ones_of_line != 0;
  }
};

/// Counts that are there already. They may lie where the sums are going to be.
struct given_counts {
  const u32* counts;
  __device__ u32 operator()(u64 unit) const { return __ldcg(counts + unit); }
  __device__ static bool is_read(u64, u32, u64) { return true; }
};

/// Four units of each thread, 32 apart: each load of a warp reads one piece of memory.
struct four_counts {
  static constexpr u32 each = 4, of_warp = 32 * each;
  u32 of[each], sum = 0;

  /// The first unit of a thread whose block begins at `chunk`.
  __device__ static u64 first_of_thread(u64 chunk) { return chunk + threadIdx.x / 32 * of_warp + threadIdx.x % 32; }

  template <class Count>
  __device__ four_counts(const Count& count_of, u64 chunk, u64 end) {
    const u64 first = first_of_thread(chunk);
#pragma unroll
    for (u32 k = 0; k < each; ++k) {
      of[k] = first + 32 * k < end ? count_of(first + 32 * k) : 0;
      sum += of[k];
    }
  }
  /// Replaces each count by the sum of those of the warp's earlier units; returns the sum of all of them. By all threads of a warp. Counts
  /// are at most 128: the sums of two rounds share a word.
  __device__ u32 make_running() {
    u32 all = 0;
#pragma unroll
    for (u32 k = 0; k < each; k += 2) {
      const u32 own = of[k] | of[k + 1] << 16, up_to = sum_up_to_thread(own), before = up_to - own,
                totals = __shfl_sync(~0u, up_to, 31);
      of[k] = all + (before & 0xffff);
      all += totals & 0xffff;
      of[k + 1] = all + (before >> 16);
      all += totals >> 16;
    }
    return all;
  }
};

/// Units of a block in one round. A block with no more than these counts them once.
inline constexpr u32 units_at_once = resolve_threads * four_counts::each;

/// `rank` gets the counts of all units before each that is read later, `offset` those before each frame, `scratch` is shared memory.
template <class Count>
__device__ void number_units(u64 units, u64 units_of_frame, const Count& count_of, u32* rank, u64* offset,
                             u32* block_total, u32* scratch, grid_barrier all) {
  constexpr u32 of_warp = four_counts::of_warp;
  const u64 share = (units + gridDim.x - 1) / gridDim.x, rounded = (share + of_warp - 1) / of_warp * of_warp;
  const u64 begin = min(rounded * blockIdx.x, units), end = min(begin + rounded, units);
  four_counts counts(count_of, begin, end);
  u32 count = counts.sum;
  for (u64 unit = begin + units_at_once + threadIdx.x; unit < end; unit += resolve_threads) count += count_of(unit);
  count = block_sum(count, scratch);
  if (threadIdx.x == 0) block_total[blockIdx.x] = count;
  all.sync();
  u32 before = 0;
  for (u32 k = threadIdx.x; k < blockIdx.x; k += resolve_threads) before += __ldcg(block_total + k);
  before = block_sum(before, scratch);
  for (u64 chunk = begin; chunk < end; chunk += units_at_once) {
    if (chunk != begin) counts = four_counts(count_of, chunk, end);
    const u64 first = four_counts::first_of_thread(chunk);
    bool is_read[four_counts::each];
#pragma unroll
    for (u32 k = 0; k < four_counts::each; ++k) is_read[k] = count_of.is_read(first + 32 * k, counts.of[k], end);
    const u32 of_all = counts.make_running();
    u32 total;
    __syncthreads();
    const u32 before_warp = before + sum_before_warp<resolve_threads>(of_all, scratch, total);
#pragma unroll
    for (u32 k = 0; k < four_counts::each; ++k) {
      const u64 unit = first + 32 * k;
      if (unit >= end) break;
      const u32 before_unit = before_warp + counts.of[k];
      if (is_read[k]) rank[unit] = before_unit;
      // A tiling has fewer than 2^32 units; a remainder of 64 bits takes longer than all else here.
      if (unit == 0 || (units_of_frame < units && static_cast<u32>(unit) % static_cast<u32>(units_of_frame) == 0))
        offset[unit / units_of_frame] = before_unit;
    }
    before += total;
  }
  if (begin < end && end == units && threadIdx.x == 0) offset[units / units_of_frame] = before;
}

/// One more count, after the kernel of stage 4.
template <class Count>
__global__ __launch_bounds__(resolve_threads) void number_kernel(const u64 units, const u64 units_of_frame,
                                                                 const Count count, u32* rank, u64* offset,
                                                                 u32* block_total) {
  __shared__ u32 scratch[resolve_threads / 32];
  number_units(units, units_of_frame, count, rank, offset, block_total, scratch, {});
}

// ---- host -----------------------------------------------------------------------------------------

/// Launches blocks that wait for each other.
template <class... Parameters, class... Arguments>
cudaError_t launch_together(u32 blocks, cudaStream_t stream, void (*kernel)(Parameters...),
                            const Arguments&... arguments) {
  cudaLaunchAttribute cooperative;
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = resolve_threads;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = blocks > 1;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

}  // namespace skerry::label_stages::on_device

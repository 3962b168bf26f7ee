// SPDX-License-Identifier: Apache-2.0
// Links of the components of two frames, CUDA.
//
//   thread  four words of the packed labels of both frames: 128 pixels
//   warp    joins the stretches of its threads that belong to the same pair
//   grid    counts the pixels of each pair in one table
//
// Reads   packed labels of this frame and of the frame before
// Writes  link_list
// Needs   an empty list: publish_links() leaves it so
// Method  a stretch of ones that both words have lies in one stretch of each, so in one pair; labels are read where there is one
#pragma once
#include <algorithm>

#include "core/packed_word.hpp"
#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/shared_words.cuh"
#include "skerry/cuda.hpp"
#include "track/links.hpp"

namespace skerry::track_steps {

// A hash table of pairs of labels, and the places in it that are taken. In device memory; `places` is a power of two.
struct link_list {
  u64* pairs = nullptr;     // label now << 32 | label before, or 0
  u32* overlaps = nullptr;  // pixels of each pair
  u32* taken = nullptr;     // the first `capacity` places that were taken
  u32* count = nullptr;     // places that were taken; above `capacity` something is missing
  u32 places = 0, capacity = 0;
  u64* begun = nullptr;  // when the count began, in nanoseconds of the device

  static constexpr u32 threads = 256;
  static constexpr u32 most_tries = 256;  // half of the places are free, so nobody looks that far

#ifdef __CUDACC__
  // A place for a pair that has none, unless another thread was faster.
  __device__ u64 take(u32 place, u64 pair) const {
    const u64 old = words_of_device<u64>{pairs}.exchange_if(place, 0, pair);
    if (old != 0) return old;
    const u32 number = atomicAdd(count, 1);
    if (number < capacity) taken[number] = place;
    return pair;
  }

  __device__ void add(u64 pair, u32 pixels) const {
    u32 place = static_cast<u32>(pair * 0x9e3779b97f4a7c15ULL >> 32) & (places - 1);  // Fibonacci hashing
    for (u32 tries = 0; tries < most_tries; ++tries, place = (place + 1) & (places - 1)) {
      u64 found = words_of_device<u64>{pairs}.load(place);
      if (found == 0) {
        if (device_words{count}.load(0) > capacity) return;
        found = take(place, pair);
      }
      if (found != pair) continue;
      atomicAdd(overlaps + place, pixels);
      return;
    }
    atomicOr(count, 0x80000000u);
  }
#endif
};

#ifdef __CUDACC__

__device__ inline u64 device_nanoseconds() {
  u64 now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// A pair of labels, or 0, and how many pixels of it a thread has.
struct counted_pair {
  u64 pair;
  u32 pixels;
};

// All lanes of a warp have some each.
template <u32 Count>
__device__ void add_pairs(counted_pair (&pairs)[Count], const link_list& to) {
  const u32 lane = threadIdx.x % 32;
  while (true) {
    u64 pair = 0;
    u32 pixels = 0;
#pragma unroll
    for (const counted_pair& each : pairs)
      if (pair == 0) pair = each.pair;
#pragma unroll
    for (counted_pair& each : pairs)
      if (each.pair == pair) pixels += each.pixels, each.pair = 0;
    const u32 busy = __ballot_sync(~0u, pair != 0);
    if (busy == 0) return;
    if (pair != 0) {
      const u32 alike = __match_any_sync(busy, pair);
      const u32 sum = __reduce_add_sync(alike, pixels);
      if (lane == __ffs(alike) - 1u) to.add(pair, sum);
    }
    __syncwarp();
  }
}

// Packed labels of two frames of one size; the frame before may be missing.
struct frame_pair {
  cuda::packed_labels now, before;
  u64 words;

  // The pair at word i of the lowest stretch of ones that both have, which is taken out of `both`.
  __device__ counted_pair take(u64 i, u32 bits_now, u32 bits_before, u32& both) const {
    if (both == 0) return {0, 0};
    const u32 ones = lowest_stretch(both), first = ones & -ones;
    both ^= ones;
    const u32 label = now.labels[stretch_at(bits_now, first) * words + i];
    const u32 old = before.labels[stretch_at(bits_before, first) * words + i];
    return {u64{label} << 32 | old, static_cast<u32>(__popc(ones))};
  }
};

__global__ __launch_bounds__(link_list::threads) inline void count_links_kernel(const frame_pair frames,
                                                                                const link_list to) {
  constexpr u32 each = 4;
  if (blockIdx.x == 0 && threadIdx.x == 0) *to.begun = device_nanoseconds();
  if (frames.before.bits == nullptr) return;
  const u32 lane = threadIdx.x % 32, warps = gridDim.x * (link_list::threads / 32);
  for (u64 part = blockIdx.x * (link_list::threads / 32) + threadIdx.x / 32; part * (32 * each) < frames.words;
       part += warps) {
    const u64 first = part * (32 * each) + lane;
    u32 now[each], before[each], both[each], any = 0;
#pragma unroll
    for (u32 k = 0; k < each; ++k) {
      const u64 i = first + 32 * k;
      now[k] = i < frames.words ? frames.now.bits[i] : 0;
      before[k] = i < frames.words ? frames.before.bits[i] : 0;
    }
#pragma unroll
    for (u32 k = 0; k < each; ++k) any |= both[k] = now[k] & before[k];
    while (__any_sync(~0u, any != 0)) {
      counted_pair pairs[each];
      any = 0;
#pragma unroll
      for (u32 k = 0; k < each; ++k) {
        pairs[k] = frames.take(first + 32 * k, now[k], before[k], both[k]);
        any |= both[k];
      }
      add_pairs(pairs, to);
    }
  }
}

// The arguments of the kernel.
struct link_call {
  frame_pair frames{};
  link_list to;

  [[nodiscard]] u32 blocks() const { return static_cast<u32>(std::clamp<u64>((frames.words + 1023) / 1024, 1, 1024)); }
  void enqueue(cudaStream_t stream) const {
    count_links_kernel<<<blocks(), link_list::threads, 0, stream>>>(frames, to);
    check_cuda(cudaGetLastError(), "link");
  }
};

#endif

}  // namespace skerry::track_steps

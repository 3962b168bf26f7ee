// SPDX-License-Identifier: Apache-2.0
// Links of the components of two frames, CUDA.
//
//   thread  four pixels of both label images
//   warp    joins the pixels of its threads that belong to the same pair
//   grid    counts the pixels of each pair in one table
//
// Reads   label images of this frame and of the frame before
// Writes  link_list
// Needs   an empty list: write_links() leaves it so
#pragma once
#include <algorithm>

#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/shared_words.cuh"
#include "track/links.hpp"

namespace skerry::track_steps {

// A hash table of pairs of labels, and the places in it that are taken. In device memory; `places` is a power of two.
struct link_list {
  u64* pairs = nullptr;     // label now << 32 | label before, or 0
  u32* overlaps = nullptr;  // pixels of each pair
  u32* taken = nullptr;     // the first `capacity` places that were taken
  u32* count = nullptr;     // places that were taken; above `capacity` something is missing
  u32 places = 0, capacity = 0;

  static constexpr u32 threads = 256;
  static constexpr u32 most_tries = 256;  // half of the places are free, so nobody looks that far

#ifdef __CUDACC__
  __device__ u64 pair_at(u32 place) const {
    u64 pair;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(pair) : "l"(pairs + place) : "memory");
    return pair;
  }

  // A place for a pair that has none, unless another thread was faster.
  __device__ u64 take(u32 place, u64 pair) const {
    const u64 old = atomicCAS(reinterpret_cast<unsigned long long*>(pairs + place), 0ULL, pair);
    if (old != 0) return old;
    const u32 number = atomicAdd(count, 1);
    if (number < capacity) taken[number] = place;
    return pair;
  }

  __device__ void add(u64 pair, u32 pixels) const {
    u32 place = static_cast<u32>(pair * 0x9e3779b97f4a7c15ULL >> 32) & (places - 1);  // Fibonacci hashing
    for (u32 tries = 0; tries < most_tries; ++tries, place = (place + 1) & (places - 1)) {
      u64 found = pair_at(place);
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

// Four labels; behind the end of the image there is background.
__device__ inline uint4 four_labels(const u32* labels, i64 at, i64 pixels) {
  if (at + 4 <= pixels) return *reinterpret_cast<const uint4*>(labels + at);
  const auto label = [&](i64 i) { return i < pixels ? labels[i] : 0; };
  return {label(at), label(at + 1), label(at + 2), label(at + 3)};
}

// All lanes of a warp have four pairs each, or 0.
__device__ inline void add_pairs(u64 (&pairs)[4], const link_list& to) {
  const u32 lane = threadIdx.x % 32;
  while (true) {
    u64 pair = 0;
    u32 pixels = 0;
#pragma unroll
    for (u64& each : pairs)
      if (pair == 0) pair = each;
#pragma unroll
    for (u64& each : pairs)
      if (each == pair) ++pixels, each = 0;
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

// The images begin at multiples of 16 bytes. The frame before may be missing.
__global__ __launch_bounds__(link_list::threads) inline void count_links_kernel(const u32* now, const u32* before,
                                                                                const i64 pixels, const link_list to) {
  if (before == nullptr) return;
  const u32 lane = threadIdx.x % 32, warps = gridDim.x * (link_list::threads / 32);
  for (i64 part = blockIdx.x * (link_list::threads / 32) + threadIdx.x / 32; part * 128 < pixels; part += warps) {
    const i64 at = part * 128 + 4 * lane;
    const uint4 a = four_labels(now, at, pixels);
    if (__ballot_sync(~0u, (a.x | a.y | a.z | a.w) != 0) == 0) continue;
    const uint4 b = four_labels(before, at, pixels);
    const auto pair = [](u32 label, u32 old) { return label != 0 && old != 0 ? u64{label} << 32 | old : u64{0}; };
    u64 pairs[4] = {pair(a.x, b.x), pair(a.y, b.y), pair(a.z, b.z), pair(a.w, b.w)};
    add_pairs(pairs, to);
  }
}

// The arguments of the kernel.
struct link_call {
  const u32* now = nullptr;
  const u32* before = nullptr;
  i64 pixels = 0;
  link_list to;

  [[nodiscard]] u32 blocks() const { return static_cast<u32>(std::clamp<i64>((pixels + 1023) / 1024, 1, 1024)); }
  void enqueue(cudaStream_t stream) const {
    count_links_kernel<<<blocks(), link_list::threads, 0, stream>>>(now, before, pixels, to);
    check_cuda(cudaGetLastError(), "link");
  }
};

#endif

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
// Publishes a frame, CUDA: counts its links, and writes published_frame.hpp into memory of the host that the device reaches, or
// of the device.
//
//   thread  words of 8 bytes of the lists, side by side
//   grid    the block that ends last writes the links and the header, whose sequence number says that the rest is there
//
// Reads   counts, lists and packed labels of the labelling, packed labels of the frame before, an empty link_list
// Writes  the lists that there are, the header; an empty link_list
// Method  a copy needs to know or to predict the number of objects (publishing::predicted); the device knows it
#pragma once
#include <algorithm>

#include "engine/cuda/device_memory.cuh"
#include "track/count_links.cuh"
#include "track/published_frame.hpp"

namespace skerry::track_steps {

// In device memory; what is not wanted is null.
struct publication {
  const u64* offsets;  // the second one is the number of objects
  const geometry* rows;
  const second_moments* moments;
  const intensity* intensities;
  const intensity_scale* scale;
  u64 row_capacity;
  link_list links;
  const u32* threshold_found;  // 0 when no pixel was finite
  u32* blocks_done;            // 0 before and after
  u64* publications_done;      // of the slot

  SKERRY_BOTH published_lists lists() const { return {moments != nullptr, intensities != nullptr}; }
};

#ifdef __CUDACC__

inline constexpr u32 publish_threads = 512;

template <class Item>
__device__ void publish_items(const Item* from, u64 count, char* to) {
  static_assert(sizeof(Item) % 8 == 0);
  const auto* words = reinterpret_cast<const u64*>(from);
  auto* const target = reinterpret_cast<u64*>(to);
  for (u64 i = blockIdx.x * publish_threads + threadIdx.x; i < count * (sizeof(Item) / 8);
       i += u64{gridDim.x} * publish_threads)
    target[i] = words[i];
}

// By one block: writes the links that all blocks have counted, and frees their places. Reads bypass the first-level cache.
__device__ inline void publish_links(const link_list& list, u32 count, char* to) {
  constexpr u32 each = 4;  // on their way at the same time
  for (u32 begin = threadIdx.x; begin < count; begin += each * publish_threads) {
    u32 place[each], overlap[each];
    u64 pair[each];
#pragma unroll
    for (u32 k = 0; k < each; ++k) place[k] = __ldcg(list.taken + min(begin + k * publish_threads, count - 1));
#pragma unroll
    for (u32 k = 0; k < each; ++k)
      pair[k] = __ldcg(list.pairs + place[k]), overlap[k] = __ldcg(list.overlaps + place[k]);
#pragma unroll
    for (u32 k = 0; k < each; ++k) {
      const u32 i = begin + k * publish_threads;
      if (i >= count) break;
      reinterpret_cast<uint4*>(to)[i] =
          make_uint4(static_cast<u32>(pair[k] >> 32) - 1, static_cast<u32>(pair[k]) - 1, overlap[k], 1);
      list.pairs[place[k]] = 0;
      list.overlaps[place[k]] = 0;
    }
  }
}

__device__ inline void forget_links(const link_list& list) {
  for (u32 i = threadIdx.x; i < list.places; i += publish_threads) {
    list.pairs[i] = 0;
    list.overlaps[i] = 0;
  }
}

// Whether all other blocks have come here before this one; it sees what they have written.
__device__ inline bool is_last_block(u32* blocks_done) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    last = atomicAdd(blocks_done, 1) == gridDim.x - 1;
    __threadfence_system();
  }
  __syncthreads();
  return last;
}

// By one thread, after all others of the grid.
__device__ inline void publish_header(const publication& what, const published_header& header, char* target) {
  const u64 sequence = ++*what.publications_done;
  *what.blocks_done = 0;
  *what.links.count = 0;
  auto* const to = reinterpret_cast<u64*>(target);
  const auto* const words = reinterpret_cast<const u64*>(&header);
#pragma unroll
  for (u32 i = 1; i < sizeof header / 8; ++i) to[i] = words[i];
  __threadfence_system();
  ::cuda::atomic_ref<u64, ::cuda::thread_scope_system>(*to).store(sequence, ::cuda::memory_order_release);
}

__global__ __launch_bounds__(publish_threads) inline void publish_kernel(const __grid_constant__ publication what,
                                                                         const __grid_constant__ frame_pair frames,
                                                                         char* target) {
  count_links(frames, what.links);
  const published_lists lists = what.lists();
  published_header header{};
  header.count = what.offsets[1];
  if (what.scale != nullptr) header.scale = *what.scale;
  header.no_threshold = what.threshold_found != nullptr && *what.threshold_found == 0 ? 1 : 0;
  header.overflow = header.count > what.row_capacity ? 1 : 0;
  if (header.overflow == 0) {
    const published_places at = published_places::of(lists, header.count, 0);
    publish_items(what.rows, header.count, target + at.rows);
    if (lists.moments) publish_items(what.moments, header.count, target + at.moments);
    if (lists.intensities) publish_items(what.intensities, header.count, target + at.intensities);
  }
  if (!is_last_block(what.blocks_done)) return;
  header.links = device_words{what.links.count}.load(0);
  if (header.links > what.links.capacity) header.overflow = 1;
  header.bytes = sizeof header;
  if (header.overflow == 0) {
    const published_places at = published_places::of(lists, header.count, header.links);
    publish_links(what.links, static_cast<u32>(header.links), target + at.links);
    header.bytes = at.end;
  } else {
    forget_links(what.links);
  }
  __syncthreads();
  if (threadIdx.x == 0) publish_header(what, header, target);
}

// The arguments of the kernel.
struct publish_call {
  publication what{};
  frame_pair frames{};
  char* target = nullptr;

  // Enough for the links, and for full lists of rows.
  [[nodiscard]] u32 blocks() const {
    constexpr u64 words_per_block = frame_pair::words_of_thread * publish_threads, bytes_per_block = 1 << 14;
    const u64 for_links = (frames.words + words_per_block - 1) / words_per_block;
    const u64 for_rows = (what.row_capacity * sizeof(geometry) + bytes_per_block - 1) / bytes_per_block;
    return static_cast<u32>(std::max(std::min<u64>(for_links, 1024), std::min<u64>(for_rows, 32)));
  }
  void enqueue(cudaStream_t stream) const {
    publish_kernel<<<blocks(), publish_threads, 0, stream>>>(what, frames, target);
    check_cuda(cudaGetLastError(), "publish");
  }
};

#endif

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
// Publishes a frame, CUDA: writes published_frame.hpp into memory of the host that the device reaches, or of the device, and where it
// chose ids the result itself.
//
//   thread  words of 8 bytes of the lists, side by side
//   grid    the block that ends last writes the header, whose sequence number says that the rest is there
//
// Reads   counts and lists of the labelling, link_list, objects and events
// Writes  the lists that there are, the header; an empty link_list
// Method  a copy needs to know or to predict the number of objects (publishing::predicted); the device knows it
#pragma once
#include "track/choose_ids.cuh"
#include "track/published_frame.hpp"

namespace skerry::track_steps {

// In device memory; what is not wanted is null.
struct publication {
  const u64* offsets;  // the second one is the number of objects
  const geometry* rows;
  const second_moments* moments;
  const void* intensities;  // rows of this many bytes each
  u64 intensity_bytes;
  u64 row_capacity;
  link_list links;
  const u32* threshold_found;  // 0 when no pixel was finite
  u32* blocks_done;            // 0 before and after
  u64* publications_done;      // of the slot
  const id_counts* ids;        // null where the host chooses them
  const object_words* objects;
  const event_words* events;
  result_lists result;

  SKERRY_BOTH published_lists lists() const { return {moments != nullptr, intensity_bytes}; }
};

#ifdef __CUDACC__

inline constexpr u32 publish_threads = 256;

// Of whole words.
template <class Word = u64>
__device__ void publish_bytes(const void* from, u64 bytes, char* to) {
  const auto* words = static_cast<const Word*>(from);
  auto* const target = reinterpret_cast<Word*>(to);
#pragma unroll 4
  for (u64 i = blockIdx.x * publish_threads + threadIdx.x; i < bytes / sizeof(Word);
       i += u64{gridDim.x} * publish_threads)
    target[i] = words[i];
}

// Writes the links, unless nobody needs them, and frees their places.
__device__ inline void publish_links(const link_list& list, u64 count, char* to) {
  for (u32 i = blockIdx.x * publish_threads + threadIdx.x; i < count; i += gridDim.x * publish_threads) {
    const u32 place = list.taken[i];
    const u64 pair = list.pairs[place];
    if (to != nullptr)
      reinterpret_cast<uint4*>(to)[i] =
          make_uint4(static_cast<u32>(pair >> 32) - 1, static_cast<u32>(pair) - 1, list.overlaps[place], 1);
    list.pairs[place] = 0;
    list.overlaps[place] = 0;
  }
}

__device__ inline void forget_links(const link_list& list) {
  for (u32 i = blockIdx.x * publish_threads + threadIdx.x; i < list.places; i += gridDim.x * publish_threads) {
    list.pairs[i] = 0;
    list.overlaps[i] = 0;
  }
}

// Of a frame whose ids the device chose: the lists of the result, and how many events there are of each kind.
__device__ inline void publish_result(const publication& what, published_header& header) {
  const id_counts& ids = *what.ids;
  const published_lists lists = what.lists();
  const u32 count = static_cast<u32>(header.count), news = count - ids.kept;
  header.is_chosen = 1;
  header.births = news - ids.parents;
  header.splits = ids.parents;
  header.merges = ids.linked - ids.kept;
  header.deaths = ids.carriers - ids.linked;
  const u64 events = u64{news} + header.merges + header.deaths;
  publish_bytes(what.rows, header.count * sizeof(geometry), what.result.rows);
  if (lists.moments) publish_bytes(what.moments, header.count * sizeof(second_moments), what.result.moments);
  publish_bytes(what.intensities, header.count * lists.intensity_bytes, what.result.intensities);
  publish_bytes(what.objects, header.count * sizeof(object_words), what.result.objects);
  publish_bytes<u32>(what.events, events * sizeof(event_words), what.result.events);
  publish_links(what.links, header.links, nullptr);
  header.bytes = published_places::of(lists, header.count, 0).end + header.count * sizeof(object_words) +
                 events * sizeof(event_words);
}

__global__ __launch_bounds__(publish_threads) inline void publish_kernel(const __grid_constant__ publication what,
                                                                         char* target) {
  const published_lists lists = what.lists();
  published_header header{};
  header.count = what.offsets[1];
  header.links = *what.links.count;
  header.labelled = *what.links.begun;
  header.no_threshold = what.threshold_found != nullptr && *what.threshold_found == 0 ? 1 : 0;
  header.overflow = header.count > what.row_capacity || header.links > what.links.capacity ? 1 : 0;
  if (what.ids != nullptr && what.ids->is_chosen != 0) {
    publish_result(what, header);
  } else if (header.overflow == 0) {
    const published_places at = published_places::of(lists, header.count, header.links);
    publish_bytes(what.rows, header.count * sizeof(geometry), target + at.rows);
    if (lists.moments) publish_bytes(what.moments, header.count * sizeof(second_moments), target + at.moments);
    publish_bytes(what.intensities, header.count * lists.intensity_bytes, target + at.intensities);
    publish_links(what.links, header.links, target + at.links);
    header.bytes = at.end;
  } else {
    forget_links(what.links);
    header.bytes = sizeof header;
  }

  __shared__ bool last;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(what.blocks_done, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  header.published = device_nanoseconds();
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

#endif

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
// The features of HA on a label image that is given: one vote for each sub-run of equal labels; of several of a warp at
// once with conflict detection.
//
//   clear                  all places of the arrays, as any of them can be a label's
//   features computation   a warp for each tile of 64 pixels
//
// Method  [Lemaitre2021], HA's last kernel; [Windisch2023] says that it can be applied to a labelled image
#include "published/cuda/methods.hpp"
#include "published/cuda/segment_bits.cuh"
#include "published/cuda/votes.cuh"

namespace skerry::published {
namespace {

__global__ void mark_labels(const u32* areas, u64 slots, u32* is_component) {
  const u64 slot = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (slot < slots && areas[slot] != 0) is_component[slot] = 1;
}

// Each thread has two pixels of a tile, 32 apart.
template <bool Detecting>
__global__ void __launch_bounds__(128)
    vote_by_labels(const u32* labels, u32 width, u32 height, u32 across, voter<false> votes) {
  const u64 warp = (u64{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const u32 lane = threadIdx.x % 32, x0 = static_cast<u32>(warp % across) * tile_width;
  const u64 line = warp / across;
  if (line >= height) return;
  const auto y = static_cast<u32>(line);
  u32 label[2];
  u64 changes = 0;  // where another label begins, or none
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 x = x0 + 32 * half + lane;
    label[half] = x < width ? labels[u64{y} * width + x] : 0;
  }
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 before = __shfl_up_sync(~0u, label[half], 1), across_halves = __shfl_sync(~0u, label[0], 31);
    const bool changed = lane > 0 ? before != label[half] : half == 0 || across_halves != label[half];
    changes |= u64{__ballot_sync(~0u, changed)} << 32 * half;
  }
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 x = 32 * half + lane;
    const bool is_head = (changes >> x & 1) != 0 && label[half] != 0;
    const u32 mask = __ballot_sync(~0u, is_head);
    if (!is_head) continue;
    const u32 length = 1 + (x == tile_width - 1 ? 0 : run_length(~changes, x + 1)), slot = label[half] - 1;
    const u32 begin = x0 + x, end = min(begin + min(length, tile_width - x), width);
    if (device_words{votes.to.min_y}.load(slot) > y) atomicMin(votes.to.min_y + slot, y);  // no root knows it
    if constexpr (Detecting) votes.cast_detecting(mask, slot, y, begin, end);
    else votes.cast_looking(slot, vote_of(y, begin, end));
  }
}

template <bool Detecting>
device_answer measure(const device_task& work, const u32* labels) {
  const device_image& image = work.image;
  const u64 slots = image.size() / 2 + image.size() % 2;  // as many objects as there can be, as the text has it
  const u32 across = blocks_of(image.width, tile_width);
  const voter<false> votes{feature_arrays::in(work.memory, slots)};
  device_answer answer{.label_slots = slots};
  answer_with(answer, votes.to, slots, work.stream);
  answer.mark = [=, areas = votes.to.area, stream = work.stream](u32* is_component) {
    mark_labels<<<blocks_of(slots, usual_threads), usual_threads, 0, stream>>>(areas, slots, is_component);
  };
  work.phase("clear", [&] { clear_slots<><<<blocks_of(slots, usual_threads), usual_threads, 0, work.stream>>>(votes.to, slots); });
  work.phase("features computation", [&] {
    vote_by_labels<Detecting><<<blocks_of(u64{across} * image.height, 4), 128, 0, work.stream>>>(
        labels, image.width, image.height, across, votes);
  });
  return answer;
}

}  // namespace

device_answer ha_of_labels(const device_task& work, const u32* labels) { return measure<false>(work, labels); }
device_answer ha_detecting_of_labels(const device_task& work, const u32* labels) { return measure<true>(work, labels); }

}  // namespace skerry::published

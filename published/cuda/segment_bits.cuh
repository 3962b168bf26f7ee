// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 pixels of one line as bits, held by a warp: the sub-runs of HA.
#pragma once
#include "published/cuda/device_task.hpp"

namespace skerry::published {

constexpr u32 tile_width = 64;

// Each thread brings two pixels; all of them get all bits. Pixels past the line are 0.
__device__ inline u64 tile_bits(const device_image& image, i64 y, u32 x0, u32 lane) {
  const u64 low = __ballot_sync(~0u, image.at(y, i64{x0} + lane));
  const u64 high = __ballot_sync(~0u, image.at(y, i64{x0} + lane + 32));
  return high << 32 | low;
}

// Foreground pixels that end right before x, which may be 64.
__device__ inline u32 start_distance(u64 pixels, u32 x) {
  return x == 0 ? 0 : static_cast<u32>(__clzll(static_cast<long long>(~(pixels << (tile_width - x)))));
}

// Foreground pixels from x on.
__device__ inline u32 run_length(u64 pixels, u32 x) {
  const u64 rest = ~(pixels >> x);
  return rest == 0 ? tile_width : static_cast<u32>(__ffsll(static_cast<long long>(rest))) - 1;
}

}  // namespace skerry::published

// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 pixels of one line as bits, eight of them to a stretch, four threads of a warp to each: the sub-runs of HA.
#pragma once
#include "published/cuda/line_bits.cuh"

namespace skerry::published {

constexpr u32 tile_width = 64, tile_lanes = tile_width / lane_pixels;

// Of the 16 pixels of each thread of a warp, all 64 of its tile.
__device__ inline u64 tile_of(u32 own, u32 lane) {
  u32 half = own << lane % 2 * lane_pixels;
  half |= __shfl_xor_sync(~0u, half, 1);
  const u32 other = __shfl_xor_sync(~0u, half, 2);
  const bool is_low = lane % tile_lanes < tile_lanes / 2;
  return is_low ? u64{other} << 32 | half : u64{half} << 32 | other;
}
// And back: the part of a thread.
__device__ inline u32 part_of(u64 tile, u32 lane) {
  return static_cast<u32>(tile >> lane % tile_lanes * lane_pixels) & lane_mask;
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

// The first pixels of runs, or of what else the bits are, inside of a tile.
__device__ inline u64 starts_of(u64 bits) { return bits & ~(bits << 1); }

// How many pixels of a run of the line end right before each tile, stretch by stretch.
struct run_ends {
  u32 before_stretch = 0;

  __device__ u32 before_tile(u64 pixels, u32 lane) {
    const u32 tile = lane / tile_lanes;
    u32 length = start_distance(pixels, tile_width);  // of the run that ends with the last of 1, 2, 4, 8 tiles
#pragma unroll
    for (u32 tiles = 1; tiles * tile_lanes < 32; tiles *= 2) {
      const u32 before = __shfl_up_sync(~0u, length, tiles * tile_lanes);
      if (tile >= tiles && length == tiles * tile_width) length += before;
    }
    if (length == (tile + 1) * tile_width) length += before_stretch;
    const u32 before = __shfl_up_sync(~0u, length, tile_lanes);
    const u32 result = tile == 0 ? before_stretch : before;
    before_stretch = __shfl_sync(~0u, length, 31);
    return result;
  }
};

}  // namespace skerry::published

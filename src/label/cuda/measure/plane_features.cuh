// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, planes: what the pixels of a patch of 4 x 8 add to their component; second moments, and intensities of bytes.
//
//   thread  the pixels of one component are a mask, whose sums are counts of its bits, or come from the bytes under it
#pragma once
#include "core/intensity.hpp"
#include "engine/cuda/intensity_image.cuh"
#include "engine/cuda/join_rows.cuh"
#include "engine/cuda/patch_bytes.cuh"
#include "label/cuda/tiles/readable_bytes.cuh"
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

/// The place of a thread's patch in its tile.
__device__ inline u32 patch_x() { return threadIdx.x % 32 * patch_width; }
__device__ inline u32 patch_y() { return threadIdx.x / 32 * patch_height; }

template <int N>
struct some_numbers {
  wide_integer* to[N];
};
template <int N>
struct some_addends {
  const wide_integer* from[N];
};
/// Adds to numbers of a row that other threads add to. A thread waits once for what all of them were, not for each in turn.
template <int N>
__device__ void add_at_once(const some_numbers<N>& numbers, const some_addends<N>& addends) {
  u64 before[N];
#pragma unroll
  for (int k = 0; k < N; ++k)
    before[k] = atomicAdd(reinterpret_cast<unsigned long long*>(&numbers.to[k]->low), addends.from[k]->low);
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const u64 high = addends.from[k]->high + (before[k] + addends.from[k]->low < before[k] ? 1 : 0);
    if (high != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&numbers.to[k]->high), high);
  }
}

/// What pixels of a tile add to a component: words that are 0 for no pixels. The first `sums` of them add up, of the others the
/// largest counts.
struct moments_of_mask {
  using row = second_moments;
  static constexpr u32 words = 5, sums = 5;
  static constexpr int blocks = 6;  // to a processor

  struct pixels {};
  __device__ pixels read(const tiling&, tile_place, u32) const { return {}; }
  __device__ void add(u32 (&part)[words], const pixels&, u32 mask) const {
    const tile_moments m = tile_moments::of(mask, patch_x(), patch_y());
    part[0] = m.area | m.y << 14;  // of 64 rows of 128
    part[1] = m.x, part[2] = m.xx, part[3] = m.xy, part[4] = m.yy;
  }
  __device__ static row placed(const u32 (&part)[words], tile_place at) {
    const tile_moments m{part[0] & 0x3fff, part[1], part[0] >> 14, part[2], part[3], part[4]};
    return m.placed(0, u64{static_cast<u32>(at.y)} * tile_rows, u64{static_cast<u32>(at.x)} * tile_width);
  }
  __device__ static void join_to(row& all, const row& more) {
    add_at_once<3>({&all.yy, &all.yx, &all.xx}, {&more.yy, &more.yx, &more.xx});
  }
};

struct bytes_of_mask {
  using row = intensity;
  static constexpr u32 words = 4, sums = 2;  // and 255 - least, most
  static constexpr int blocks = 5;           // to a processor
  intensity_image image;
  readable_bytes readable;

  using pixels = patch_bytes;
  /// The bytes of a patch, wherever the mask has one of their row.
  __device__ pixels read(const tiling& grid, tile_place at, u32 mask) const {
    const i64 y = i64{at.y} * tile_rows + patch_y();
    const auto* const first = reinterpret_cast<const u8*>(image.place(at.z, y, i64{at.x} * tile_width + patch_x()));
    // Where all rows are, from the first to the last one of the patch, with what lies beside them.
    const bool all_there = y + patch_height <= grid.height && readable.has(first - 4, 12) &&
                           readable.has(first - 4 + (patch_height - 1) * image.step.y, 12);
    const bool aligned = (reinterpret_cast<u64>(first) | static_cast<u64>(image.step.y)) % 4 == 0;
    pixels bytes;
    const auto read_rows = [&](auto read) {
#pragma unroll
      for (u32 k = 0; k < patch_height; ++k) {
        const u32 wanted = mask >> patch_width * k & 0xf;
        bytes.rows[k] = wanted == 0 ? 0 : read(first + k * image.step.y, wanted);
      }
    };
    if (!all_there) read_rows(bytes_at);
    else if (aligned) read_rows([](const u8* from, u32) { return __ldcs(reinterpret_cast<const u32*>(from)); });
    else read_rows([](const u8* from, u32) { return four_at(from); });
    return bytes;
  }
  __device__ void add(u32 (&part)[words], const pixels& bytes, u32 mask) const {
    const byte_sums sums = byte_sums::of(bytes, mask);
    part[0] = sums.sum, part[1] = sums.squares, part[2] = sums.missing, part[3] = sums.most;
  }
  __device__ static row placed(const u32 (&part)[words], tile_place) {
    row sums;
    const narrow_sums found{255 - static_cast<i32>(part[2]), static_cast<i32>(part[3]), part[0], part[1]};
    found.add_to(sums);
    return sums;
  }
  __device__ static void join_to(row& all, const row& more) {
    const double least = __ldcg(&all.min), most = __ldcg(&all.max);  // of whenever: rows only move away from them
    add_at_once<2>({&all.sum, &all.squares}, {&more.sum, &more.squares});
    if (more.min < least) join_at_once().least(all.min, more.min);
    if (more.max > most) join_at_once().most(all.max, more.max);
  }

 private:
  /// Four bytes at any address, of words that are there.
  __device__ static u32 four_at(const u8* at) {
    const u32 off = reinterpret_cast<u64>(at) % 4;
    const auto* const from = reinterpret_cast<const u32*>(at - off);
    return __funnelshift_r(from[0], off == 0 ? 0 : from[1], 8 * off);
  }
  __device__ static u32 bytes_at(const u8* at, u32 wanted) {
    u32 bytes = 0;
    each_bit(wanted, [&](int k) { bytes |= u32{at[k]} << 8 * k; });
    return bytes;
  }
};

}  // namespace skerry::label_stages::on_device

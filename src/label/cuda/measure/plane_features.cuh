// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, planes: what the pixels of a patch of 4 x 8 add to their component; second moments, and intensities of bytes.
//
//   thread  the pixels of one component are a mask, whose sums are counts of its bits, or come from the bytes under it
#pragma once
#include <cstddef>

#include "core/intensity.hpp"
#include "engine/cuda/intensity_image.cuh"
#include "engine/cuda/patch_bytes.cuh"
#include "label/cuda/measure/patch_runs.cuh"
#include "label/cuda/tiles/readable_bytes.cuh"

namespace skerry::label_stages::on_device {

/// Adds to a number of a row that other threads add to at the same time.
__device__ inline void add_to_number(u64* number, u64 more) {
  atomicAdd(reinterpret_cast<unsigned long long*>(number), static_cast<unsigned long long>(more));
}

/// What pixels of a tile add to a component: words that are 0 for no pixels. The first `sums` of them add up, of the others the
/// largest counts. A row has `numbers` that they change: number(k, …) is made of words of a part, and joins others or is written to
/// word_of(k) of an empty row.
struct moments_of_mask {
  using row = second_moments;
  static constexpr u32 words = 5, sums = 5;
  static constexpr int blocks = 8;  // to a processor

  struct pixels {};
  __device__ pixels read(const tiling&, tile_place, u32) const { return {}; }
  __device__ void add(u32 (&part)[words], const pixels&, u32 mask) const {
    const tile_moments m = tile_moments::of(mask, patch_x(), patch_y());
    part[0] = m.area | m.y << 14;  // of 64 rows of 128
    part[1] = m.x, part[2] = m.xx, part[3] = m.xy, part[4] = m.yy;
  }

  static constexpr u32 numbers = 3;  // yy, yx, xx
  bool narrow;                       // 64 bits are enough for the sums of any component
  __device__ static u32 word_of(u32 k) { return offsetof(row, yy) / sizeof(u64) + 2 * k; }
  /// The sum of (a0 + a) * (b0 + b), where a and b are coordinates in the tile.
  template <class Part>
  __device__ wide_integer number(u32 k, tile_place at, Part part) const {
    const u32 x0 = static_cast<u32>(at.x) * tile_width, y0 = static_cast<u32>(at.y) * tile_rows;
    const u32 area_y = part(0), x = part(1), y = area_y >> 14, products = part(4 - k);
    const bool is_yy = k == 0, is_xx = k == 2;
    const u32 a0 = is_xx ? x0 : y0, a = is_xx ? x : y, b0 = is_yy ? y0 : x0, b = is_yy ? y : x;
    wide_integer sum = wide_product(u64{area_y & 0x3fff} * a0, b0);
    skerry::add(sum, {u64{a0} * b + u64{b0} * a + products, 0});
    return sum;
  }
  /// Nobody waits for what a number was before, if it has no upper half.
  __device__ void join(u64* to, u32, const wide_integer& more) const {
    if (narrow) return add_to_number(to, more.low);
    const u64 before = atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(more.low));
    const u64 high = more.high + (before + more.low < before ? 1 : 0);
    if (high != 0) add_to_number(to + 1, high);
  }
  __device__ static void write(u64* to, const wide_integer& sum) {
    to[0] = sum.low;
    if (sum.high != 0) to[1] = sum.high;
  }
};

struct bytes_of_mask {
  using row = intensity;
  static constexpr u32 words = 4, sums = 2;  // and 255 - least, most
  static constexpr int blocks = 6;           // to a processor
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

  static constexpr u32 numbers = 4;  // least, most, sum, squares; 64 bits are enough
  __device__ static u32 word_of(u32 k) { return k < 2 ? k : 2 * k - 2; }
  template <class Part>
  __device__ u64 number(u32 k, tile_place, Part part) const {
    const u32 value = part(k ^ 2);
    if (k >= 2) return value;
    return static_cast<u64>(__double_as_longlong(static_cast<double>(k == 0 ? 255 - value : value)));
  }
  /// Numbers that are not negative are ordered as their bits are, and so are the infinities of an empty row.
  __device__ void join(u64* to, u32 k, u64 more) const {
    if (k >= 2) return add_to_number(to, more);
    auto* const extreme = reinterpret_cast<long long*>(to);
    const auto value = static_cast<long long>(more), now = __ldcg(extreme);  // of whenever: it only moves away
    if (k == 0 && value < now) atomicMin(extreme, value);
    if (k == 1 && value > now) atomicMax(extreme, value);
  }
  __device__ static void write(u64* to, u64 value) { *to = value; }

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

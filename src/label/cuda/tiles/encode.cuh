// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA: pixels of one byte or one bit to bits, inside the kernel of stage 2. Wider pixels: encode_wide.cuh.
//
// Reads   the pixels of one tile
// Writes  64 rows of 128 bits in shared memory; pixels outside the image are 0
// Method  dense rows of bytes: 16-byte loads, four bytes to four bits by one multiplication. Loads are at multiples of 16;
//         where rows begin elsewhere, not the bytes are shifted but their bits. Other rows of bytes: a ballot per word
#pragma once
#include "core/pixel_range.hpp"
#include "engine/cuda/four_bytes.cuh"
#include "label/cuda/tiles/readable_bytes.cuh"
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

struct extent_of_frame {
  i32 height, width;
};

/// Packed bits: what to make of a 0 and of a 1.
struct bit_rule {
  u32 of_zero, of_one;  // all ones or all zeros
  __device__ u32 operator()(u32 word) const { return (word & of_one) | (~word & of_zero); }
};

/// 32 pixels from `at` on, or as many as are left in the row; the others are 0.
__device__ inline u32 packed_word(const u8* at, i64 left, const bit_rule& rule) {
  u32 word = 0;
  if (left >= 32 && reinterpret_cast<u64>(at) % 4 == 0) word = *reinterpret_cast<const u32*>(at);
  else
    for (int k = 0; k < 4 && 8 * k < left; ++k) word |= u32{at[k]} << 8 * k;
  word = rule(word);
  return left < 32 ? word & ((1u << left) - 1) : word;
}

// ---- bytes ----------------------------------------------------------------------------------------

/// load() returns whether all pixels that this thread has seen are foreground.
struct byte_source {
  const u8* data;
  source_strides step;  // bytes
  pixel_range<u8> rule;
  readable_bytes readable;
  bool aligned_rows;  // x step of one byte, rows that start at multiples of 16 bytes

  template <class Shape>
  __device__ bool load(const tiling& grid, tile_place at, u32* bits) const {
    if (step.x != 1) return load_any<Shape>(grid, at, bits);
    const bool aligned = aligned_rows && (at.x + 1) * tile_width <= grid.width;
    if (is_not_zero())
      return aligned ? load_aligned<Shape, true>(grid, at, bits) : load_shifted<Shape, true>(grid, at, bits);
    return aligned ? load_aligned<Shape, false>(grid, at, bits) : load_shifted<Shape, false>(grid, at, bits);
  }
  /// 32 pixels of a row of a frame, one by each thread of a warp; those outside are 0.
  __device__ u32 row_word(const extent_of_frame& frame, i32 y, i32 x) const {
    const i32 own = x + static_cast<i32>(threadIdx.x % 32);
    return __ballot_sync(~0u, y < frame.height && own < frame.width && rule.holds(data[y * step.y + own * step.x]));
  }
  [[nodiscard]] byte_source inverted() const {
    return {data, step, {rule.low, rule.high, !rule.inside}, readable, aligned_rows};
  }

 private:
  // One ballot per word; the loads of eight words are in flight together.
  template <class Shape>
  __device__ bool load_any(const tiling& grid, tile_place at, u32* bits) const {
    constexpr int warps = Shape::group_words / 32, batch = 8;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 all = ~0u;
    for (int begin = warp * batch; begin < tile_rows * tile_words; begin += warps * batch) {
      u8 value[batch];
      bool valid[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const int row = (begin + k) / tile_words;
        const image_row in_image = image_row::of<Shape>(at, row);
        const i64 x = i64{at.x} * tile_width + (begin + k) % tile_words * 32 + lane;
        valid[k] = in_image.exists(grid) && x < grid.width;
        value[k] = 0;
        if (valid[k]) value[k] = data[in_image.z * step.z + in_image.y * step.y + x * step.x];
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const u32 word = __ballot_sync(~0u, valid[k] && rule.holds(value[k]));
        if (lane == k) bits[begin + k] = word;
        all &= word;
      }
    }
    return all == ~0u;
  }

  template <bool NotZero>
  __device__ u32 four(u32 bytes) const {
    if constexpr (NotZero) return gather_signs(signs_of_ones(bytes));
    const u32 low = rule.low * 0x01010101u, high = rule.high * 0x01010101u;
    const u32 in = __vcmpgeu4(bytes, low) & __vcmpleu4(bytes, high);
    return gather_signs(rule.inside ? in : ~in);
  }

  __device__ bool is_not_zero() const { return !rule.inside && rule.low == 0 && rule.high == 0; }

  /// 16 bytes to 16 bits.
  template <bool NotZero>
  __device__ u32 sixteen(const uint4& bytes) const {
    return four<NotZero>(bytes.x) | four<NotZero>(bytes.y) << 4 | four<NotZero>(bytes.z) << 8 |
           four<NotZero>(bytes.w) << 12;
  }

  /// The row of the tile that a thread begins with, and how many there are in the image, in steps of `rows_at_once`.
  struct first_row {
    const u8* source;
    i32 count;
    template <class Shape>
    __device__ static first_row of(const byte_source& from, const tiling& grid, tile_place at, int row,
                                   int rows_at_once) {
      const i32 z = at.z * Shape::depth + row / Shape::height, y = at.y * Shape::height + row % Shape::height;
      const i32 slices_at_once = max(rows_at_once / Shape::height, 1);
      return {from.data + z * from.step.z + y * from.step.y + at.x * tile_width,
              Shape::rank == 2  ? (grid.height - y + rows_at_once - 1) / rows_at_once
              : y < grid.height ? (grid.depth - z + slices_at_once - 1) / slices_at_once
                                : 0};
    }
  };

  // Eight neighbouring threads read a row. All loads of a thread are in flight together.
  template <class Shape, bool NotZero>
  __device__ bool load_aligned(const tiling& grid, tile_place at, u32* bits) const {
    constexpr int threads = Shape::group_words, rows_at_once = threads / 8, pieces = tile_rows / rows_at_once;
    static_assert(rows_at_once % Shape::height == 0 || Shape::rank == 2);
    const first_row here = first_row::of<Shape>(*this, grid, at, threadIdx.x / 8, rows_at_once);
    const u8* source = here.source + threadIdx.x % 8 * 16;
    const i64 next = Shape::rank == 2 ? rows_at_once * step.y : rows_at_once / Shape::height * step.z;
    uint4 value[pieces];
    u32 all = 0xffff;
#pragma unroll
    for (int k = 0; k < pieces; ++k, source += next) {
      value[k] = make_uint4(0, 0, 0, 0);
      if (k < here.count) value[k] = __ldcs(reinterpret_cast<const uint4*>(source));
    }
#pragma unroll
    for (int k = 0; k < pieces; ++k) {
      u32 word = sixteen<NotZero>(value[k]);
      if (!NotZero && k >= here.count) word = 0;
      reinterpret_cast<u16*>(bits)[k * threads + threadIdx.x] = static_cast<u16>(word);
      all &= word;
    }
    return all == 0xffff;
  }

  __device__ static i32 bytes_past_16(const u8* address) {
    return static_cast<i32>(reinterpret_cast<u64>(address) % 16);
  }

  // Nine pieces of 16 bytes cover a row that begins anywhere. Eight neighbouring threads read the first eight of a row; the
  // ninth of all rows of a warp are read by one thread each.
  template <class Shape, bool NotZero>
  __device__ bool load_shifted(const tiling& grid, tile_place at, u32* bits) const {
    constexpr int threads = Shape::group_words, rows_at_once = threads / 8, pieces = tile_rows / rows_at_once;
    static_assert(4 * pieces <= 32);
    const i64 next = Shape::rank == 2 ? rows_at_once * step.y : rows_at_once / Shape::height * step.z;
    const int lane = threadIdx.x % 32, part = lane % 8;
    const i32 width = grid.width - at.x * tile_width;
    const first_row here = first_row::of<Shape>(*this, grid, at, threadIdx.x / 8, rows_at_once),
                    ninth = first_row::of<Shape>(*this, grid, at, threadIdx.x / 32 * 4 + lane % 4, rows_at_once);
    uint4 value[pieces], last = make_uint4(0, 0, 0, 0);
    u32 cut = 0;  // rows whose pixels are among the first or the last bytes of the image
    const u8* source = here.source;
#pragma unroll
    for (int k = 0; k < pieces; ++k, source += next) {
      const i32 off = bytes_past_16(source);
      value[k] = make_uint4(0, 0, 0, 0);
      const u8* piece = source - off + part * 16;
      if (k >= here.count || part * 16 - off >= width) continue;
      if (!readable.has(piece, 32)) cut |= 1u << k;
      if (readable.has(piece, 16)) value[k] = readable.sixteen_at(piece);
    }
    source = ninth.source + lane / 4 * next;
    const i32 last_begin = tile_width - bytes_past_16(source);
    if (lane < 4 * pieces && lane / 4 < ninth.count && last_begin < min(width, tile_width) &&
        readable.has(source + last_begin, 16))
      last = readable.sixteen_at(source + last_begin);
    const u32 last_bits = sixteen<NotZero>(last) << 16;
    const u32 inside = 0xffffu >> max(0, min(16, 16 - (width - part * 16)));
    u32 all = 0xffff;
    source = here.source;
#pragma unroll
    for (int k = 0; k < pieces; ++k, source += next) {
      const u32 own = sixteen<NotZero>(value[k]);
      const u32 found = __shfl_sync(~0u, own | last_bits, part == 7 ? k * 4 + lane / 8 : lane + 1);
      u32 word = __byte_perm(own, found, part == 7 ? 0x7610 : 0x5410) >> bytes_past_16(source);
      word = k < here.count ? word & inside : 0;
      reinterpret_cast<u16*>(bits)[k * threads + threadIdx.x] = static_cast<u16>(word);
      all &= word;
    }
    for (; cut != 0; cut &= cut - 1) {
      const int k = lowest_bit(cut);
      const u32 word = bits_one_by_one(here.source + k * next + part * 16, min(16, width - part * 16));
      reinterpret_cast<u16*>(bits)[k * threads + threadIdx.x] = static_cast<u16>(word);
      all &= word;
    }
    return all == 0xffff;
  }

  __device__ u32 bits_one_by_one(const u8* pixels, i32 count) const {
    u32 bits = 0;
#pragma unroll 1
    for (i32 k = 0; k < count; ++k) bits |= u32{rule.holds(pixels[k])} << k;
    return bits;
  }
};

// ---- packed bits ----------------------------------------------------------------------------------

struct bit_source {
  const u8* data;
  source_strides step;  // bytes; x is not used
  bit_rule rule;

  [[nodiscard]] bit_source inverted() const { return {data, step, {~rule.of_zero, ~rule.of_one}}; }
  /// As of bytes.
  __device__ u32 row_word(const extent_of_frame& frame, i32 y, i32 x) const {
    return y < frame.height ? packed_word(data + y * step.y + x / 8, frame.width - x, rule) : 0;
  }

  template <class Shape>
  __device__ bool load(const tiling& grid, tile_place at, u32* bits) const {
    u32 all = ~0u;
    for (int k = threadIdx.x; k < tile_rows * tile_words; k += Shape::group_words) {
      const image_row row = image_row::of<Shape>(at, k / tile_words);
      const i64 x = i64{at.x} * tile_width + k % tile_words * 32, left = grid.width - x;
      u32 word = 0;
      if (row.exists(grid) && left > 0) word = packed_word(data + row.z * step.z + row.y * step.y + x / 8, left, rule);
      bits[k] = word;
      all &= word;
    }
    return all == ~0u;
  }
};

}  // namespace skerry::label_stages::on_device

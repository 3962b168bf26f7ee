// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA: pixels of one byte or one bit to bits, inside the kernel of stage 2. Wider pixels: encode_wide.cuh.
//
// Reads   the pixels of one tile
// Writes  64 rows of 128 bits in shared memory; pixels outside the image are 0
// Method  dense rows of bytes: 16-byte loads, four bytes to four bits by one multiplication; else: a ballot per word
#pragma once
#include "core/pixel_range.hpp"
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

/// Packed bits: what to make of a 0 and of a 1.
struct bit_rule {
  u32 of_zero, of_one;  // all ones or all zeros
  __device__ u32 operator()(u32 word) const { return (word & of_one) | (~word & of_zero); }
};

// ---- bytes ----------------------------------------------------------------------------------------

/// load() returns whether all pixels that this thread has seen are foreground.
struct byte_source {
  const u8* data;
  source_strides step;  // bytes
  pixel_range<u8> rule;
  bool dense_rows;  // x step of one byte, rows that start at multiples of 16 bytes

  template <class Shape>
  __device__ bool load(const tiling& grid, tile_place at, u32* bits) const {
    if (dense_rows && (at.x + 1) * tile_width <= grid.width) return load_dense<Shape>(grid, at, bits);
    return load_any<Shape>(grid, at, bits);
  }
  [[nodiscard]] byte_source inverted() const { return {data, step, {rule.low, rule.high, !rule.inside}, dense_rows}; }

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
        const i64 z = i64{at.z} * Shape::depth + row / Shape::height,
                  y = i64{at.y} * Shape::height + row % Shape::height;
        const i64 x = i64{at.x} * tile_width + (begin + k) % tile_words * 32 + lane;
        valid[k] = z < grid.depth && y < grid.height && x < grid.width;
        value[k] = 0;
        if (valid[k]) value[k] = data[z * step.z + y * step.y + x * step.x];
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

  // The signs of four bytes to bits 28…31: no two partial products meet.
  __device__ static u32 gather_signs(u32 signs) { return ((signs >> 7) & 0x01010101u) * 0x10204080u >> 28; }

  template <bool NotZero>
  __device__ u32 four(u32 bytes) const {
    if constexpr (NotZero) return gather_signs(((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes);
    const u32 low = rule.low * 0x01010101u, high = rule.high * 0x01010101u;
    const u32 in = __vcmpgeu4(bytes, low) & __vcmpleu4(bytes, high);
    return gather_signs(rule.inside ? in : ~in);
  }

  template <class Shape>
  __device__ bool load_dense(const tiling& grid, tile_place at, u32* bits) const {
    const bool not_zero = !rule.inside && rule.low == 0 && rule.high == 0;
    return not_zero ? load_dense<Shape, true>(grid, at, bits) : load_dense<Shape, false>(grid, at, bits);
  }
  // Eight neighbouring threads read a row. All loads of a thread are in flight together.
  template <class Shape, bool NotZero>
  __device__ bool load_dense(const tiling& grid, tile_place at, u32* bits) const {
    constexpr int threads = Shape::group_words, rows_at_once = threads / 8, pieces = tile_rows / rows_at_once;
    static_assert(rows_at_once % Shape::height == 0 || Shape::rank == 2);
    const int first_row = threadIdx.x / 8;
    const i32 z = at.z * Shape::depth + first_row / Shape::height, y = at.y * Shape::height + first_row % Shape::height;
    const u8* source = data + (Shape::rank == 2 && grid.depth == 1 ? 0 : z * step.z) + y * step.y + at.x * tile_width +
                       threadIdx.x % 8 * 16;
    const i64 next = Shape::rank == 2 ? rows_at_once * step.y : rows_at_once / Shape::height * step.z;
    // How many of this thread's rows lie in the image.
    const i32 left = Shape::rank == 2 ? (grid.height - y + rows_at_once - 1) / rows_at_once
                     : y < grid.height
                         ? (grid.depth - z + rows_at_once / Shape::height - 1) / (rows_at_once / Shape::height)
                         : 0;
    uint4 value[pieces];
    u32 all = 0xffff;
#pragma unroll
    for (int k = 0; k < pieces; ++k, source += next) {
      value[k] = make_uint4(0, 0, 0, 0);
      if (k < left) value[k] = __ldcs(reinterpret_cast<const uint4*>(source));
    }
#pragma unroll
    for (int k = 0; k < pieces; ++k) {
      u32 word = four<NotZero>(value[k].x) | four<NotZero>(value[k].y) << 4 | four<NotZero>(value[k].z) << 8 |
                 four<NotZero>(value[k].w) << 12;
      if (!NotZero && k >= left) word = 0;
      reinterpret_cast<u16*>(bits)[k * threads + threadIdx.x] = static_cast<u16>(word);
      all &= word;
    }
    return all == 0xffff;
  }
};

// ---- packed bits ----------------------------------------------------------------------------------

struct bit_source {
  const u8* data;
  source_strides step;  // bytes; x is not used
  bit_rule rule;

  [[nodiscard]] bit_source inverted() const { return {data, step, {~rule.of_zero, ~rule.of_one}}; }

  template <class Shape>
  __device__ bool load(const tiling& grid, tile_place at, u32* bits) const {
    u32 all = ~0u;
    for (int k = threadIdx.x; k < tile_rows * tile_words; k += Shape::group_words) {
      const int row = k / tile_words;
      const i64 z = i64{at.z} * Shape::depth + row / Shape::height, y = i64{at.y} * Shape::height + row % Shape::height;
      const i64 x = i64{at.x} * tile_width + k % tile_words * 32, left = grid.width - x;
      u32 word = 0;
      if (z < grid.depth && y < grid.height && left > 0) {
        const u8* source = data + z * step.z + y * step.y + x / 8;
        if (left >= 32 && reinterpret_cast<u64>(source) % 4 == 0) word = *reinterpret_cast<const u32*>(source);
        else
          for (int b = 0; b < 4 && 8 * b < left; ++b) word |= u32{source[b]} << 8 * b;
        word = rule(word);
        if (left < 32) word &= (1u << left) - 1;
      }
      bits[k] = word;
      all &= word;
    }
    return all == ~0u;
  }
};

}  // namespace skerry::label_stages::on_device

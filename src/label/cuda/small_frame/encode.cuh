// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: pixels to bits.
//
// Reads   the rows of one strip: u8 at any address with any distance between rows, or packed bits
// Writes  their bits in shared memory; pixels outside the frame are 0
// Method  16 bytes at multiples of 16 to 16 bits by four dot products. Each thread reads its own word where rows allow it;
//         rows that begin elsewhere are shifted in shared memory
#pragma once
#include "label/cuda/small_frame/shape.cuh"

namespace skerry::label_stages::on_device {

/// Foreground as one or two comparisons of bytes: not less than `first`, and less than `end` where there is an end.
struct byte_rule {
  u32 first, end;       // four times
  u32 has_end, invert;  // all ones or all zeros

  __host__ static byte_rule of(const pixel_range<u8>& rule) {
    const bool nothing = rule.low > rule.high, invert = !rule.inside;
    const auto four = [](u32 value) { return value * 0x01010101u; };
    const auto flag = [](bool set) { return set ? ~0u : 0u; };
    if (nothing) return {0, 0, 0, flag(!invert)};
    if (rule.high == 255) return {four(rule.low), 0, 0, flag(invert)};
    if (rule.low == 0) return {four(rule.high + 1u), 0, 0, flag(!invert)};
    return {four(rule.low), four(rule.high + 1u), ~0u, flag(invert)};
  }

  /// The sign of each byte that is not less than the one of `than`.
  __device__ static u32 not_less(u32 bytes, u32 than) {
    const u32 borrow = (bytes | 0x80808080u) - (than & 0x7f7f7f7fu);
    return (bytes & ~than) | (~(bytes ^ than) & borrow);
  }
  __device__ u32 signs(u32 bytes) const {
    u32 in = not_less(bytes, first);
    if (has_end) in &= ~not_less(bytes, end);
    return (in ^ invert) & 0x80808080u;
  }
  /// 16 bytes to 16 bits.
  __device__ u32 bits(uint4 bytes) const {
    constexpr u32 low = 0x08040201u, high = 0x80402010u;
    const u32 a = __dp4a(signs(bytes.y), high, __dp4a(signs(bytes.x), low, 0u));
    const u32 b = __dp4a(signs(bytes.w), high, __dp4a(signs(bytes.z), low, 0u));
    return (a + (b << 8)) >> 7;
  }
};

struct frame_source {
  const u8* data;
  i64 row_bytes;  // from row to row, any sign
  readable_bytes readable;
  byte_rule rule;
  bit_rule of_bits;
  bool packed;
  bool aligned;  // rows begin at multiples of 16 bytes
  bool whole;    // and no word ends outside
  u32 pieces;    // of 16 pixels in a row, and one more word of them where rows are not aligned
  divisor by_pieces;

  /// What stage 1 made of the image; bytes must be neighbours in a row.
  __host__ static frame_source of(const byte_source& bytes) {
    frame_source source{};
    source.data = bytes.data;
    source.row_bytes = bytes.step.y;
    source.readable = bytes.readable;
    source.rule = byte_rule::of(bytes.rule);
    return source;
  }
  __host__ static frame_source of(const bit_source& bits) {
    frame_source source{};
    source.data = bits.data;
    source.row_bytes = bits.step.y;
    source.of_bits = bits.rule;
    source.packed = true;
    return source;
  }
};

/// Rare code is kept out of line: a kernel that runs through its code once waits for its instructions.
__device__ inline __noinline__ uint4 bytes_at_border(const u8* begin, const u8* end, const u8* at) {
  u32 value[4] = {0, 0, 0, 0};
#pragma unroll
  for (int word = 0; word < 4; ++word)
#pragma unroll 1
    for (int k = 4 * word + 3; k >= 4 * word; --k)
      value[word] = value[word] << 8 | (at + k >= begin && at + k < end ? at[k] : 0);
  return make_uint4(value[0], value[1], value[2], value[3]);
}

/// 16 bytes at a multiple of 16, as far as they may be read.
__device__ inline uint4 bytes_at(const readable_bytes& readable, const u8* at) {
  return readable.has(at, 16) ? readable.sixteen_at(at) : bytes_at_border(readable.begin, readable.end, at);
}

/// Pieces of 16 pixels of `rows` rows from row y on, to pieces of 16 bits; in memory they begin at a multiple of 16.
__device__ inline void pack_pieces(const frame_source& from, const frame_plan& plan, i32 y, u32 rows, u16* pieces) {
  constexpr u32 at_once = 4;
  const u32 count = rows * from.pieces;
  for (u32 begin = threadIdx.x; begin < count; begin += at_once * blockDim.x) {
    uint4 bytes[at_once];
    i32 x[at_once];
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      const u32 piece = begin + k * blockDim.x, row = from.by_pieces.quotient(piece);
      x[k] = static_cast<i32>(piece - row * from.pieces) * 16;
      bytes[k] = make_uint4(0, 0, 0, 0);
      if (piece >= count || y + static_cast<i32>(row) >= plan.height) {
        x[k] = plan.width;
        continue;
      }
      const u8* start = from.data + (y + static_cast<i32>(row)) * from.row_bytes;
      const i32 off = from.aligned ? 0 : static_cast<i32>(reinterpret_cast<u64>(start) & 15);
      x[k] -= off;
      if (x[k] < plan.width) bytes[k] = bytes_at(from.readable, start + x[k]);
    }
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      const u32 piece = begin + k * blockDim.x;
      if (piece >= count) break;
      u32 bits = x[k] < plan.width ? from.rule.bits(bytes[k]) : 0;
      if (x[k] < 0) bits &= 0xffffu << -x[k];
      if (x[k] + 16 > plan.width) bits &= (1u << max(plan.width - x[k], 0)) - 1;
      pieces[piece] = static_cast<u16>(bits);
    }
  }
}

/// Packed bits: 32 pixels.
__device__ inline u32 packed_word(const frame_source& from, const frame_plan& plan, i32 y, u32 column) {
  const i32 x = static_cast<i32>(column) * 32, left = plan.width - x;
  if (y >= plan.height || left <= 0) return 0;
  return packed_word(from.data + y * from.row_bytes + x / 8, left, from.of_bits);
}

/// Pixels of this thread's word, on their way.
template <class Shape>
struct word_in_flight {
  static constexpr int pieces = Shape::word_bits / 16;
  uint4 bytes[Shape::group_rows][pieces];

  __device__ void fetch(const frame_source& from, i32 height, i32 y, u32 x, bool inside) {
    const u8* at = from.data + y * from.row_bytes + x;
#pragma unroll
    for (int k = 0; k < Shape::group_rows; ++k, at += from.row_bytes)
      if (inside && y + k < height)
#pragma unroll
        for (int piece = 0; piece < pieces; ++piece)
          bytes[k][piece] = __ldcs(reinterpret_cast<const uint4*>(at) + piece);
  }
  __device__ void store(const frame_source& from, i32 height, i32 y, typename Shape::word* bits, u32 columns) const {
#pragma unroll
    for (int k = 0; k < Shape::group_rows; ++k, bits += columns)
#pragma unroll
      for (int piece = 0; piece < pieces; piece += 2) {
        u32 found = y + k < height ? from.rule.bits(bytes[k][piece]) : 0;
        if constexpr (pieces > 1) {
          if (y + k < height) found |= from.rule.bits(bytes[k][piece + 1]) << 16;
          reinterpret_cast<u32*>(bits)[piece / 2] = found;
        } else {
          *bits = static_cast<u16>(found);
        }
      }
  }
};

/// The bits of a strip that begins at row y, when words are not whole. `spare` is other shared memory, for rows that begin
/// anywhere.
template <class Shape>
__device__ void load_frame(const frame_source& from, const frame_plan& plan, i32 y, u32* bits, u32* spare) {
  const u32 rows = plan.groups * Shape::group_rows, columns = plan.columns * Shape::word_bits / 32;
  if (!from.packed && from.aligned) return pack_pieces(from, plan, y, rows, reinterpret_cast<u16*>(bits));
  if (!from.packed) {
    pack_pieces(from, plan, y, rows, reinterpret_cast<u16*>(spare));
    __syncthreads();
  }
  for (u32 k = threadIdx.x; k < rows * columns; k += blockDim.x) {
    const u32 row = k / columns, column = k - row * columns;
    if (from.packed) {
      bits[k] = packed_word(from, plan, y + static_cast<i32>(row), column);
    } else {
      const u32 off = reinterpret_cast<u64>(from.data + (y + static_cast<i32>(row)) * from.row_bytes) & 15;
      const u32* at = spare + row * (from.pieces / 2) + column;
      bits[k] = __funnelshift_r(at[0], at[1], off);
    }
  }
}

}  // namespace skerry::label_stages::on_device

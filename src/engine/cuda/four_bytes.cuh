// SPDX-License-Identifier: Apache-2.0
// Four bytes of a word at once. A word of signs has an answer for each byte in the byte's highest bit.
#pragma once
#include "core/portable.hpp"

namespace skerry {

/// The signs as bits 0 to 3; what is below them does not count.
__device__ inline u32 gather_signs(u32 signs) {
  return (signs & 0x80808080u) * 0x00204081u >> 28;  // to bits 28…31: no two partial products meet
}

/// The signs of 16 bytes as bits 0 to 15; what is below them does not count.
__device__ inline u32 gather_signs(const u32 (&signs)[4]) {
  u32 bits[2];  // eight each, from bit 7 on
#pragma unroll
  for (int k = 0; k < 2; ++k)
    bits[k] = __dp4a(signs[2 * k] & 0x80808080u, 0x08040201u, __dp4a(signs[2 * k + 1] & 0x80808080u, 0x80402010u, 0u));
  return bits[0] >> 7 | bits[1] << 1;
}

/// The bytes of bits 0 to 3, each 255 or 0; other bits are 0.
__device__ inline u32 bytes_of_bits(u32 bits) {
  u32 bytes;  // the signs of the bytes of the product, repeated; __byte_perm() does not know of signs
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(bytes) : "r"(bits * 0x10204080u));
  return bytes;
}

/// Signs of the bytes that are not 0.
__device__ inline u32 signs_of_ones(u32 bytes) { return ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes; }

/// Signs of the bytes that are alike in both.
__device__ inline u32 signs_of_equal(u32 a, u32 b) { return ~signs_of_ones(a ^ b); }

}  // namespace skerry

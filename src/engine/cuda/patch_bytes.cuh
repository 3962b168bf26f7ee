// SPDX-License-Identifier: Apache-2.0
// Sums over the bytes of a patch of 4 x 8 pixels under a mask: pixel (x, y) is bit 4 y + x.
#pragma once
#include "engine/cuda/four_bytes.cuh"
#include "engine/cuda/patch_bits.cuh"

namespace skerry {

/// Four bytes of each row.
struct patch_bytes {
  u32 rows[patch_height];
};

struct byte_sums {
  u32 sum, squares;
  u32 missing, most;  // 255 - least, so that 0 is of no pixels

  __device__ static byte_sums of(const patch_bytes& bytes, u32 mask) {
    u32 sum = 0, squares = 0, missing = 0, most = 0;  // two places of 16 bits in the last two
#pragma unroll
    for (u32 k = 0; k < patch_height; ++k) {
      const u32 wanted = bytes_of_bits(mask >> patch_width * k & 0xf);
      const u32 kept = bytes.rows[k] & wanted, below = ~bytes.rows[k] & wanted;
      sum = __dp4a(kept, 0x01010101u, sum);
      squares = __dp4a(kept, kept, squares);
      most = __vimax3_u16x2(most, __byte_perm(kept, 0, 0x4240), __byte_perm(kept, 0, 0x4341));
      missing = __vimax3_u16x2(missing, __byte_perm(below, 0, 0x4240), __byte_perm(below, 0, 0x4341));
    }
    return {sum, squares, max(missing & 0xffff, missing >> 16), max(most & 0xffff, most >> 16)};
  }
};

}  // namespace skerry

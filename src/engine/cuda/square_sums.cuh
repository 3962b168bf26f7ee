// SPDX-License-Identifier: Apache-2.0
// Geometry of some pixels of a square of 32 x 32, as four words: sums by counting bits, and bits of occupied columns and rows.
#pragma once
#include "core/feature.hpp"
#include "engine/cuda/warp.cuh"

namespace skerry {

/// Sum of the places of the bits of two words, and the number of bits. One count serves both words for each power of two.
__device__ inline u32 sum_of_places(u32 a, u32 b) {
  u32 sum = __popc((a & 0xaaaaaaaau) | (b & 0xaaaaaaaau) >> 1);
  sum += __popc((a & 0xccccccccu) | (b & 0xccccccccu) >> 2) << 1;
  sum += __popc((a & 0xf0f0f0f0u) | (b & 0xf0f0f0f0u) >> 4) << 2;
  sum += __popc((a & 0xff00ff00u) | (b & 0xff00ff00u) >> 8) << 3;
  return sum + (__popc((a & 0xffff0000u) | (b & 0xffff0000u) >> 16) << 4);
}

/// To join several, add the first two words and unite the bits of the others. Coordinates are those in the square.
struct square_sums {
  u32 area_x;         // pixels, and from bit 16 the sum of x
  u32 y;              // the sum of y
  u32 columns, rows;  // bits: where there are pixels

  /// Pixels of one row, of which there are some.
  __device__ static square_sums of_row(u32 pixels, u32 row) {
    const u32 area = count_of(pixels);
    return {area | sum_of_places(pixels, 0) << 16, area * row, pixels, 1u << row};
  }
  /// Of a square that begins at (z, y0, x0) of the image.
  [[nodiscard]] __device__ geometry placed(u32 z, u32 y0, u32 x0) const {
    const u32 area = area_x & 0xffff;
    geometry g;
    g.area = area;
    g.sum[0] = u64{z} * area;
    g.sum[1] = u64{y0} * area + y;
    g.sum[2] = u64{x0} * area + (area_x >> 16);
    g.min[0] = g.max[0] = static_cast<i32>(z);
    g.min[1] = static_cast<i32>(y0 + first_of(rows)), g.max[1] = static_cast<i32>(y0 + last_of(rows));
    g.min[2] = static_cast<i32>(x0 + first_of(columns)), g.max[2] = static_cast<i32>(x0 + last_of(columns));
    return g;
  }

 private:
  __device__ static u32 last_of(u32 bits) { return 31 - static_cast<u32>(__clz(static_cast<int>(bits))); }
};

}  // namespace skerry

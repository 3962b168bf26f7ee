// SPDX-License-Identifier: Apache-2.0
// Sums over some pixels of a patch of 4 x 8, from counts of bits: pixel (x, y) of a patch is bit 4 y + x of a mask.
#pragma once
#include "core/feature.hpp"

namespace skerry {

inline constexpr u32 patch_width = 4, patch_height = 8, patch_pixels = patch_width * patch_height;
static_assert(patch_pixels == 32, "a bit of a word for each pixel");

/// The pixels of a patch whose x, or y, has this bit.
__device__ constexpr u32 x_bits(u32 i) { return i == 0 ? 0xaaaaaaaa : 0xcccccccc; }
__device__ constexpr u32 y_bits(u32 i) { return i == 0 ? 0xf0f0f0f0 : i == 1 ? 0xff00ff00 : 0xffff0000; }

__device__ inline u32 ones(u32 bits) { return static_cast<u32>(__popc(static_cast<int>(bits))); }

/// Eight numbers of four bits, as bytes: those of even and of odd rows of a patch.
struct two_halves {
  u32 even, odd;
  __device__ explicit two_halves(u32 numbers) : even(numbers & 0x0f0f0f0f), odd(numbers >> 4 & 0x0f0f0f0f) {}
  /// Each times a byte of these.
  [[nodiscard]] __device__ u32 sum(u32 for_even = 0x01010101, u32 for_odd = 0x01010101) const {
    return __dp4a(even, for_even, __dp4a(odd, for_odd, 0u));
  }
};

/// Sums of coordinates and of their products, over some pixels of a tile of at most 2^13 pixels, 2^7 in a row: relative to the
/// tile they fit 32 bits.
struct tile_moments {
  u32 area, x, y, xx, xy, yy;

  /// Of the pixels of a mask, whose patch begins at (x0, y0) of the tile.
  __device__ static tile_moments of_places(u32 mask, u32 x0, u32 y0) {
    tile_moments m{};
    m.area = ones(mask);
    m.x = ones(mask & x_bits(0)) + 2 * ones(mask & x_bits(1)) + m.area * x0;
    m.y = ones(mask & y_bits(0)) + 2 * ones(mask & y_bits(1)) + 4 * ones(mask & y_bits(2)) + m.area * y0;
    return m;
  }
  /// The products; products of bits are counts of pixels that have both.
  __device__ void add_products(u32 mask, u32 x0, u32 y0) {
    const u32 in_x = x - area * x0, in_y = y - area * y0;                             // within the patch
    xx = in_x + 2 * ones(mask & x_bits(1)) + 4 * ones(mask & x_bits(0) & x_bits(1));  // bit i of x, squared, is 4^i
    yy = ones(mask & y_bits(0)) + 4 * ones(mask & y_bits(1)) + 16 * ones(mask & y_bits(2));
#pragma unroll
    for (u32 i = 0; i < 3; ++i) {
#pragma unroll
      for (u32 j = i + 1; j < 3; ++j) yy += ones(mask & y_bits(i) & y_bits(j)) << (i + j + 1);
#pragma unroll
      for (u32 j = 0; j < 2; ++j) xy += ones(mask & y_bits(i) & x_bits(j)) << (i + j);
    }
    xx += 2 * x0 * in_x + area * x0 * x0;
    xy += x0 * in_y + y0 * in_x + area * x0 * y0;
    yy += 2 * y0 * in_y + area * y0 * y0;
  }
  /// Both at once, by products of bytes: counts of bits are four times as slow as anything else. A row of the patch has four bits of
  /// a word, for how many pixels it has, and for their sums of x and of x squared.
  __device__ static tile_moments of(u32 mask, u32 x0, u32 y0) {
    const u32 at_3 = mask >> 3 & 0x11111111, at_1_and_2 = mask >> 1 & 0x33333333;  // as 1 and 2
    const u32 pairs = mask - (mask >> 1 & 0x55555555);
    const two_halves count((pairs & 0x33333333) + (pairs >> 2 & 0x33333333)), x_of_rows(at_1_and_2 + 3 * at_3),
        xx_of_rows(at_1_and_2 + (at_1_and_2 & 0x22222222) + 9 * at_3);
    const u32 in_x = x_of_rows.sum(), in_y = count.sum(0x06040200, 0x07050301);  // within the patch
    tile_moments m{};
    m.area = ones(mask);
    m.x = in_x + m.area * x0;
    m.y = in_y + m.area * y0;
    m.xx = xx_of_rows.sum() + x0 * (m.x + in_x);
    m.xy = x_of_rows.sum(0x06040200, 0x07050301) + x0 * m.y + y0 * in_x;
    m.yy = count.sum(0x24100400, 0x31190901) + y0 * (m.y + in_y);
    return m;
  }
  /// As a row, of a tile that begins at (z, y0, x0) of the image.
  [[nodiscard]] __device__ second_moments placed(u64 z, u64 y0, u64 x0) const {
    const u64 n = area;
    second_moments m;
    m.zz = wide_product(n * z, z);
    m.zy = wide_product(z, n * y0 + y);
    m.zx = wide_product(z, n * x0 + x);
    m.yy = wide_product(n * y0, y0);
    skerry::add(m.yy, {2 * y0 * y + yy, 0});
    m.yx = wide_product(n * y0, x0);
    skerry::add(m.yx, {y0 * x + x0 * y + xy, 0});
    m.xx = wide_product(n * x0, x0);
    skerry::add(m.xx, {2 * x0 * x + xx, 0});
    return m;
  }
};

}  // namespace skerry

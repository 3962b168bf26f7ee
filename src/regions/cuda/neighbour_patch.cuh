// SPDX-License-Identifier: Apache-2.0
// A patch whose pixels know their neighbours: which of the eight have the same label, and which of those are border pixels.
//
//   block   tiles that share two patches of each row with their neighbours: the first and the last thread of a warp only lend theirs
//   thread  a patch, with two rows above and two below; of columns beside it what its neighbours in the warp say
//
// A *plane* is a bit for each pixel of these 12 rows: pixel (x, y) of the patch is bit 4 (y + 2) + x. A plane of pairs has the bit
// of the pixel in which a pair of equal labels begins.
#pragma once
#include "engine/cuda/warp.cuh"
#include "regions/cuda/patches.cuh"

namespace skerry::regions::on_device {

inline constexpr u32 own_width = tile_width - 2 * patch_width, margin_rows = 2,
                     plane_rows = patch_height + 2 * margin_rows;

// Tiles of which own_width columns are their own.
struct overlapping_tiles {
  tile_grid grid;

  [[nodiscard]] static overlapping_tiles of(const extent& size) {
    extent widened = size;
    widened.width = (size.width + own_width - 1) / own_width * tile_width;
    return {tile_grid::of(widened)};
  }
  // The first pixel of a tile, which may lie before the image.
  [[nodiscard]] __device__ pixel_place first_of(u64 tile) const {
    pixel_place first = grid.first_of(tile);
    first.x = first.x / tile_width * own_width - patch_width;
    return first;
  }
  [[nodiscard]] __device__ static bool is_own() { return lane_of_thread() != 0 && lane_of_thread() != 31; }
};

// ---- planes -------------------------------------------------------------------------------------------------------

inline constexpr u64 first_column = 0x111111111111, last_column = first_column << 3;

// The bit of each pixel becomes that of the pixel after it, before it, below it, above it. The first two are by whole warps.
__device__ inline u64 from_right(u64 plane) {
  const u64 beside = __shfl_down_sync(~0u, plane, 1);
  return (plane >> 1 & ~last_column) | (beside & first_column) << 3;
}
__device__ inline u64 from_left(u64 plane) {
  const u64 beside = __shfl_up_sync(~0u, plane, 1);
  return (plane << 1 & ~first_column) | (beside >> 3 & first_column);
}
__device__ inline u64 from_below(u64 plane) { return plane >> patch_width; }
__device__ inline u64 from_above(u64 plane) { return plane << patch_width; }

// The bits of the patch itself.
__device__ inline u32 of_patch(u64 plane) { return static_cast<u32>(plane >> patch_width * margin_rows); }

// How many of four bits are set.
struct count_of_four {
  u32 ones, twos, fours;
  __device__ count_of_four(u32 a, u32 b, u32 c, u32 d) {
    const u32 both = a & b, one = a ^ b, both_too = c & d, one_too = c ^ d;
    ones = one ^ one_too;
    twos = both ^ both_too ^ (one & one_too);
    fours = both & both_too;
  }
  [[nodiscard]] __device__ u32 is_0() const { return ~(ones | twos | fours); }
  [[nodiscard]] __device__ u32 is_1() const { return ones & ~twos; }
  [[nodiscard]] __device__ u32 is_2() const { return twos & ~ones; }
  [[nodiscard]] __device__ u32 is_3() const { return ones & twos; }
};

// ---- labels -------------------------------------------------------------------------------------------------------

template <class Label>
struct neighbour_patch {
  label_patch<Label> own;
  Label margin[2 * margin_rows][patch_width];  // the rows above, and those below
  u64 inside;

  __device__ neighbour_patch(const label_source& from, const pixel_place& at)
      : own(from, {at.z, at.y, at.x < 0 ? from.width : at.x}), inside(u64{own.inside} << patch_width * margin_rows) {
#pragma unroll
    for (u32 k = 0; k < 2 * margin_rows; ++k) {
      const u32 row = k < margin_rows ? k : k + patch_height;
      inside |= u64{read_row(from, {at.z, at.y + row - margin_rows, at.x}, margin[k])} << patch_width * row;
    }
  }

  // Of rows of planes.
  [[nodiscard]] __device__ Label at(u32 row, u32 x) const {
    if (row < margin_rows) return margin[row][x];
    if (row < margin_rows + patch_height) return own.rows[row - margin_rows][x];
    return margin[row - patch_height][x];
  }

 private:
  // Returns which of the pixels are inside the image; the others are 0.
  __device__ static u32 read_row(const label_source& from, const pixel_place& at, Label (&to)[patch_width]) {
    const i64 width = at.y < 0 || at.y >= from.height || at.x < 0 ? 0 : from.width - at.x;
    const char* const row = from.data + at.z * from.step.z + at.y * from.step.y + at.x * from.step.x;
    if (from.in_fours && width >= patch_width) {
      load_four(row, to);
    } else {
#pragma unroll
      for (u32 x = 0; x < patch_width; ++x)
        to[x] = x < width ? intensity_image::read<Label>(row + x * from.step.x) : Label{0};
    }
    if (from.truth)
#pragma unroll
      for (u32 x = 0; x < patch_width; ++x) to[x] = to[x] != 0 ? 1 : 0;
    return width >= patch_width ? 0xf : width <= 0 ? 0 : (1u << width) - 1;
  }
};

// Pairs of equal labels inside the image. Each is of a pixel and the one to its right, below it, across its lower right corner; of
// `rising` of the pixel to its right and the one below it. Only pairs that the patch depends on are compared:
// of the outermost rows only `below`, and none across a corner between the two rows of a margin.
struct equal_pairs {
  u64 right, below, falling, rising;

  template <class Label>
  __device__ explicit equal_pairs(const neighbour_patch<Label>& patch) : right(0), below(0), falling(0), rising(0) {
    Label upper[patch_width + 1], lower[patch_width + 1];
    constexpr u32 last = plane_rows - 1;
    read(patch, 0, upper);
#pragma unroll
    for (u32 row = 0; row < last; ++row) {
      read(patch, row + 1, lower);
#pragma unroll
      for (u32 x = 0; x < patch_width; ++x) {
        const u32 bit = patch_width * row + x;
        below |= u64{upper[x] == lower[x]} << bit;
        if (row == 0) continue;
        right |= u64{upper[x] == upper[x + 1]} << bit;
        if (row + 1 == last) continue;
        falling |= u64{upper[x] == lower[x + 1]} << bit;
        rising |= u64{upper[x + 1] == lower[x]} << bit;
      }
#pragma unroll
      for (u32 x = 0; x <= patch_width; ++x) upper[x] = lower[x];
    }
    const u64 inside = patch.inside, inside_right = from_right(inside);
    right &= inside & inside_right;
    below &= inside & from_below(inside);
    falling &= inside & from_below(inside_right);
    rising &= inside_right & from_below(inside);
  }

 private:
  // A row, with the pixel after it unless it is an outermost row. By whole warps.
  template <class Label>
  __device__ static void read(const neighbour_patch<Label>& patch, u32 row, Label (&to)[patch_width + 1]) {
#pragma unroll
    for (u32 x = 0; x < patch_width; ++x) to[x] = patch.at(row, x);
    if (row == 0 || row + 1 == plane_rows) return;
    to[patch_width] = static_cast<Label>(__shfl_down_sync(~0u, shuffled(to[0]), 1));
  }
  // A word that warps can shuffle.
  __device__ static u64 shuffled(u64 label) { return label; }
  __device__ static u32 shuffled(u32 label) { return label; }
  __device__ static u32 shuffled(u16 label) { return label; }
  __device__ static u32 shuffled(u8 label) { return label; }
};

}  // namespace skerry::regions::on_device

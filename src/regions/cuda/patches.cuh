// SPDX-License-Identifier: Apache-2.0
// How a block reads a given label image: a tile, a patch for each thread, and the pixels of one label within a patch as bits.
//
//   block   a tile of 128 x 64 pixels of one slice
//   warp    8 rows of it
//   thread  a patch of 4 x 8 pixels: pixel (x, y) of a patch is bit 4 y + x of its masks
#pragma once
#include "engine/cuda/intensity_image.cuh"
#include "engine/cuda/patch_bits.cuh"
#include "regions/label_rows.hpp"

namespace skerry::regions::on_device {

inline constexpr u32 tile_warps = 8, tile_threads = 32 * tile_warps, tile_width = 32 * patch_width,
                     tile_height = tile_warps * patch_height;

// ---- tiles --------------------------------------------------------------------------------------------------------

// The pixel (z, y, x).
struct pixel_place {
  i64 z, y, x;
};

// Blocks of a kernel, each of which takes every so many-th piece of the work.
[[nodiscard]] inline u32 blocks_of(u64 pieces) {
  constexpr u64 most = 1 << 16;
  return static_cast<u32>(pieces < most ? pieces : most);
}

struct tile_grid {
  u32 tiles_x, tiles_y;
  u64 tiles;

  [[nodiscard]] static tile_grid of(const extent& size) {
    const auto parts = [](i64 side, u32 tile) { return static_cast<u32>((side + tile - 1) / tile); };
    const u32 x = parts(size.width, tile_width), y = parts(size.height, tile_height);
    return {x, y, u64{x} * y * static_cast<u64>(size.depth)};
  }
  [[nodiscard]] u32 blocks() const { return blocks_of(tiles); }
  // The first pixel of a tile.
  [[nodiscard]] __device__ pixel_place first_of(u64 tile) const {
    if (tile >> 32 == 0) {  // the division of 32 bits is much shorter
      const u32 t = static_cast<u32>(tile), row = t / tiles_x;
      return {row / tiles_y, i64{row % tiles_y} * tile_height, i64{t % tiles_x} * tile_width};
    }
    const u64 row = tile / tiles_x;
    return {static_cast<i64>(row / tiles_y), static_cast<i64>(row % tiles_y * tile_height),
            static_cast<i64>(tile % tiles_x * tile_width)};
  }
};

// Where the patch of this thread begins within its tile.
__device__ inline u32 patch_x() { return threadIdx.x % 32 * patch_width; }
__device__ inline u32 patch_y() { return threadIdx.x / 32 * patch_height; }

// ---- labels -------------------------------------------------------------------------------------------------------

// A label image in device memory, whose labels are read as unsigned integers of their size.
struct label_source {
  const char* data;
  byte_strides step;
  i64 height, width;
  bool in_fours;  // four labels of a row lie side by side, and can be loaded at once
  bool truth;     // booleans: 0, or 1 whatever the byte

  [[nodiscard]] static label_source of(const image_view& image) {
    const auto bytes = static_cast<i64>(size_of(image.type)), aligned = bytes < 4 ? 4 * bytes : 16;
    const bool in_fours = image.strides.x == bytes && reinterpret_cast<u64>(image.data) % aligned == 0 &&
                          (image.size.height < 2 || image.strides.y % aligned == 0) &&
                          (image.size.depth < 2 || image.strides.z % aligned == 0);
    return {static_cast<const char*>(image.data), image.strides, image.size.height, image.size.width, in_fours,
            image.type == dtype::boolean};
  }
  // The label of a pixel of the image.
  template <class Label>
  [[nodiscard]] __device__ Label at(const pixel_place& pixel) const {
    const Label label = intensity_image::read<Label>(data + pixel.z * step.z + pixel.y * step.y + pixel.x * step.x);
    return truth && label != 0 ? Label{1} : label;
  }
};

__device__ inline void load_four(const char* at, u8 (&to)[4]) {
  const u32 four = __ldcs(reinterpret_cast<const u32*>(at));
#pragma unroll
  for (u32 x = 0; x < 4; ++x) to[x] = static_cast<u8>(four >> 8 * x);
}
__device__ inline void load_four(const char* at, u16 (&to)[4]) {
  const uint2 four = __ldcs(reinterpret_cast<const uint2*>(at));
  to[0] = static_cast<u16>(four.x), to[1] = static_cast<u16>(four.x >> 16);
  to[2] = static_cast<u16>(four.y), to[3] = static_cast<u16>(four.y >> 16);
}
__device__ inline void load_four(const char* at, u32 (&to)[4]) {
  const uint4 four = __ldcs(reinterpret_cast<const uint4*>(at));
  to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}
__device__ inline void load_four(const char* at, u64 (&to)[4]) {
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const ulonglong2 two = __ldcs(reinterpret_cast<const ulonglong2*>(at) + half);
    to[2 * half] = two.x, to[2 * half + 1] = two.y;
  }
}

// The labels of a patch. Pixels outside the image are 0 and not in `inside`.
template <class Label>
struct label_patch {
  Label rows[patch_height][patch_width];
  u32 inside;

  __device__ label_patch(const label_source& from, const pixel_place& at) : inside(0) {
    const i64 height = from.height - at.y, width = from.width - at.x;
    const char* row = from.data + at.z * from.step.z + at.y * from.step.y + at.x * from.step.x;
    const u32 in_row = width >= patch_width ? 0xf : width <= 0 ? 0 : (1u << width) - 1;
    if (from.in_fours && in_row == 0xf) {
#pragma unroll
      for (u32 y = 0; y < patch_height; ++y, row += from.step.y) {
        if (y < height) load_four(row, rows[y]);
        else empty_row(y);
      }
    } else {
#pragma unroll
      for (u32 y = 0; y < patch_height; ++y, row += from.step.y)
#pragma unroll
        for (u32 x = 0; x < patch_width; ++x)
          rows[y][x] = y < height && x < width ? intensity_image::read<Label>(row + x * from.step.x) : Label{0};
    }
#pragma unroll
    for (u32 y = 0; y < patch_height; ++y) inside |= y < height ? in_row << patch_width * y : 0;
    if (from.truth)
#pragma unroll
      for (u32 k = 0; k < patch_pixels; ++k) pixel(k) = pixel(k) != 0 ? 1 : 0;
  }

  // Pixels that are no background.
  [[nodiscard]] __device__ u32 foreground(const background_test<Label>& is_background) const {
    u32 mask = 0;
#pragma unroll
    for (u32 k = 0; k < patch_pixels; ++k) mask |= is_background(pixel(k)) ? 0 : 1u << k;
    return mask & inside;
  }
  // Pixels of this label.
  [[nodiscard]] __device__ u32 pixels_of(Label label) const {
    u32 mask = 0;
#pragma unroll
    for (u32 k = 0; k < patch_pixels; ++k) mask |= pixel(k) == label ? 1u << k : 0;
    return mask;
  }
  // The label of a pixel, by choices between registers: an index would move the patch to memory.
  [[nodiscard]] __device__ Label label_of(u32 k) const {
    const auto first = [&](u32 i) { return (k & 16) != 0 ? pixel(16 + i) : pixel(i); };
    const auto second = [&](u32 i) { return (k & 8) != 0 ? first(8 + i) : first(i); };
    const auto third = [&](u32 i) { return (k & 4) != 0 ? second(4 + i) : second(i); };
    const auto fourth = [&](u32 i) { return (k & 2) != 0 ? third(2 + i) : third(i); };
    return (k & 1) != 0 ? fourth(1) : fourth(0);
  }

 private:
  __device__ void empty_row(u32 y) {
#pragma unroll
    for (u32 x = 0; x < patch_width; ++x) rows[y][x] = 0;
  }
  [[nodiscard]] __device__ Label& pixel(u32 k) { return rows[k / patch_width][k % patch_width]; }
  [[nodiscard]] __device__ const Label& pixel(u32 k) const { return rows[k / patch_width][k % patch_width]; }
};

// Calls visit(label, mask) for each label of a patch; in a warp at the same time, until no thread has one left. The mask is 0 for
// a thread that has none.
template <class Label, class Visit>
__device__ void each_piece(const label_patch<Label>& patch, u32 left, Visit visit) {
  while (__any_sync(~0u, left != 0)) {
    const Label label = patch.label_of(left == 0 ? 0 : static_cast<u32>(__ffs(static_cast<int>(left)) - 1));
    const u32 mask = patch.pixels_of(label) & left;
    left ^= mask;
    visit(label, mask);
  }
}

// Calls visit(place of the tile, place of the patch, its labels, those that are no background) for the tiles of a block.
template <class Label, class Visit>
__device__ void each_patch(const label_source& from, const tile_grid& grid, const background_test<Label>& is_background,
                           Visit visit) {
  for (u64 tile = blockIdx.x; tile < grid.tiles; tile += gridDim.x) {
    const pixel_place first = grid.first_of(tile);
    const label_patch<Label> patch(from, {first.z, first.y + patch_y(), first.x + patch_x()});
    visit(first, patch, patch.foreground(is_background));
  }
}

}  // namespace skerry::regions::on_device

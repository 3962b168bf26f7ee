// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, selections: components that touch the border of the image lose the bit of their root. They are found by the pixels
// there, and not by their boxes: no features are needed.
//
//   thread  one word of a group of rows
//   block   one tile of the border at a time
//
// Reads   bits, prefix, component, first, info, parent, once components are united
// Writes  root_bits
#pragma once
#include "label/cuda/resolve/placed_tile.cuh"
#include "label/cuda/tiles/links.cuh"

namespace skerry::label_stages::on_device {

/// Tiles on the border of the image, or of each frame: all of the first and the last slice of tiles of a volume, and of each other
/// slice a ring.
template <class Shape>
struct border_tiles {
  u32 faces, of_face, of_ring;

  __host__ __device__ static border_tiles of(const tiling& grid) {
    const u32 across = grid.tiles_x, down = grid.tiles_y;
    const u32 inside = across > 2 && down > 2 ? (across - 2) * (down - 2) : 0;
    const u32 faces = Shape::rank == 2 ? 0 : grid.tiles_z < 2 ? 1 : 2;
    return {faces, across * down, across * down - inside};
  }
  [[nodiscard]] __host__ __device__ u32 count(const tiling& grid) const {
    return faces * of_face + (grid.tiles_z - faces) * of_ring;
  }
  [[nodiscard]] __device__ tile_place place(const tiling& grid, u32 k) const {
    if (k < faces * of_face) {
      const u32 face = k / of_face, rest = k - face * of_face;
      return {face == 0 ? 0 : grid.tiles_z - 1, static_cast<i32>(rest / grid.tiles_x),
              static_cast<i32>(rest % grid.tiles_x)};
    }
    k -= faces * of_face;
    const i32 slice = static_cast<i32>(k / of_ring) + (faces > 0 ? 1 : 0), across = grid.tiles_x;
    i32 rest = static_cast<i32>(k % of_ring);
    if (rest < across) return {slice, 0, rest};  // the row above, that below, the columns at the sides
    rest -= across;
    if (rest < across) return {slice, grid.tiles_y - 1, rest};
    rest -= across;
    const i32 sides = across < 2 ? 1 : 2;
    return {slice, 1 + rest / sides, rest % sides == 0 ? 0 : across - 1};
  }
};

/// Pixels of a word of a group of rows on the border of the image, or of their frame.
template <class Shape>
__device__ typename Shape::word pixels_on_image_border(const tiling& grid, tile_place at, const group_word<Shape>& here,
                                                       int group, int column) {
  using word = typename Shape::word;
  const i32 x = at.x * tile_width + column * Shape::word_bits, last = grid.width - 1 - x;
  const word left = x == 0, right = last >= 0 && last < Shape::word_bits ? word{1} << last : 0;
  return here.pixels_of(group, left | right, [&](int row) {
    const auto [z, y] = image_row::of<Shape>(at, row);
    return y == 0 || y == grid.height - 1 || (Shape::rank == 3 && (z == 0 || z == grid.depth - 1));
  });
}

template <class Shape>
__device__ void drop_from_border(const tiling& grid, const label_tables& tables, const placed_tile& placed) {
  using word = typename Shape::word;
  const u64 tile = placed.number;
  const int group = threadIdx.x / Shape::words, column = threadIdx.x % Shape::words;
  const auto here = group_word<Shape>::of(tables.bits + tile * (tile_rows * tile_words), group, column);
  const runs_of_word<word> runs{here.starts(), tables.prefix[tile * Shape::prefix_pitch + threadIdx.x]};
  for (word rest = pixels_on_image_border<Shape>(grid, placed.at, here, group, column); rest != 0;) {
    const word bit = rest & -rest;
    rest &= ~span<word>(bit, runs.starts & ~up_to(bit));  // the other pixels of this run
    const u32 component = tables.component[tile * Shape::run_capacity + runs.at(bit)];
    const pixel_place first = placed.place_of_root<Shape>(component);
    if (is_there(grid, tables, first)) drop(grid, tables, first);
  }
}

inline constexpr u32 drop_border_blocks = 1024;

template <class Shape>
__global__ __launch_bounds__(Shape::group_words) void drop_border_kernel(const tiling grid, const label_tables tables) {
  const auto border = border_tiles<Shape>::of(grid);
  for (u32 k = blockIdx.x; k < border.count(grid); k += gridDim.x)
    drop_from_border<Shape>(grid, tables, placed_tile::at_place(grid, tables, border.place(grid, k)));
}

}  // namespace skerry::label_stages::on_device

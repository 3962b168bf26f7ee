// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, selections: components that touch the border of the image lose the bit of their root. They are found by the pixels
// there, and not by their boxes: no features are needed.
//
//   thread  one word of a group of rows
//   block   one tile at a time; it skips those inside the image
//
// Reads   bits, prefix, component, first, info, parent, once components are united
// Writes  root_bits
#pragma once
#include "label/cuda/resolve/placed_tile.cuh"
#include "label/cuda/tiles/links.cuh"

namespace skerry::label_stages::on_device {

template <class Shape>
__device__ bool is_on_image_border(const tiling& grid, tile_place at) {
  return at.x == 0 || at.x == grid.tiles_x - 1 || at.y == 0 || at.y == grid.tiles_y - 1 ||
         (Shape::rank == 3 && (at.z == 0 || at.z == grid.tiles_z - 1));
}

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
    const word bit = rest & -rest, later = runs.starts & ~up_to(bit);
    rest &= later == 0 ? 0 : ~((later & -later) - 1);  // the other pixels of this run
    const u32 component = tables.component[tile * Shape::run_capacity + runs.at(bit)];
    const pixel_place first = placed.place_of_root<Shape>(component);
    if (is_there(grid, tables, first)) drop(grid, tables, first);
  }
}

inline constexpr u32 drop_border_blocks = 1024;

template <class Shape>
__global__ __launch_bounds__(Shape::group_words) void drop_border_kernel(const tiling grid, const label_tables tables) {
  for (u32 tile = blockIdx.x; tile < grid.tiles; tile += gridDim.x)
    if (is_on_image_border<Shape>(grid, tile_place::of(grid, tile)))
      drop_from_border<Shape>(grid, tables, placed_tile::of(grid, tables, tile));
}

}  // namespace skerry::label_stages::on_device

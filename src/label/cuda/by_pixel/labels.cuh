// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: components are numbered in raster order of their first pixels, and labels written.
//
// Reads   bits at first pixels, and how many each row of tiles has; parent
// Writes  the label image; offsets, overflow
// Needs   all components united
// Method  a label is the number of first pixels up to its own: in rows of tiles before, in rows of its own row of tiles, and in its
//         row. The tile that has it tells it; others wait for it
#pragma once
#include "label/cuda/by_pixel/block.cuh"
#include "label/cuda/small_frame/emit.cuh"

namespace skerry::label_stages::on_device {

template <int Connectivity, int Rows>
struct pixel_labels {
  using block_type = pixel_block<Connectivity, Rows>;
  const block_type& block;
  const frame_target& to;

  /// A label that is 1 + the place in raster order of the first pixel.
  __device__ u32 label_by_place(u32 place) const {
    const u32 word = place / 32, y = block.grid.by_columns.quotient(word);
    return y * static_cast<u32>(block.grid.frame.width) + (word - y * block.grid.columns) * 32 + place % 32 + 1;
  }
  /// Of the rows of the warp, the word of first pixels that has the number of the lane.
  struct row_words {
    u32 of[Rows] = {};
  };
  __device__ row_words load_rows() const {
    const pixel_grid& grid = block.grid;
    row_words rows;
#pragma unroll
    for (int k = 0; k < Rows; ++k)
      if (block.lane < grid.columns && block.is_in_frame(block.pixels[k]))
        rows.of[k] = device_words{block.out.firsts}.load(block.pixels[k].y * grid.columns + block.lane);
    return rows;
  }
  /// By a warp that has no side.
  __device__ void sum_bands() const {
    if (block.warp != block.counting_warp) return;
    const counts_apart::sums bands = block.out.in_band.sum(block.grid.bands(), block.tile_y);
    if (block.lane == 0) block.memory.bands = bands;
  }

  /// Bits at the first pixels of the frame in a row of the tile; by whole warps.
  __device__ u32 bits_in_tile(const row_words& rows, int k) const {
    return __shfl_sync(~0u, rows.of[k], static_cast<int>(block.tile_x));
  }

  /// Behind a barrier after sum_bands().
  __device__ void write_counts() const {
    if (block.tile == 0) to.write_counts(block.memory.bands.all, to.rows != nullptr);
  }

  /// A label in place of the link of each component of the tile whose first pixel in the frame is here: its place there.
  __device__ void name_own_by_place(const row_words& rows) const {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = block.pixels[k];
      if (bits_in_tile(rows, k) >> block.lane & 1)
        block.parent.store(own.component, label_by_place(block.grid.place(own.y, block.tile_x, block.lane)));
    }
  }
  /// The same, a number. With a barrier.
  __device__ void name_own_by_rank(const row_words& rows) const {
    const u32 lane = block.lane, tile_x = block.tile_x;
    u32 left[Rows];
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const u32 here = count_of(rows.of[k]), all = __reduce_add_sync(~0u, here);
      left[k] = __reduce_add_sync(~0u, lane < tile_x ? here : 0);
      if (lane == 0) block.memory.in_row[block.pixels[k].row] = all;
    }
    __syncthreads();
    write_counts();
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = block.pixels[k];
      const u32 in_tile = bits_in_tile(rows, k);
      const u32 rows_before = __reduce_add_sync(~0u, lane < own.row ? block.memory.in_row[lane] : 0);
      if ((in_tile >> lane & 1) == 0) continue;
      const u32 place = block.grid.place(own.y, tile_x, lane),
                label = 1 + block.memory.bands.before + rows_before + left[k] + count_before(in_tile);
      block.parent.store(own.component, label);
      device_words{block.out.labels}.store(place / 2, label);
    }
  }

  /// The same for those whose first pixel is in another tile, by the warps that have sides.
  __device__ void name_others(u32 root, bool by_place) const {
    if (root == block.at_side) return;
    u32 label = by_place ? label_by_place(root) : 0;
    while (label == 0) label = device_words{block.out.labels}.load(root / 2);
    block.parent.store(block.memory.sides[block.warp][block.lane], label);
  }

  /// Of this thread's component at a side, while others unite: it is the root, or nearly.
  __device__ u32 ancestor_at_side() const {
    return block.at_side == no_pixel ? no_pixel
                                     : find_root<shortening::splitting>(pixel_sets{{block.out.parent}}, block.at_side);
  }

  __device__ void name_components(u32 ancestor, bool by_place) const {
    const row_words rows = load_rows();  // on their way while roots are found
    sum_bands();
    u32 root = no_pixel;
    // Threads that have the same component move its link, too; each uses only the root that it found.
    if (ancestor != no_pixel) root = link_to_root(pixel_sets{{block.out.parent}}, block.at_side, ancestor);
    if (by_place) name_own_by_place(rows);
    else name_own_by_rank(rows);
    name_others(root, by_place);
    __syncthreads();
    if (by_place) write_counts();
  }

  __device__ void write() const {
    const u32 x = block.tile_x * pixel_side + block.lane;
    if (x >= static_cast<u32>(block.grid.frame.width)) return;
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = block.pixels[k];
      if (!block.is_in_frame(own)) continue;
      store_label(to, to.label_place(static_cast<i32>(own.y), static_cast<i32>(x)),
                  own.component == no_pixel ? 0 : block.parent.load(own.component));
    }
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: components are numbered in raster order of their first pixels, and labels written.
//
// Reads   bits at first pixels, and how many each row has; parent
// Writes  the label image; offsets, overflow
// Needs   all components united
// Method  a label is the number of first pixels up to its own: in rows before, and in its row. The tile that has it tells it; others
//         wait for it
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
  /// What the labels of a row are made of.
  struct row_words {
    u32 count;  // first pixels in a row of the frame: row threadIdx.x * Rows + k
    u32 word;   // of this thread's row of the frame, the word that has the number of its lane
  };
  __device__ bool counts_rows(bool by_place) const {
    return !by_place || ((to.offsets != nullptr || to.overflow != nullptr) && block.tile == 0);
  }
  __device__ void load_rows(row_words (&rows)[Rows], bool by_place) const {
    const pixel_grid& grid = block.grid;
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const u32 row = threadIdx.x * Rows + k;
      rows[k] = {0, 0};
      if (counts_rows(by_place) && row < static_cast<u32>(grid.frame.height))
        rows[k].count = device_words{block.out.counts}.load(row);
      if (block.lane < grid.columns && block.is_in_frame(block.pixels[k]))
        rows[k].word = device_words{block.out.firsts}.load(block.pixels[k].y * grid.columns + block.lane);
    }
  }

  /// Counts the components before each row of the frame. With barriers.
  __device__ void count_rows_before(const row_words (&rows)[Rows]) const {
    static_assert(block_type::threads * Rows >= pixel_most_rows);
    u32 own = 0, all = 0;
#pragma unroll
    for (int k = 0; k < Rows; ++k) own += rows[k].count;
    u32 before = sum_before_thread<block_type::threads>(own, block.memory.warp_total, all);
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      block.memory.before[threadIdx.x * Rows + k] = before;
      before += rows[k].count;
    }
    if (block.tile == 0) to.write_counts(all, to.rows != nullptr);
    __syncthreads();
  }

  /// A label in place of the link of each component of the tile whose first pixel in the frame is here. With barriers.
  __device__ void name_own(const row_words (&rows)[Rows], bool by_place) const {
    const pixel_grid& grid = block.grid;
    const u32 lane = block.lane, tile_x = block.tile_x;
    if (counts_rows(by_place)) count_rows_before(rows);
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = block.pixels[k];
      const u32 in_tile = __shfl_sync(~0u, rows[k].word, static_cast<int>(tile_x));
      const u32 left = __reduce_add_sync(~0u, lane < tile_x ? count_of(rows[k].word) : 0);
      if ((in_tile >> lane & 1) == 0) continue;
      block.parent.store(own.component, by_place ? label_by_place(grid.place(own.y, tile_x, lane))
                                                 : block.memory.before[own.y] + left + count_before(in_tile) + 1);
    }
  }

  /// The same for those whose first pixel is in another tile, by the warps that have sides.
  __device__ void name_others(u32 root, bool by_place) const {
    if (block.at_side == no_pixel) return;
    const device_words labels{block.out.labels};
    const u32 component = block.memory.sides[block.warp][block.lane];
    if (root == block.at_side && !by_place) labels.store(root / 2, block.parent.load(component));
    if (root == block.at_side) return;
    u32 label = by_place ? label_by_place(root) : 0;
    while (label == 0) label = labels.load(root / 2);
    block.parent.store(component, label);
  }

  /// Of this thread's component at a side, while others unite: it is the root, or nearly.
  __device__ u32 ancestor_at_side() const {
    return block.at_side == no_pixel ? no_pixel
                                     : find_root<shortening::splitting>(pixel_sets{{block.out.parent}}, block.at_side);
  }

  __device__ void name_components(u32 ancestor, bool by_place) const {
    row_words rows[Rows];  // they are on their way while roots are found
    load_rows(rows, by_place);
    u32 root = no_pixel;
    // Threads that have the same component move its link, too; each uses only the root that it found.
    if (ancestor != no_pixel) root = link_to_root(pixel_sets{{block.out.parent}}, block.at_side, ancestor);
    name_own(rows, by_place);
    if (!by_place) __syncthreads();
    name_others(root, by_place);
    __syncthreads();
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

// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: geometry of its components.
//
// Reads   the components of the tile; how many other tiles have; labels
// Writes  rows of the table
// Needs   no third barrier of the grid: rows that tiles add to are empty before all components are united
// Method  what a component has in a row of the tile is a word of bits, whose sums are counts. Components at sides of the tile are added
//         to rows in device memory, those of one row together; any other is written
#pragma once
#include "engine/cuda/join_rows.cuh"
#include "engine/cuda/square_sums.cuh"
#include "label/cuda/by_pixel/block.cuh"
#include "label/cuda/small_frame/emit.cuh"
#include "label/cuda/tiles/measure.cuh"

namespace skerry::label_stages::on_device {

template <int Connectivity, int Rows>
struct pixel_features {
  static constexpr u32 first_clearing_warp = 4, clearing_warps = 2;
  const pixel_block<Connectivity, Rows>& block;
  pixel_sums& sums;
  const frame_target& to;

  /// Clears what is summed of each component; before a barrier of the block.
  __device__ void clear() const {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = block.pixels[k];
      if (!block.begins_component(own)) continue;
      const u32 slot = own.component / 2;
      sums.area_x[slot] = sums.y[slot] = sums.columns[slot] = sums.rows[slot] = 0;
    }
    if (threadIdx.x < pixel_sums::sides) sums.with_row[threadIdx.x] = no_pixel;
  }
  /// Tells others how many components the tile has, after that barrier.
  __device__ void tell_count() const {
    if (block.warp != block.counting_warp) return;
    const u32 all = block.components();
    if (block.lane == 0) device_words{block.out.components}.store(block.tile, all);
  }

  /// Sums what the tile has of each component; before a barrier of the block.
  __device__ void sum() const {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = block.pixels[k];
      const u32 same = __match_any_sync(~0u, own.component), slot = own.component / 2;
      if (own.component == no_pixel || !is_first_of(same)) continue;
      add(slot, square_sums::of_row(same, own.row));
    }
  }
  __device__ void add(u32 slot, const square_sums& more) const {
    atomicAdd(sums.area_x + slot, more.area_x);
    atomicAdd(sums.y + slot, more.y);
    atomicOr(sums.columns + slot, more.columns);
    atomicOr(sums.rows + slot, more.rows);
  }

  /// Empties the rows that components may get, which are at most as many as those of all tiles: by warps that unite nothing.
  __device__ void clear_rows() const {
    const u32 clearing = block.warp - first_clearing_warp;
    if (clearing >= clearing_warps) return;
    u32 rows = 0;
    for (u32 begin = block.lane; begin < block.grid.tiles; begin += 128) {
      u32 more[4];  // all are on their way together
#pragma unroll
      for (u32 k = 0; k < 4; ++k)
        more[k] = begin + 32 * k < block.grid.tiles ? device_words{block.out.components}.load(begin + 32 * k) : 0;
      rows += more[0] + more[1] + more[2] + more[3];
    }
    rows = static_cast<u32>(min(u64{__reduce_add_sync(~0u, rows)}, to.row_capacity));
    const u32 begin = (block.tile * clearing_warps + clearing) * 32 + block.lane;
    const geometry empty = empty_geometry(2);
    for (u32 row = begin; row < rows; row += block.grid.tiles * clearing_warps * 32) to.rows[row] = empty;
  }

  __device__ square_sums sums_of(u32 slot) const {
    return {sums.area_x[slot], sums.y[slot], sums.columns[slot], sums.rows[slot]};
  }
  /// What the tile has of a component.
  __device__ geometry get(u32 slot) const {
    return sums_of(slot).placed(0, block.tile_y * pixel_side, block.tile_x * pixel_side);
  }

  /// The slot of the first component of the tile that came here with this row; `own` is the slot of one that comes.
  __device__ u32 first_with_row(u32 row, u32 own) const {
    constexpr u32 places = pixel_sums::sides, slot_bits = 9;
    static_assert(pixel_sums::capacity == 1 << slot_bits &&
                  u64{pixel_most_tiles} * pixel_sums::capacity < 1 << (32 - slot_bits));
    for (u32 at = row * 0x9e3779b1u >> 25;; at = (at + 1) % places) {
      const u32 found = atomicCAS(sums.with_row + at, no_pixel, row << slot_bits | own);
      if (found == no_pixel) return own;
      if (found >> slot_bits == row) return found % pixel_sums::capacity;
    }
  }

  /// Once components have labels. With a barrier.
  __device__ void write() const {
    u32 rows[Rows];  // that this thread adds to
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = block.pixels[k];
      rows[k] = no_pixel;
      if (!block.begins_component(own)) continue;
      const u32 row = block.parent.load(own.component) - 1, slot = own.component / 2;
      if (row >= to.row_capacity) continue;
      constexpr u32 ends = 1 | 1u << 31;
      const square_sums own_sums = sums_of(slot);
      if (((own_sums.columns | own_sums.rows) & ends) == 0) {
        to.rows[row] = get(slot);
        continue;
      }
      const u32 first = first_with_row(row, slot);
      if (first == slot) rows[k] = row;
      else add(first, own_sums);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Rows; ++k)
      if (rows[k] != no_pixel) join<2>(to.rows[rows[k]], get(block.pixels[k].component / 2), join_at_once());
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: components are numbered in raster order of their first pixels, and labels written.
//
// Reads   bits at first pixels, and how many each row has; parent
// Writes  the label image; offsets, overflow
// Needs   all components united
// Method  a label is the number of first pixels up to its own: in rows before, and in its row
#pragma once
#include "label/cuda/by_pixel/block.cuh"
#include "label/cuda/small_frame/emit.cuh"

namespace skerry::label_stages::on_device {

template <int Connectivity>
struct pixel_labels {
  const pixel_block<Connectivity>& block;
  const frame_target& to;

  /// The first pixel in the frame of the component whose first pixel in the tile is here.
  __device__ u32 root() const {
    const pixel_sets sets{{block.out.parent}};
    return link_to_root(sets, block.place(), sets.load(block.place()));
  }
  /// A label that is 1 + the place in raster order of the first pixel.
  __device__ u32 label_by_place(u32 place) const {
    const u32 word = place / 32, y = block.grid.by_row_words.quotient(word);
    return y * static_cast<u32>(block.grid.frame.width) + (word - y * block.grid.row_words) * 32 + place % 32 + 1;
  }
  /// First pixels of the row of `place`, up to there.
  __device__ u32 count_in_row(u32 place, u32 y) const {
    constexpr u32 fours_at_once = 4;
    const u32 full = place / 32 - y * block.grid.row_words;
    const auto* words = reinterpret_cast<const uint4*>(block.out.firsts + u64{y} * block.grid.row_words);
    const auto counted = [&](u32 word, u32 k) {
      return k < full ? count_of(word) : k == full ? count_of(word & ~0u >> (31 - place % 32)) : 0;
    };
    u32 count = 0;
#pragma unroll 1
    for (u32 begin = 0; begin * 4 <= full; begin += fours_at_once) {
#pragma unroll
      for (u32 k = begin; k < begin + fours_at_once; ++k) {
        if (k * 4 > full) continue;
        const uint4 four = __ldcg(words + k);
        count += counted(four.x, k * 4) + counted(four.y, k * 4 + 1) + counted(four.z, k * 4 + 2) +
                 counted(four.w, k * 4 + 3);
      }
    }
    return count;
  }

  /// A label in place of the link of each component of the tile. With barriers.
  __device__ void name_components(bool by_place) const {
    const u32 lane = block.lane;
    const bool counts = !by_place || ((to.offsets != nullptr || to.overflow != nullptr) && block.tile == 0);
    const u32 row = threadIdx.x;
    u32 in_row = 0, word = 0;  // both are on their way together
    if (counts && row < static_cast<u32>(block.grid.frame.height)) in_row = device_words{block.out.counts}.load(row);
    if (lane < block.grid.columns && block.is_in_frame())
      word = device_words{block.out.firsts}.load(block.y * block.grid.row_words + lane);
    const u32 own = __shfl_sync(~0u, word, static_cast<int>(block.tile_x));
    const u32 left = __reduce_add_sync(~0u, lane < block.tile_x ? count_of(word) : 0);
    u32 place = block.place(), y = block.y, label = left + count_of(own & ~0u >> (31 - lane));
    if (block.is_first() && !(own >> lane & 1)) {
      place = root();
      y = block.grid.by_row_words.quotient(place / 32);
      if (!by_place) label = count_in_row(place, y);
    }
    if (counts) {
      u32 all = 0;
      block.memory.before[row] = sum_before_thread<pixel_threads>(in_row, block.memory.warp_total, all);
      if (block.tile == 0) to.write_counts(all, false);
      __syncthreads();
    }
    if (block.is_first())
      block.parent.store(block.component, by_place ? label_by_place(place) : label + block.memory.before[y]);
    __syncthreads();
  }

  __device__ void write() const {
    const u32 x = block.tile_x * pixel_side + block.lane;
    if (!block.is_in_frame() || x >= static_cast<u32>(block.grid.frame.width)) return;
    store_label(to, to.label_place(static_cast<i32>(block.y), static_cast<i32>(x)),
                block.component == no_pixel ? 0 : block.parent.load(block.component));
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: components of neighbouring tiles become one.
//
// Reads   the borders that tiles have told
// Writes  parent; takes from the first pixels those that are none in the frame, and from the counts of their rows of tiles
// Needs   a barrier before
// Method  a warp unites across the first row, and one across the first column; with 8 neighbours, where a pixel there may touch two
//         across, two more. A pair of components that several pixels have is united once
#pragma once
#include "label/cuda/by_pixel/block.cuh"

namespace skerry::label_stages::on_device {

template <int Connectivity, int Rows>
struct pixel_borders {
  const pixel_block<Connectivity, Rows>& block;

  /// Returns whether the row of tiles has a component less.
  __device__ bool unite(u32 own, u32 other) const {
    const pixel_grid& grid = block.grid;
    const pixel_tables& out = block.out;
    bool lost = false;
    unite_by_lowering(pixel_sets{{out.parent}}, own, other, [&](u32 place) {
      atomicAnd(out.firsts + place / 32, ~(1u << place % 32));
      const u32 band = grid.by_columns.quotient(place / 32) / pixel_side;
      lost = band == block.tile_y;
      if (!lost) out.in_band.take(band, 1);
    });
    return lost;
  }

  /// Components of a side of this tile, one for each thread of a warp, with those across; `corner` is the one beyond the first
  /// or the last of these, for the threads there. If a pixel touches two across, another warp unites it with the second.
  __device__ void unite_side(u32 own, u32 other, u32 corner, bool with_second) const {
    const u32 here = __ballot_sync(~0u, own != no_pixel), there = __ballot_sync(~0u, other != no_pixel);
    pixel_links<Connectivity> links(here, there);
    u32 before = no_pixel, after = no_pixel;
    if constexpr (Connectivity == 8) {
      before = __shfl_up_sync(~0u, other, 1), after = __shfl_down_sync(~0u, other, 1);
      if (block.lane == 0) before = corner;
      if (block.lane == 31) after = corner;
      links.before |= __ballot_sync(~0u, block.lane == 0 && corner != no_pixel) & here & ~there;
      links.after |= __ballot_sync(~0u, block.lane == 31 && corner != no_pixel) & here & ~there;
    }
    const u32 bit = 1u << block.lane;
    const bool touches = ((with_second ? links.before & links.after : links.any()) & bit) != 0;
    const u32 to = (links.across & bit) ? other : !with_second && (links.before & bit) ? before : after;
    const u64 pair = touches ? u64{own} << 32 | to : ~u64{0};
    const u32 same = __match_any_sync(~0u, pair);  // threads that unite the same pair would wait for each other
    const u32 lost = __ballot_sync(~0u, touches && is_first_of(same) && unite(own, to));
    if (block.lane == 0) block.out.in_band.take(block.tile_y, count_of(lost));
  }

  __device__ void unite_all() const {
    constexpr u32 warps = Connectivity == 8 ? 4 : 2;
    if (block.warp >= warps) return;
    const device_words bottom{block.out.bottom}, right{block.out.right};
    const u32 tile = block.tile, lane = block.lane;
    const bool with_second = block.warp >= 2;
    if (block.warp % 2 == 0 && block.tile_y > 0) {
      const u32 above = tile - block.grid.columns;
      u32 corner = no_pixel;
      if (Connectivity == 8 && lane == 0 && block.tile_x > 0) corner = bottom.load((above - 1) * 32 + 31);
      if (Connectivity == 8 && lane == 31 && block.tile_x + 1 < block.grid.columns)
        corner = bottom.load((above + 1) * 32);
      unite_side(block.component_at(tile_side::top), bottom.load(above * 32 + lane), corner, with_second);
    }
    if (block.warp % 2 == 1 && block.tile_x > 0)
      unite_side(block.component_at(tile_side::left), right.load((tile - 1) * 32 + lane), no_pixel, with_second);
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Rectangles of pixels of one node in a tile: their shares of rows are known in closed form.
#pragma once
#include "core/feature.hpp"
#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

// Pixels [begin, end) of rows [top, bottom) of slice z of a tile.
struct tile_run {
  i32 z, top, bottom, begin, end;

  __device__ u32 width() const { return static_cast<u32>(end - begin); }
  __device__ u32 height() const { return static_cast<u32>(bottom - top); }
  // In the image.
  __device__ placed_run placed(const tile_box& tile) const {
    return {i64{tile.z} + z, i64{tile.y} + top, i64{tile.y} + bottom, i64{tile.x} + begin, i64{tile.x} + end};
  }
};

// A rectangle of pixels of one node that still grows downwards.
struct growing_run {
  u32 node = nowhere;
  i32 top = 0, begin = 0, end = 0;
};

// Joins what the pixels of a row add to the rectangles above it; of nowhere, nothing. By whole warps.
template <class Join>
__device__ void go_on_below(growing_run& run, u32 node, i32 x, i32 y, i32 z, Join join) {
  const u32 lane = lane_of_thread(), before = __shfl_up_sync(~0u, node, 1);
  const bool begins = lane == 0 || x == 0 || before != node;
  const u32 later = __ballot_sync(~0u, begins) & ~(2u * (1u << lane) - 1);
  const i32 end = x + static_cast<i32>((later == 0 ? 32 : first_of(later)) - lane);
  if (!begins) node = nowhere;
  if (node != nowhere && run.node == node && run.end == end) return;
  if (run.node != nowhere) join(run.node, tile_run{z, run.top, y, run.begin, run.end});
  run = {node, y, x, end};
}

// The pixels of a thread in a tile: 16 below each other.
template <int Rank>
struct pixel_column {
  int x, top, z;
  static __device__ pixel_column of_thread() {
    const auto lane = static_cast<int>(lane_of_thread()), warp = static_cast<int>(threadIdx.x / 32);
    if constexpr (Rank == 2) return {warp % 2 * 32 + lane, warp / 2 * run_pixels, 0};
    else return {lane % 16, 0, warp * 2 + lane / 16};
  }
  __device__ bool is_in(const tile_box& tile, int k) const { return tile.holds(x, top + k, z); }
  __device__ u32 pixel(const tree_grid<Rank>& grid, const tile_box& tile, int k) const {
    return grid.pixel(tile.x + x, tile.y + top + k, tile.z + z);
  }
  __device__ int place(int k) const { return tree_grid<Rank>::place(x, top + k, z); }
};

// Calls join(node, run) for rectangles of pixels of the same node; of nowhere, not. By all threads, which have a column each.
template <int Rank, class Join>
__device__ void each_rectangle(const u32 (&node)[run_pixels], Join join) {
  const auto column = pixel_column<Rank>::of_thread();
  growing_run run;
#pragma unroll
  for (int k = 0; k < run_pixels; ++k) go_on_below(run, node[k], column.x, column.top + k, column.z, join);
  if (run.node != nowhere) join(run.node, tile_run{column.z, run.top, column.top + run_pixels, run.begin, run.end});
}

}  // namespace skerry::tree_stages::on_device

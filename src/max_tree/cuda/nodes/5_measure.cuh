// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure: what each node has of its own.
//
//   thread  a node; or 16 pixels below each other
//   warp    32 columns of 16 rows: pixels of one node that follow each other are one rectangle
//
// Reads   nodes, their keys, the parent image
// Writes  a row per node and array: its own pixels; the node of each pixel
// Needs   areas or boxes, where grey values are summed
// Method  the first pixel of a node is written without an atomic, so that nodes of one pixel, the most in noise, need none.
//         All other pixels join in rectangles, whose shares are known in closed form. A node's pixels have one value.
#pragma once
#include "core/intensity.hpp"
#include "core/real_intensity.hpp"
#include "max_tree/cuda/nodes/4_number.cuh"

namespace skerry::tree_stages::on_device {

// ---- nodes ----------------------------------------------------------------------------------------------------------

// Begins each node's row with its first pixel.
template <class Key>
__global__ void __launch_bounds__(node_threads)
    begin_rows_kernel(node_list nodes, node_table table, const Key* keys, i64 width, i64 height) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  const i64 pixel = nodes.first_pixel[node], y = pixel / width, x = pixel - y * width, z = y / height;
  const placed_run run{z, y - z * height, y - z * height + 1, x, x + 1};
  if (table.area != nullptr) table.area[node] = {1};
  if (table.components != nullptr) table.components[node] = geometry_of(run);
  if (table.moments != nullptr)
    table.moments[node] = second_moments_of_stretch(static_cast<u64>(z), static_cast<u64>(run.top), static_cast<u64>(x),
                                                    static_cast<u64>(x) + 1);
  if (table.peaks != nullptr) table.peaks[node] = node_peak::of(keys[node], node);
}

// Sums of grey values of each node alone, of integers.
template <class Key>
__global__ void __launch_bounds__(node_threads)
    own_greys_kernel(node_list nodes, node_table table, grey_source<Key> image, dtype type, const Key* keys) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  intensity grey;
  add_integer(grey, static_cast<i64>(level_from(image, type, keys[node])));
  const u64 pixels = table.pixels_of(node);
  grey.sum = times(grey.sum, pixels);
  grey.squares = times(grey.squares, pixels);
  table.intensities[node] = grey;
}

// Of floats, how many pixels each node has of its own: its row follows when the farthest levels are known.
__global__ void __launch_bounds__(node_threads)
    own_pixels_of_reals_kernel(node_list nodes, node_table table, real_grey_table intensities) {
  const u32 node = this_node();
  if (node < nodes.number()) intensities.intensities[node].non_finite = table.pixels_of(node);
}

// Sums of grey values of each node alone, of floats, with the range of its component, which ends at the farthest level.
template <class Key>
__global__ void __launch_bounds__(node_threads)
    own_real_greys_kernel(node_list nodes, node_table table, real_grey_table intensities, grey_source<Key> image,
                          dtype type, const Key* keys) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  real_intensity& row = intensities.intensities[node];
  row = real_intensity_of(level_from(image, type, keys[node]), row.non_finite,
                          level_from(image, type, keys[table.peaks[node].node()]));
}

// ---- pixels ---------------------------------------------------------------------------------------------------------

inline constexpr int own_rows = 16;  // of a warp

// A rectangle of pixels of one node that still grows downwards.
struct growing_run {
  u32 node = nowhere;
  i32 top = 0, begin = 0, end = 0;
};

struct pixel_rows {
  i32 width, height, depth;
  i32 warps_x, warps_y;
  explicit pixel_rows(const extent& size)
      : width(static_cast<i32>(size.width)), height(static_cast<i32>(size.height)), depth(static_cast<i32>(size.depth)),
        warps_x((width + 31) / 32), warps_y((height + own_rows - 1) / own_rows) {}
  [[nodiscard]] i64 warps() const { return i64{warps_x} * warps_y * depth; }
};

// Joins what the pixels of a row add to the rectangles above it.
__device__ inline void go_on_below(const node_table& table, growing_run& run, u32 node, i32 x, i32 y, i32 z) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const u32 before = __shfl_up_sync(~0u, node, 1);
  const bool begins = lane == 0 || before != node;
  const u32 beginnings = __ballot_sync(~0u, begins), later = beginnings & ~(2u * (1u << lane) - 1);
  const int end = later == 0 ? 32 : __ffs(static_cast<int>(later)) - 1;
  if (!begins) node = nowhere;
  if (node != nowhere && run.node == node && run.end - run.begin == end - lane) return;
  if (run.node != nowhere) join_pixels(table, run.node, {z, run.top, y, run.begin, run.end});
  run = {node, y, x, x + end - lane};
}

// `node_of_pixel` has the numbers of first pixels; the others get those of their nodes.
__global__ void __launch_bounds__(node_threads)
    own_pixels_kernel(node_list nodes, node_table table, pixel_rows image, const u32* parent, u32* node_of_pixel) {
  const i64 warp = (i64{blockIdx.x} * node_threads + threadIdx.x) / 32;
  if (nodes.number() == 0 || warp >= i64{image.warps_x} * image.warps_y * image.depth) return;
  const i32 row = static_cast<i32>(warp / image.warps_x), z = row / image.warps_y, top = row % image.warps_y * own_rows;
  const i32 x = static_cast<i32>(warp % image.warps_x) * 32 + static_cast<i32>(threadIdx.x % 32);
  const i32 rows = min(own_rows, image.height - top);
  const bool inside = x < image.width;
  const i64 pixel = (i64{z} * image.height + top) * image.width + x;
  u32 node[own_rows], below[own_rows];
#pragma unroll
  for (int k = 0; k < own_rows; ++k) {
    const bool there = inside && k < rows;
    node[k] = there ? node_of_pixel[pixel + i64{k} * image.width] : 0;
    below[k] = there ? parent[pixel + i64{k} * image.width] : 0;
  }
  // Only first pixels are read, and only others written.
#pragma unroll
  for (int k = 0; k < own_rows; ++k) below[k] = node[k] == nowhere ? node_of_pixel[below[k]] : nowhere;
#pragma unroll
  for (int k = 0; k < own_rows; ++k)
    if (node[k] == nowhere) node_of_pixel[pixel + i64{k} * image.width] = below[k];
  if (!table.from_pixels()) return;
  growing_run run;
#pragma unroll
  for (int k = 0; k < own_rows; ++k)
    if (k < rows) go_on_below(table, run, below[k], x, top + k, z);
  if (run.node != nowhere) join_pixels(table, run.node, {z, run.top, top + rows, run.begin, run.end});
}

}  // namespace skerry::tree_stages::on_device

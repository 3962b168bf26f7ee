// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure: what each node has of its own, for keys of more than 8 bits.
//
//   thread  a node; or 16 pixels below each other
//   block   a tile
//
// Reads   nodes, their keys, the node of each pixel
// Writes  a row per node and array: its own pixels
// Needs   areas or boxes, where grey values are summed
// Method  the first pixel of a node is written without an atomic, so that nodes of one pixel, the most in noise, need none.
//         All other pixels join in rectangles, whose shares are known in closed form. A node's pixels have one value.
#pragma once
#include "core/intensity.hpp"
#include "core/real_intensity.hpp"
#include "max_tree/cuda/nodes/4_number.cuh"
#include "max_tree/cuda/nodes/tile_runs.cuh"

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
    own_pixels_of_reals_kernel(node_list nodes, node_table table, real_grey_table reals) {
  const u32 node = this_node();
  if (node < nodes.number()) reals.rows[node].non_finite = table.pixels_of(node);
}

// Sums of grey values of each node alone, of floats, with the range of its component, which ends at the farthest level.
template <class Key>
__global__ void __launch_bounds__(node_threads)
    own_real_greys_kernel(node_list nodes, node_table table, real_grey_table reals, grey_source<Key> image, dtype type,
                          const Key* keys) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  real_intensity& row = reals.rows[node];
  row = real_intensity_of(level_from(image, type, keys[node]), row.non_finite,
                          level_from(image, type, keys[table.peaks[node].node()]));
}

// ---- pixels ---------------------------------------------------------------------------------------------------------

// All but first pixels.
template <int Rank>
__global__ void __launch_bounds__(tile_threads)
    own_pixels_kernel(tree_grid<Rank> grid, node_list nodes, node_table table, const u32* node_of_pixel) {
  if (nodes.number() == 0) return;
  const tile_box inside = grid.tile(blockIdx.x);
  const auto column = pixel_column<Rank>::of_thread();
  u32 node[run_pixels];
#pragma unroll
  for (int k = 0; k < run_pixels; ++k)
    node[k] = column.is_in(inside, k) ? node_of_pixel[column.pixel(grid, inside, k)] : nowhere;
#pragma unroll
  for (int k = 0; k < run_pixels; ++k)
    if (node[k] != nowhere && nodes.first_pixel[node[k]] == column.pixel(grid, inside, k)) node[k] = nowhere;
  each_rectangle<Rank>(node, [&](u32 of, const tile_run& run) { join_pixels(table, of, run.placed(inside)); });
}

}  // namespace skerry::tree_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA, holes: the background was labelled, and of it what the border reaches was dropped. What is left are
// holes. Writes the image with its holes filled, as packed bits: everything but the background that was dropped.
//
//   thread  two words of rows
//   block   one tile
//
// Reads   bits (1: background), prefix, component, first, info, parent, root_bits; no ranks
// Writes  rows of words, padded to whole tiles; what lies past the width is of no use
#pragma once
#include "label/cuda/measure/tile_labels.cuh"
#include "label/cuda/tiles/encode_wide.cuh"

namespace skerry::label_stages::on_device {

/// Blocks of few threads: a processor that looks up more tiles at a time waits less.
inline constexpr u32 emit_filled_threads = 128;

template <class Shape>
__global__ __launch_bounds__(emit_filled_threads) void emit_filled_kernel(const tiling grid, const label_tables tables,
                                                                          const bit_rows filled) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up_as(
      grid, tables, tile, at, [&](const pixel_place& first) { return u32{stays(grid, tables, first)}; }, true);
  for (u32 word = threadIdx.x; word < tile_rows * tile_words; word += emit_filled_threads) {
    const row_word here = row_word::of<Shape>(at, static_cast<int>(word));
    if (here.z >= grid.depth || here.y >= grid.height) continue;
    const u32 background = shared.bits[word], holes = shared.labelled(here.row, here.column, background);
    filled.words[(here.z * grid.height + here.y) * filled.words_per_row + at.x * tile_words + here.column] =
        ~background | holes;
  }
}

}  // namespace skerry::label_stages::on_device

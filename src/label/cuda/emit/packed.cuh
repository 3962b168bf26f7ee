// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA: packed labels. The bits of what is labelled, and a label for each stretch of ones in a word.
//
//   thread  one word of a row
//   block   one tile
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank, offset
// Writes  every word of bits; of the labels only those that there are
// Method  labels of neighbouring words are neighbours, so that memory is filled by whole sectors where objects are large
#pragma once
#include "core/packed_word.hpp"
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

template <class Shape>
__global__ __launch_bounds__(label_threads) void emit_packed_kernel(const tiling grid, const label_tables tables,
                                                                    const i64 words_of_row, const u64 words,
                                                                    const cuda::packed_labels packed) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up(grid, tables, tile, at, cuda::numbering::consecutive);
  const row_word here = row_word::of_thread<Shape>(at);
  if (!here.inside(grid)) return;
  const u64 place = static_cast<u64>((here.z * grid.height + here.y) * words_of_row + here.x / 32);
  u32 kept = 0;
  u32* label_at = packed.labels + place;
  for (u32 rest = shared.bits[threadIdx.x]; rest != 0;) {
    const u32 ones = lowest_stretch(rest);
    rest ^= ones;
    const u32 label = shared.label_at(here.row, here.column, ones & -ones);
    if (label == 0) continue;  // it was not selected
    kept |= ones;
    *label_at = label;
    label_at += words;
  }
  packed.bits[place] = kept;
}

template <class Shape>
cudaError_t launch_emit_packed(const tiling& grid, const label_tables& tables, const cuda::packed_labels& packed,
                               cudaStream_t stream) {
  const i64 words_of_row = packed_words_for(grid.width), rows = i64{grid.depth} * grid.height;
  emit_packed_kernel<Shape><<<grid.tiles, label_threads, 0, stream>>>(grid, tables, words_of_row,
                                                                      static_cast<u64>(words_of_row * rows), packed);
  return cudaGetLastError();
}

}  // namespace skerry::label_stages::on_device

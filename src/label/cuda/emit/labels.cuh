// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA: the label image, written once.
//
//   warp   rows of a tile, four pixels per thread
//   block  one tile: a table of the label of each run, then its pixels
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank, offset
// Writes  the label image
// Needs   6 bytes of shared memory per possible run
#pragma once
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

template <class Label>
struct label_target {
  char* data;
  source_strides step;  // bytes
  bool dense;           // neighbouring pixels are neighbours, and four of them start at a multiple of their size

  __device__ void store_four(i64 z, i64 y, i64 x, i64 width, const u32 (&labels)[4]) const {
    char* to = data + z * step.z + y * step.y + x * step.x;
    if (dense && x + 4 <= width) {
      if constexpr (sizeof(Label) == 1)
        __stcs(reinterpret_cast<uchar4*>(to), make_uchar4(labels[0], labels[1], labels[2], labels[3]));
      else if constexpr (sizeof(Label) == 2)
        __stcs(reinterpret_cast<ushort4*>(to), make_ushort4(labels[0], labels[1], labels[2], labels[3]));
      else if constexpr (sizeof(Label) == 4)
        __stcs(reinterpret_cast<uint4*>(to), make_uint4(labels[0], labels[1], labels[2], labels[3]));
      else {
        __stcs(reinterpret_cast<ulonglong2*>(to), make_ulonglong2(labels[0], labels[1]));
        __stcs(reinterpret_cast<ulonglong2*>(to) + 1, make_ulonglong2(labels[2], labels[3]));
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (x + k < width) *reinterpret_cast<Label*>(to + k * step.x) = static_cast<Label>(labels[k]);
  }
};

template <class Shape, class Label>
__global__ __launch_bounds__(label_threads) void emit_kernel(const tiling grid, const label_tables tables,
                                                             const label_target<Label> target,
                                                             const cuda::numbering numbers) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up(grid, tables, tile, at, numbers);
  const int lane = threadIdx.x % 32, column = lane / 8, shift = lane % 8 * 4;
  const i64 x = i64{at.x} * tile_width + lane * 4;
  if (x >= grid.width) return;
  constexpr int rows_at_once = Shape::rank == 3 ? 2 : 4;  // volumes wait longer for registers than for memory
#pragma unroll rows_at_once
  for (int row = threadIdx.x / 32; row < tile_rows; row += label_threads / 32) {
    const int zz = row / Shape::height, yy = row % Shape::height;
    const i64 z = i64{at.z} * Shape::depth + zz, y = i64{at.y} * Shape::height + yy;
    if (z >= grid.depth || y >= grid.height) continue;
    const int word = shared.group_word_of(row, column);
    const u32 bits = shared.bits[row * tile_words + column] >> shift, starts = shared.starts[word];
    u32 run = shared.prefix[word] + __popc(starts & ((1u << shift) - 1)) - 1;
    u32 labels[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      run += starts >> (shift + k) & 1;
      labels[k] = bits >> k & 1 ? shared.component_label[shared.run_component[run]] : 0;
    }
    target.store_four(z, y, x, grid.width, labels);
  }
}

template <class Shape, class Label>
cudaError_t launch_emit(const tiling& grid, const label_tables& tables, const label_target<Label>& target,
                        cuda::numbering numbers, cudaStream_t stream) {
  emit_kernel<Shape, Label><<<grid.tiles, label_threads, 0, stream>>>(grid, tables, target, numbers);
  return cudaGetLastError();
}

}  // namespace skerry::label_stages::on_device

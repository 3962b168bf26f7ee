// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA: the label image, written once.
//
//   warp   rows of a tile, four pixels per thread
//   block  one tile: a table of the label of each run, then its pixels. Where rows begin at any label, fours begin where
//          memory is aligned: at most three pixels further right, and four pixels of a row, at its ends, are left over
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank, offset
// Writes  the label image
// Needs   6 bytes of shared memory per possible run
#pragma once
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

template <class Label>
__device__ void store_one(char* to, u32 label) {
  *reinterpret_cast<Label*>(to) = static_cast<Label>(label);
}
/// Side by side, and where a store of them may begin.
template <class Label>
__device__ void store_four(char* to, const u32 (&labels)[4]) {
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
}

template <class Label>
struct label_target {
  static constexpr i64 four_bytes =
      sizeof(Label) < 4 ? 4 * sizeof(Label) : 16;  // of the multiples where a store of four may begin
  char* data;
  source_strides step;  // bytes
  bool dense;           // neighbouring pixels are neighbours
  bool aligned;         // and rows start where a store of four may begin

  __host__ static label_target of(const mutable_image& labels) {
    const byte_strides& step = labels.strides;
    const bool dense = step.x == sizeof(Label);
    return {static_cast<char*>(labels.data),
            {step.z, step.y, step.x},
            dense,
            dense && step.y % four_bytes == 0 && step.z % four_bytes == 0 &&
                reinterpret_cast<std::uintptr_t>(labels.data) % four_bytes == 0};
  }

  __device__ char* place(i64 z, i64 y, i64 x) const { return data + z * step.z + y * step.y + x * step.x; }
  /// Pixels before the first one where a store of four may begin; rows are dense.
  __device__ static int before_fours(const char* place) {
    return static_cast<int>(-reinterpret_cast<u64>(place) % four_bytes / sizeof(Label));
  }

  /// Four pixels, or as many as are left in the row.
  __device__ void store(char* to, bool in_fours, i64 left, const u32 (&labels)[4]) const {
    if (in_fours && left >= 4) return store_four<Label>(to, labels);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (k < left) store_one<Label>(to + k * step.x, labels[k]);
  }
};

/// Labels of four pixels of a row of the tile; they lie in one word unless `Shifted`.
template <bool Shifted, class Shape>
__device__ void labels_of_four(const tile_labels<Shape>& tile, int row, int first, u32 (&labels)[4]) {
  const int column = first / 32, shift = first % 32, word = tile.group_word_of(row, column);
  u32 bits = tile.bits[row * tile_words + column], starts = tile.starts[word];
  u32 run = tile.prefix[word] + __popc(starts & ((1u << shift) - 1)) - 1;
  if constexpr (Shifted) {  // the runs of a row's words are numbered on
    const int next = column < tile_words - 1 ? 1 : 0;
    bits = __funnelshift_r(bits, tile.bits[row * tile_words + column + next], shift);
    starts = __funnelshift_r(starts, tile.starts[word + next], shift);
  } else {
    bits >>= shift, starts >>= shift;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    run += starts >> k & 1;
    labels[k] = bits >> k & 1 ? tile.component_label[tile.run_component[run]] : 0;
  }
}

/// By the block of a tile. The last lane of a warp has no four where rows are `Shifted`.
template <bool Shifted, class Shape, class Label>
__device__ void write_fours(const tiling& grid, const tile_labels<Shape>& tile, tile_place at,
                            const label_target<Label>& target) {
  const int lane = threadIdx.x % 32;
  const i64 x = i64{at.x} * tile_width + (Shifted ? 0 : lane * 4);
  if (Shifted ? lane == 31 : x >= grid.width) return;
  constexpr int rows_at_once = Shape::rank == 3 ? 2 : 4;  // volumes wait longer for registers than for memory
#pragma unroll rows_at_once
  for (int row = threadIdx.x / 32; row < tile_rows; row += label_threads / 32) {
    const auto [z, y] = image_row::of<Shape>(at, row);
    if (z >= grid.depth || y >= grid.height) continue;
    char* to = target.place(z, y, x);
    const int first = (Shifted ? target.before_fours(to) : 0) + lane * 4;
    if (Shifted) to += first * i64{sizeof(Label)};
    const i64 left = grid.width - x - (Shifted ? first : 0);
    if (Shifted && left <= 0) continue;
    u32 labels[4];
    labels_of_four<Shifted>(tile, row, first, labels);
    target.store(to, Shifted || target.aligned, left, labels);
  }
}

/// What write_fours() leaves over of shifted rows: the pixels before the first four and after the last, one by each thread.
template <class Shape, class Label>
__device__ void write_row_ends(const tiling& grid, const tile_labels<Shape>& tile, tile_place at,
                               const label_target<Label>& target) {
  static_assert(label_threads == 4 * tile_rows);
  const int row = threadIdx.x / 4, k = threadIdx.x % 4;
  const auto [z, y] = image_row::of<Shape>(at, row);
  if (z >= grid.depth || y >= grid.height) return;
  const i64 begin = i64{at.x} * tile_width;
  char* const to = target.place(z, y, begin);
  const int x = k < target.before_fours(to) ? k : tile_width - 4 + k, column = x / 32;
  if (begin + x >= grid.width) return;
  const u32 bit = 1u << x % 32;
  store_one<Label>(to + x * i64{sizeof(Label)},
                   tile.bits[row * tile_words + column] & bit ? tile.label_at(row, column, bit) : 0);
}

template <class Shape, class Label, class Tables>
__global__ __launch_bounds__(label_threads) void emit_kernel(const tiling grid, const Tables tables,
                                                             const label_target<Label> target,
                                                             const cuda::numbering numbers) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up(grid, tables, tile, at, numbers);
  if (!target.dense || target.aligned) return write_fours<false>(grid, shared, at, target);
  write_row_ends(grid, shared, at, target);
  write_fours<true>(grid, shared, at, target);
}

template <class Shape, class Label, class Tables>
cudaError_t launch_emit(const tiling& grid, const Tables& tables, const label_target<Label>& target,
                        cuda::numbering numbers, cudaStream_t stream) {
  emit_kernel<Shape, Label, Tables><<<grid.tiles, label_threads, 0, stream>>>(grid, tables, target, numbers);
  return cudaGetLastError();
}

}  // namespace skerry::label_stages::on_device

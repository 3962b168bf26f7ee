// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA: the label image, written once.
//
//   warp   a group of rows of a tile, four columns per thread; where rows begin at any label, row by row
//   block  one tile: the labels of its runs, then its pixels. Where rows begin at any label, fours begin where
//          memory is aligned: at most three pixels further right, and four pixels of a row, at its ends, are left over
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank, offset
// Writes  the label image
// Needs   4 bytes of shared memory per possible run
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
  __device__ void store(char* to, bool in_fours, i32 left, const u32 (&labels)[4]) const {
    if (in_fours && left >= 4) return store_four<Label>(to, labels);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (k < left) store_one<Label>(to + k * step.x, labels[k]);
  }
};

/// Blocks of few threads, so that more tiles are looked up while others are written.
inline constexpr u32 emit_label_threads = 128;
template <class Shape>
inline constexpr u32 emit_label_blocks = Shape::rank == 2 ? 12 : 10;  // of a processor

/// Labels of the runs at four columns of a group of rows, of which `any` have pixels; `run` is that before the first column, and `starts`
/// are those of the others. label_of(run) looks up a label.
template <class Shape, class LabelOf>
__device__ void labels_of_columns(u32 starts, u32 run, u32 any, const LabelOf& label_of, u32 (&labels)[4]) {
  if constexpr (Shape::axes == 1) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      run += starts >> k & 1;
      labels[k] = any >> k & 1 ? label_of(run) : 0;
    }
  } else {  // an empty column lies between two runs, so these are two: the last that starts here, and the one before
    const u32 second = starts & (starts - 1), before_last = max(second != 0 ? second : starts, 1u) - 1;
    run += __popc(starts);
    const u32 earlier = any & before_last ? label_of(run - 1) : 0, last = any & ~before_last ? label_of(run) : 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) labels[k] = before_last >> k & 1 ? earlier : last;
  }
}

/// By the block of a tile, where fours of all rows lie below each other: what the rows of a group have in common is looked up once.
/// `tile` has bits, starts of runs and runs before each word, as stage 2 has them; label_of(run) looks up a label. `Threads` is unsigned:
/// were it an int, the loop of volumes would spill registers.
template <class Shape, u32 Threads, class Tile, class LabelOf, class Label>
__device__ void write_groups(const tiling& grid, const Tile& tile, const LabelOf& label_of, tile_place at,
                             const label_target<Label>& target) {
  constexpr int groups_at_once = Shape::rank == 3 ? 1 : 2;
  const int first = threadIdx.x % 32 * 4, shift = first % 32, shift_in_word = first % Shape::word_bits;
  const i64 x = i64{at.x} * tile_width + first;
  if (x >= grid.width) return;
  const auto [z, y] = image_row::of<Shape>(at, 0);
  char* const begin = target.place(z, y, x);
  const i32 slices = static_cast<i32>(grid.depth - z), rows = static_cast<i32>(grid.height - y),
            left = static_cast<i32>(min(i64{4}, grid.width - x));
#pragma unroll groups_at_once
  for (int group = threadIdx.x / 32; group < Shape::groups; group += Threads / 32) {
    u32 bits[Shape::group_rows], any = 0;
#pragma unroll
    for (int k = 0; k < Shape::group_rows; ++k) {
      bits[k] = tile.bits[group_word<Shape>::row_of(group, k) * tile_words + first / 32] >> shift;
      any |= bits[k];
    }
    const int word = group * Shape::words + first / Shape::word_bits;
    const u32 starts = tile.starts[word], run = tile.prefix[word] + __popc(starts & ((1u << shift_in_word) - 1)) - 1;
    u32 of_column[4];
    labels_of_columns<Shape>(starts >> shift_in_word & 15, run, any & 15, label_of, of_column);
#pragma unroll
    for (int k = 0; k < Shape::group_rows; ++k) {
      const int row = group_word<Shape>::row_of(group, k), slice = Shape::rank == 3 ? row / Shape::height : 0,
                row_of_slice = row - slice * Shape::height;
      if (row_of_slice >= rows || (Shape::rank == 3 && slice >= slices)) continue;
      char* to = begin + row_of_slice * target.step.y;
      if constexpr (Shape::rank == 3) to += slice * target.step.z;
      u32 labels[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) labels[i] = bits[k] >> i & 1 ? of_column[i] : 0;
      target.store(to, target.aligned, left, labels);
    }
  }
}

/// Labels of four pixels of a row of the tile, which may lie in two words.
template <bool HasFew, class Shape>
__device__ void labels_of_four(const tile_labels<Shape>& tile, int row, int first, u32 (&labels)[4]) {
  const int column = first / 32, shift = first % 32, word = tile.group_word_of(row, column);
  const int next = column < tile_words - 1 ? 1 : 0;  // the runs of a row's words are numbered on
  const u32 own = tile.starts[word], run = tile.prefix[word] + __popc(own & ((1u << shift) - 1)) - 1;
  const u32 bits =
      __funnelshift_r(tile.bits[row * tile_words + column], tile.bits[row * tile_words + column + next], shift);
  labels_of_columns<Shape>(__funnelshift_r(own, tile.starts[word + next], shift) & 15, run, bits & 15,
                           tile.template labels_of_runs<HasFew>(), labels);
#pragma unroll
  for (int k = 0; k < 4; ++k) labels[k] = bits >> k & 1 ? labels[k] : 0;
}

/// By the block of a tile, where fours begin elsewhere in each row. The last lane of a warp has no four.
template <bool HasFew, class Shape, class Label>
__device__ void write_shifted_rows(const tiling& grid, const tile_labels<Shape>& tile, tile_place at,
                                   const label_target<Label>& target) {
  constexpr int rows_at_once = Shape::rank == 3 ? 1 : 2;
  const int lane = threadIdx.x % 32;
  if (lane == 31) return;
  const i64 x = i64{at.x} * tile_width;
#pragma unroll rows_at_once
  for (int row = threadIdx.x / 32; row < tile_rows; row += emit_label_threads / 32) {
    const auto [z, y] = image_row::of<Shape>(at, row);
    if (z >= grid.depth || y >= grid.height) continue;
    char* const to = target.place(z, y, x);
    const int first = target.before_fours(to) + lane * 4;
    const i64 left = grid.width - x - first;
    if (left <= 0) continue;
    u32 labels[4];
    labels_of_four<HasFew>(tile, row, first, labels);
    target.store(to + first * i64{sizeof(Label)}, true, static_cast<i32>(min(left, i64{4})), labels);
  }
}

/// What write_shifted_rows() leaves over: the pixels before the first four and after the last.
template <class Shape, class Label>
__device__ void write_row_ends(const tiling& grid, const tile_labels<Shape>& tile, tile_place at,
                               const label_target<Label>& target) {
  for (int pixel = threadIdx.x; pixel < 4 * tile_rows; pixel += emit_label_threads) {
    const int row = pixel / 4, k = pixel % 4;
    const auto [z, y] = image_row::of<Shape>(at, row);
    if (z >= grid.depth || y >= grid.height) continue;
    const i64 begin = i64{at.x} * tile_width;
    char* const to = target.place(z, y, begin);
    const int x = k < target.before_fours(to) ? k : tile_width - 4 + k, column = x / 32;
    if (begin + x >= grid.width) continue;
    const u32 bit = 1u << x % 32;
    store_one<Label>(to + x * i64{sizeof(Label)},
                     tile.bits[row * tile_words + column] & bit ? tile.label_at(row, column, bit) : 0);
  }
}

template <class Shape, class Label, class Tables>
__global__ __launch_bounds__(emit_label_threads,
                             emit_label_blocks<Shape>) void emit_kernel(const tiling grid, const Tables tables,
                                                                        const label_target<Label> target,
                                                                        const cuda::numbering numbers,
                                                                        const bool is_last) {
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  shared.look_up(grid, tables, tile, at, numbers, is_last);
  const auto write = [&]<bool HasFew>(std::bool_constant<HasFew>) {
    if (!target.dense || target.aligned)
      return write_groups<Shape, emit_label_threads>(grid, shared, shared.template labels_of_runs<HasFew>(), at,
                                                     target);
    write_row_ends(grid, shared, at, target);
    write_shifted_rows<HasFew>(grid, shared, at, target);
  };
  if (shared.has_few) write(std::true_type());
  else write(std::false_type());
}

/// `early`: while the kernel before may still run.
template <class Shape, class Label, class Tables>
cudaError_t launch_emit(const tiling& grid, const Tables& tables, const label_target<Label>& target,
                        cuda::numbering numbers, bool is_last, bool early, cudaStream_t stream) {
  return launch_kernel(early, emit_kernel<Shape, Label, Tables>, grid.tiles, emit_label_threads, stream, grid, tables,
                       target, numbers, is_last);
}

}  // namespace skerry::label_stages::on_device

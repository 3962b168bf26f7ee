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
#include "label/5_measure.cuh"

namespace skerry::label_stages::on_device {

inline constexpr int emit_threads = 256;

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

template <class Shape>
struct emit_memory {
  alignas(16) u32 bits[tile_rows * tile_words];
  u32 starts[Shape::groups * tile_words];
  u32 prefix[Shape::groups * tile_words];
  u32 component_label[Shape::run_capacity];
  u16 run_component[Shape::run_capacity];
};

template <class Shape>
__device__ void look_up_labels(const tiling& grid, const label_tables& tables, u32 tile, tile_place at,
                               emit_memory<Shape>& shared) {
  const tile_info info = tables.info[tile];
  const u32 runs = tables.prefix[u64{tile} * Shape::prefix_pitch + Shape::group_words];
  const u32 before = Shape::rank == 2 ? static_cast<u32>(tables.offset[at.z]) : 0;
  for (int k = threadIdx.x; k < tile_rows; k += emit_threads)
    reinterpret_cast<uint4*>(shared.bits)[k] = reinterpret_cast<const uint4*>(tables.bits)[u64{tile} * tile_rows + k];
  for (u32 component = threadIdx.x; component < info.components; component += emit_threads) {
    u32 tile_of_root = tile, number = component;
    if (component < info.border) {
      const u32 root = tables.parent[tile * Shape::border_capacity + component];
      tile_of_root = root / Shape::border_capacity;
      number = root % Shape::border_capacity;
    }
    const tile_place at_root = tile_of_root == tile ? at : tile_place::of(grid, tile_of_root);
    const u32 first = tables.first[u64{tile_of_root} * Shape::run_capacity + number];
    shared.component_label[component] =
        rank_of(grid, tables, pixel_place::of<Shape>(grid, at_root, first)) + 1 - before;
  }
  const u16* component = tables.component + u64{tile} * Shape::run_capacity;
  for (u32 k = threadIdx.x; 2 * k + 1 < runs; k += emit_threads)
    reinterpret_cast<u32*>(shared.run_component)[k] = reinterpret_cast<const u32*>(component)[k];
  if (runs % 2 == 1 && threadIdx.x == 0) shared.run_component[runs - 1] = component[runs - 1];
  __syncthreads();
  if (threadIdx.x < Shape::groups * tile_words) {
    const int group = threadIdx.x / tile_words, x = threadIdx.x % tile_words * 32, column = x / Shape::word_bits;
    const auto starts = group_word<Shape>::of(shared.bits, group, column).starts();
    const int shift = x % Shape::word_bits;
    shared.starts[threadIdx.x] = static_cast<u32>(starts >> shift);
    shared.prefix[threadIdx.x] = tables.prefix[u64{tile} * Shape::prefix_pitch + group * Shape::words + column] +
                                 (shift > 0 ? __popc(static_cast<u32>(starts)) : 0);
  }
  __syncthreads();
}

template <class Shape, class Label>
__global__ __launch_bounds__(emit_threads) void emit_kernel(const tiling grid, const label_tables tables,
                                                            const label_target<Label> target) {
  __shared__ emit_memory<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  look_up_labels<Shape>(grid, tables, tile, at, shared);
  const int lane = threadIdx.x % 32, column = lane / 8, shift = lane % 8 * 4;
  const i64 x = i64{at.x} * tile_width + lane * 4;
  if (x >= grid.width) return;
#pragma unroll 2
  for (int row = threadIdx.x / 32; row < tile_rows; row += emit_threads / 32) {
    const int zz = row / Shape::height, yy = row % Shape::height;
    const i64 z = i64{at.z} * Shape::depth + zz, y = i64{at.y} * Shape::height + yy;
    if (z >= grid.depth || y >= grid.height) continue;
    const int word = (zz / Shape::group_depth * Shape::groups_y + yy / Shape::group_height) * tile_words + column;
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
                        cudaStream_t stream) {
  emit_kernel<Shape, Label><<<grid.tiles, emit_threads, 0, stream>>>(grid, tables, target);
  return cudaGetLastError();
}

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA, where pixels join by value or axes are periodic: names of pixels to labels, packed labels and runs.
//
//   thread  four pixels of the label image
//   warp    32 pixels of packed labels; a unit of runs
//
// Reads   parent, once it has names; root_bits and offset
// Writes  the label image, packed labels, runs
#pragma once
#include "core/packed_word.hpp"
#include "label/cuda/emit/labels.cuh"
#include "label/cuda/joins/nodes.cuh"

namespace skerry::label_stages::on_device {

inline constexpr u32 emit_threads = 256;

/// Label of a name in its frame.
struct consecutive_labels {
  const u64* offset;
  __device__ u32 operator()(const node_grid& grid, u32 name, i32 z) const {
    return name == 0 || grid.frames == 1 ? name : name - static_cast<u32>(offset[z]);
  }
};

/// 1 + the place of the first pixel in its frame; names are by first pixels.
struct first_pixel_labels {
  const u32* root_bits;
  __device__ u32 operator()(const node_grid& grid, u32 name, i32) const {
    if (name == 0 || (root_bits[(name - 1) / 32] >> (name - 1) % 32 & 1) == 0) return 0;
    const node_place first = node_place::of(grid, name - 1);
    const u32 row = grid.frames == 1 ? first.row : static_cast<u32>(first.y);
    return row * static_cast<u32>(grid.width) + first.x + 1;
  }
};

template <class Label, class Labels>
__global__ __launch_bounds__(emit_threads) void emit_names_kernel(const node_grid grid, const node_tables tables,
                                                                  const label_target<Label> target,
                                                                  const Labels label_of_name) {
  const u32 node = (blockIdx.x * emit_threads + threadIdx.x) * 4;
  if (node >= grid.words() * 32) return;
  const node_place at = node_place::of(grid, node);
  if (at.x >= grid.width) return;
  const uint4 words = __ldcs(reinterpret_cast<const uint4*>(tables.parent + node));
  u32 labels[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
  for (u32& word : labels)
    if ((word & named) == 0) word = __ldg(tables.parent + word);
#pragma unroll
  for (u32& word : labels) word = label_of_name(grid, word & ~named, at.z);
  target.store_four(at.z, at.y, at.x, grid.width, labels);
}

/// Where neighbours are of one component, whatever their values.
__global__ __launch_bounds__(emit_threads) inline void emit_packed_names_kernel(const node_grid grid,
                                                                                const node_tables tables,
                                                                                const consecutive_labels label_of_name,
                                                                                const cuda::packed_labels packed) {
  const u32 word = blockIdx.x * (emit_threads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (word >= grid.words()) return;
  const node_place at = node_place::of(grid, word * 32);
  if (at.x >= grid.width) return;
  const u32 label = label_of_name(grid, name_at(tables, word * 32 + lane), at.z);
  const u32 bits = __ballot_sync(~0u, label != 0);
  const u64 words_of_row = static_cast<u64>(packed_words_for(grid.width)),
            words = words_of_row * (static_cast<u64>(grid.depth) * grid.height),
            place = at.row * words_of_row + at.x / 32;
  if (lane == 0) packed.bits[place] = bits;
  if (bits & ~(bits << 1) & 1u << lane) packed.labels[stretch_at(bits, 1u << lane) * words + place] = label;
}

/// Of 32 pixels those with which runs begin and end; by all lanes of a warp.
struct run_bits {
  u32 name, begins, ends;
  __device__ static run_bits of(const node_grid& grid, const node_tables& tables, u32 word, i32 first_x) {
    const i32 lane = static_cast<i32>(threadIdx.x % 32), x = first_x + lane;
    const u32 node = word * 32 + lane, name = name_at(tables, node);
    u32 left = __shfl_up_sync(~0u, name, 1), right = __shfl_down_sync(~0u, name, 1);
    if (lane == 0) left = x > 0 ? name_at(tables, node - 1) : 0;
    if (lane == 31) right = x + 1 < static_cast<i32>(grid.units_x) * tile_width ? name_at(tables, node + 1) : 0;
    return {name, __ballot_sync(~0u, name != 0 && name != left), __ballot_sync(~0u, name != 0 && name != right)};
  }
};

__global__ __launch_bounds__(emit_threads) inline void count_named_runs_kernel(const node_grid grid,
                                                                               const node_tables tables, u32* counts) {
  const u32 unit = blockIdx.x * (emit_threads / 32) + threadIdx.x / 32;
  if (unit >= grid.units) return;
  const i32 x = node_place::of(grid, unit * tile_width).x;
  u32 count = 0;
  for (u32 k = 0; k < unit_words; ++k)
    count += __popc(run_bits::of(grid, tables, unit * unit_words + k, x + static_cast<i32>(k) * 32).begins);
  if (threadIdx.x % 32 == 0) counts[unit] = count;
}

__global__ __launch_bounds__(emit_threads) inline void write_named_runs_kernel(const node_grid grid,
                                                                               const node_tables tables,
                                                                               const consecutive_labels label_of_name,
                                                                               const u32* runs_before,
                                                                               labelled_run* runs, const u64 capacity) {
  const u32 unit = blockIdx.x * (emit_threads / 32) + threadIdx.x / 32, bit = 1u << threadIdx.x % 32;
  if (unit >= grid.units) return;
  const node_place at = node_place::of(grid, unit * tile_width);
  u32 before = runs_before[unit];
  for (u32 k = 0; k < unit_words; ++k) {
    const i32 first_x = at.x + static_cast<i32>(k) * 32, x = first_x + static_cast<i32>(threadIdx.x % 32);
    const run_bits found = run_bits::of(grid, tables, unit * unit_words + k, first_x);
    const u32 place = before + __popc(found.begins & up_to(bit)) - 1;
    if ((found.begins & bit) != 0 && place < capacity) {
      runs[place].row = grid.frames == 1 ? at.row : at.y;
      runs[place].begin = x;
      runs[place].label = label_of_name(grid, found.name, at.z);
    }
    if ((found.ends & bit) != 0 && place < capacity) runs[place].end = x + 1;
    before += __popc(found.begins);
  }
}

}  // namespace skerry::label_stages::on_device

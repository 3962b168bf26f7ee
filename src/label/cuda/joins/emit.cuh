// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA, where pixels join by value or axes are periodic: names of pixels to labels, packed labels and runs.
//
//   thread  four pixels of the label image
//   warp    rows of a tile; 32 pixels of packed labels; a unit of runs
//   block   one tile: the label of each run, then its pixels
//
// Reads   pair_bits, runs_before, run_first; parent, once it has names; root_bits and offset
// Writes  the label image, packed labels, runs
// Needs   35 KB of shared memory per block of the label image
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

/// What a block knows of a tile before it writes pixels.
struct emit_memory {
  u32 foreground[emit_threads], starts[emit_threads];
  u16 prefix[emit_threads];  // runs before each word
  u32 runs;
  u32 label[tile_rows * tile_width];  // of each run
};

template <int Rank, class Label, class Labels>
__global__ __launch_bounds__(emit_threads) void emit_names_kernel(const node_grid grid, const pair_bits pairs,
                                                                  const node_tables tables,
                                                                  const label_target<Label> target,
                                                                  const Labels label_of_name) {
  using tile = join_tile<Rank>;
  __shared__ emit_memory shared;
  const u32 tiles_y = (grid.height + tile::height - 1) / tile::height,
            row_of_tiles = grid.by_units_x.quotient(blockIdx.x);
  const i32 first_z = static_cast<i32>(row_of_tiles / tiles_y) * tile::depth,
            first_y = static_cast<i32>(row_of_tiles % tiles_y) * tile::height,
            first_x = static_cast<i32>((blockIdx.x - row_of_tiles * grid.units_x) * tile_width);
  const auto z_of = [&](u32 row) { return first_z + static_cast<i32>(row) / tile::height; };
  const auto y_of = [&](u32 row) { return first_y + static_cast<i32>(row) % tile::height; };
  const auto exists = [&](u32 row) { return z_of(row) < grid.depth && y_of(row) < grid.height; };
  const u32 row = threadIdx.x / unit_words;
  named_word here{};
  if (exists(row))
    here = named_word::of(grid, pairs, tables, z_of(row), y_of(row),
                          first_x + static_cast<i32>(threadIdx.x % unit_words * 32));
  shared.foreground[threadIdx.x] = here.foreground;
  shared.starts[threadIdx.x] = here.starts;
  shared.prefix[threadIdx.x] = static_cast<u16>(here.before);
  const tile_frame frame = tile_frame::of(grid, first_z, first_y, first_x);
  if (threadIdx.x == 0) shared.runs = 0;
  __syncthreads();
  if (here.starts != 0) atomicMax(&shared.runs, here.before + __popc(here.starts));
  __syncthreads();
  const u32 runs = shared.runs;
  for (u32 run = threadIdx.x; run < runs; run += emit_threads) {
    const u32 node = frame.node(grid, __ldcs(tables.run_first + frame.first_place + run));
    shared.label[run] = label_of_name(grid, __ldg(tables.parent + node) & ~named, first_z);
  }
  __syncthreads();
  const u32 lane = threadIdx.x % 32, column = lane / 8, shift = lane % 8 * 4;
  const i32 x = first_x + static_cast<i32>(lane) * 4;
  if (x >= grid.width) return;
#pragma unroll 4
  for (u32 r = threadIdx.x / 32; r < tile_rows; r += emit_threads / 32) {
    if (!exists(r)) continue;
    const u32 word = r * unit_words + column, bits = shared.foreground[word] >> shift, starts = shared.starts[word];
    u32 run = shared.prefix[word] + __popc(starts & ((1u << shift) - 1)) - 1;
    u32 labels[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      run += starts >> (shift + k) & 1;
      labels[k] = bits >> k & 1 ? shared.label[run] : 0;
    }
    target.store(target.place(z_of(r), y_of(r), x), target.aligned, i64{grid.width} - x, labels);
  }
}

/// Where neighbours are of one component, whatever their values.
__global__ __launch_bounds__(emit_threads) inline void emit_packed_names_kernel(const node_grid grid,
                                                                                const pair_bits pairs,
                                                                                const node_tables tables,
                                                                                const consecutive_labels label_of_name,
                                                                                const cuda::packed_labels packed) {
  const u32 word = blockIdx.x * (emit_threads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (word >= grid.words()) return;
  const node_place at = node_place::of(grid, word * 32);
  if (at.x >= grid.width) return;
  const named_word here = named_word::of(grid, pairs, tables, at.z, at.y, at.x);
  const u32 label = label_of_name(grid, here.name_of(grid, tables, lane), at.z);
  const u32 bits = __ballot_sync(~0u, label != 0);
  const u64 words_of_row = static_cast<u64>(packed_words_for(grid.width)),
            words = words_of_row * (static_cast<u64>(grid.depth) * grid.height),
            place = at.row * words_of_row + at.x / 32;
  if (lane == 0) packed.bits[place] = bits;
  if (bits & ~(bits << 1) & 1u << lane) packed.labels[stretch_at(bits, 1u << lane) * words + place] = label;
}

/// Where runs are written.
struct run_target {
  labelled_run* runs;
  u64 capacity;
};

/// The names of 32 pixels of a row, and those with which runs begin and end; by all lanes of a warp.
struct run_bits {
  u32 name, begins, ends;
  /// `x` is that of the first pixel, and may be past the width.
  __device__ static run_bits of(const node_grid& grid, const pair_bits& pairs, const node_tables& tables, i32 z, i32 y,
                                i32 x) {
    const u32 lane = threadIdx.x % 32;
    const u32 name = named_word::of(grid, pairs, tables, z, y, x).name_of(grid, tables, lane);
    const auto name_at = [&](i32 at) {
      return named_word::of(grid, pairs, tables, z, y, at).name_of(grid, tables, static_cast<u32>(at) % 32);
    };
    u32 left = __shfl_up_sync(~0u, name, 1), right = __shfl_down_sync(~0u, name, 1);
    if (lane == 0) left = x > 0 ? name_at(x - 1) : 0;
    if (lane == 31) right = x + 32 < static_cast<i32>(grid.units_x) * tile_width ? name_at(x + 32) : 0;
    return {name, __ballot_sync(~0u, name != 0 && name != left), __ballot_sync(~0u, name != 0 && name != right)};
  }
};

__global__ __launch_bounds__(emit_threads) inline void count_named_runs_kernel(const node_grid grid,
                                                                               const pair_bits pairs,
                                                                               const node_tables tables, u32* counts) {
  const u32 unit = blockIdx.x * (emit_threads / 32) + threadIdx.x / 32;
  if (unit >= grid.units) return;
  const node_place at = node_place::of(grid, unit * tile_width);
  u32 count = 0;
  for (i32 k = 0; k < static_cast<i32>(unit_words); ++k)
    count += __popc(run_bits::of(grid, pairs, tables, at.z, at.y, at.x + k * 32).begins);
  if (threadIdx.x % 32 == 0) counts[unit] = count;
}

__global__ __launch_bounds__(emit_threads) inline void write_named_runs_kernel(
    const node_grid grid, const pair_bits pairs, const node_tables tables, const consecutive_labels label_of_name,
    const u32* runs_before, const run_target to) {
  const u32 unit = blockIdx.x * (emit_threads / 32) + threadIdx.x / 32, bit = 1u << threadIdx.x % 32;
  if (unit >= grid.units) return;
  const node_place at = node_place::of(grid, unit * tile_width);
  u32 before = runs_before[unit];
  for (i32 k = 0; k < static_cast<i32>(unit_words); ++k) {
    const i32 first_x = at.x + k * 32, x = first_x + static_cast<i32>(threadIdx.x % 32);
    const run_bits found = run_bits::of(grid, pairs, tables, at.z, at.y, first_x);
    const u32 place = before + __popc(found.begins & up_to(bit)) - 1;
    if ((found.begins & bit) != 0 && place < to.capacity) {
      to.runs[place].row = grid.frames == 1 ? at.row : at.y;
      to.runs[place].begin = x;
      to.runs[place].label = label_of_name(grid, found.name, at.z);
    }
    if ((found.ends & bit) != 0 && place < to.capacity) to.runs[place].end = x + 1;
    before += __popc(found.begins);
  }
}

}  // namespace skerry::label_stages::on_device

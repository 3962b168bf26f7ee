// SPDX-License-Identifier: Apache-2.0
// The labels of one tile's runs, looked up by a block before it writes pixels, runs or sums. Stages 5 and 6 share it.
#pragma once
#include "engine/cuda/early_launch.cuh"
#include "label/cuda/resolve/placed_tile.cuh"
#include "skerry/cuda.hpp"

namespace skerry::label_stages::on_device {

inline constexpr int label_threads = 256;  // of a block that looks up labels

/// The label of a component whose root has lost its bit: it was not selected. Other tables may know one.
__device__ inline u32 label_without_root(const tiling&, const label_tables&, const pixel_place&) { return 0; }

/// 0 for a component that was not selected.
template <class Shape, class Tables>
__device__ u32 label_of(const tiling& grid, const Tables& tables, pixel_place first, u32 before,
                        cuda::numbering numbers) {
  if (numbers == cuda::numbering::consecutive) {
    const u32 rank = rank_of(grid, tables, first);
    return rank == no_rank ? label_without_root(grid, tables, first) : rank + 1 - before;
  }
  if (!stays(grid, tables, first)) return 0;
  const u32 row = static_cast<u32>(Shape::rank == 2 ? first.row % grid.height : first.row);
  return row * static_cast<u32>(grid.width) + first.x + 1;
}

/// The lowest stretch of ones of a word.
struct stretch {
  u32 bits;
  int begin, end;
  __device__ static stretch lowest(u32 rest) {
    const int begin = __ffs(rest) - 1;
    const u32 after = ~(rest >> begin);
    const int length = after == 0 ? 32 : __ffs(after) - 1;  // zeros come in from the left: only 32 ones have no end
    return {length == 32 ? ~0u : ((1u << length) - 1) << begin, begin, begin + length};
  }
};

/// Shared memory limits how many blocks run at once, and each block waits for four loads one after the other before it knows a label. So there is
/// no room for the most components and the most runs at a time.
template <class Shape>
struct tile_labels {
  static constexpr u32 capacity = Shape::run_capacity, few = capacity / 2, group_words = Shape::group_words;
  alignas(16) u32 bits[tile_rows * tile_words];
  u32 starts[group_words];  // of the runs of groups
  u16 prefix[group_words];  // runs before each word
  union {
    struct {
      u32 label[few];
      u16 of_run[capacity];
    } component;              // of a tile of few components
    u32 run_label[capacity];  // of others
  };
  bool has_few;

  /// By all threads of the block, whose kernel may be launched early; ends with a barrier. `is_last`: no later kernel looks the tile up, so its
  /// tables are discarded.
  template <class Tables>
  __device__ void look_up(const tiling& grid, const Tables& tables, u32 tile, tile_place at, cuda::numbering numbers,
                          bool is_last = false) {
    const bool relative = Shape::rank == 2 && numbers == cuda::numbering::consecutive;
    const auto label_at = [&](const pixel_place& first) {
      const u32 before = relative ? static_cast<u32>(tables.offset[at.z]) : 0;
      return label_of<Shape>(grid, tables, first, before, numbers);
    };
    look_up_as(grid, tables, tile, at, label_at, is_last);
  }
  /// The same with label_at(first pixel) for the labels of components.
  template <class LabelAt>
  __device__ void look_up_as(const tiling& grid, const label_tables& tables, u32 tile, tile_place at,
                             const LabelAt& label_at, bool is_last = false) {
    const placed_tile placed{grid, tables, tile, at, tables.info[tile]};
    const u16* const runs_before = tables.prefix + u64{tile} * Shape::prefix_pitch;
    const u16* const of_run = tables.component + u64{tile} * capacity;
    const u32 runs = runs_before[group_words];
    if (threadIdx.x < tile_rows)
      reinterpret_cast<uint4*>(bits)[threadIdx.x] =
          reinterpret_cast<const uint4*>(tables.bits)[u64{tile} * tile_rows + threadIdx.x];
    if (placed.info.components <= few) {
      for (u32 k = threadIdx.x; 2 * k + 1 < runs; k += blockDim.x)
        reinterpret_cast<u32*>(component.of_run)[k] = reinterpret_cast<const u32*>(of_run)[k];
      if (runs % 2 == 1 && threadIdx.x == 0) component.of_run[runs - 1] = of_run[runs - 1];
      wait_for_stream();  // for stages 3 and 4; what is read above is of stage 2
      look_up_components(placed, label_at);
    } else {
      wait_for_stream();
      for (u32 run = threadIdx.x; run < runs; run += blockDim.x)
        run_label[run] = label_at(placed.place_of_root<Shape>(of_run[run]));
    }
    if (threadIdx.x == 0) has_few = placed.info.components <= few;
    if (threadIdx.x < group_words) prefix[threadIdx.x] = runs_before[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < group_words)
      starts[threadIdx.x] = group_word<Shape>::of(bits, threadIdx.x / tile_words, threadIdx.x % tile_words).starts();
    if (is_last) placed.discard_tables<Shape>(runs);
    __syncthreads();
  }

  /// HasFew is `has_few`.
  template <bool HasFew>
  __device__ u32 label_of_run(u32 run) const {
    return HasFew ? component.label[component.of_run[run]] : run_label[run];
  }
  template <bool HasFew>
  __device__ auto labels_of_runs() const {
    return [this](u32 run) { return label_of_run<HasFew>(run); };
  }

  /// Word of `starts` and `prefix` for a word of a row.
  __device__ static int group_word_of(int row, int column) {
    const int z = row / Shape::height, y = row % Shape::height;
    return (z / Shape::group_depth * Shape::groups_y + y / Shape::group_height) * tile_words + column;
  }
  /// Label of the foreground pixel `bit` of a word of a row.
  __device__ u32 label_at(int row, int column, u32 bit) const {
    const int word = group_word_of(row, column);
    const u32 run = prefix[word] + __popc(starts[word] & up_to(bit)) - 1;
    return has_few ? label_of_run<true>(run) : label_of_run<false>(run);
  }
  /// Those of the pixels `bits` of a word of a row whose components have labels.
  __device__ u32 labelled(int row, int column, u32 bits) const {
    u32 kept = 0;
    while (bits != 0) {
      const stretch part = stretch::lowest(bits);
      bits ^= part.bits;
      if (label_at(row, column, part.bits & -part.bits) != 0) kept |= part.bits;
    }
    return kept;
  }

 private:
  /// The labels of the components of a tile of few: several for each thread, whose loads are on their way at once.
  template <class LabelAt>
  __device__ void look_up_components(const placed_tile& placed, const LabelAt& label_at) {
    constexpr u32 at_once = 2;
    const u32 count = placed.info.components;
    for (u32 begin = threadIdx.x; begin < count; begin += at_once * blockDim.x) {
      border_component root[at_once];
      u32 first[at_once], label[at_once];
#pragma unroll
      for (u32 i = 0; i < at_once; ++i)
        if (const u32 k = begin + i * blockDim.x; k < count) root[i] = placed.root_of<Shape>(k);
#pragma unroll
      for (u32 i = 0; i < at_once; ++i)
        if (begin + i * blockDim.x < count) first[i] = placed.first_of<Shape>(root[i]);
#pragma unroll
      for (u32 i = 0; i < at_once; ++i)
        if (begin + i * blockDim.x < count) label[i] = label_at(placed.place_of<Shape>(root[i], first[i]));
#pragma unroll
      for (u32 i = 0; i < at_once; ++i)
        if (const u32 k = begin + i * blockDim.x; k < count) component.label[k] = label[i];
    }
  }
};

/// A word of a tile.
struct row_word {
  int row, column;
  i64 z, y, x;  // of the first pixel
  /// One for each thread of a block that looks up labels.
  template <class Shape>
  __device__ static row_word of_thread(tile_place at) {
    return of<Shape>(at, threadIdx.x);
  }
  template <class Shape>
  __device__ static row_word of(tile_place at, int word) {
    const int row = word / tile_words, column = word % tile_words;
    return {row, column, i64{at.z} * Shape::depth + row / Shape::height,
            i64{at.y} * Shape::height + row % Shape::height, i64{at.x} * tile_width + column * 32};
  }
  [[nodiscard]] __device__ bool inside(const tiling& grid) const {
    return z < grid.depth && y < grid.height && x < grid.width;
  }
  /// Piece of 128 pixels of a row that the word lies in.
  [[nodiscard]] __device__ u64 unit(const tiling& grid, tile_place at) const {
    return static_cast<u64>(z * grid.height + y) * grid.tiles_x + at.x;
  }
};
static_assert(label_threads == tile_rows * tile_words);

}  // namespace skerry::label_stages::on_device

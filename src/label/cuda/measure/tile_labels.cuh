// SPDX-License-Identifier: Apache-2.0
// The labels of one tile's runs, looked up by a block before it writes pixels, runs or sums. Stages 5 and 6 share it.
#pragma once
#include "label/cuda/resolve/merge.cuh"
#include "skerry/cuda.hpp"

namespace skerry::label_stages::on_device {

inline constexpr int label_threads = 256;  // of a block that looks up labels

inline constexpr u32 no_rank = ~0u;  // of a component that was not selected

/// Roots before `place`, over all frames, if there is a root.
__device__ inline u32 rank_of(const tiling& grid, const label_tables& tables, pixel_place place) {
  const u64 unit = static_cast<u64>(place.row) * grid.tiles_x + place.x / tile_width;
  const uint4 bits = __ldg(reinterpret_cast<const uint4*>(tables.root_bits) + unit);
  const u32 x = place.x % tile_width, word = x / 32, below = place.bit() - 1;
  u32 rank = __ldg(tables.root_rank + unit);
  rank += __popc(bits.x & (word > 0 ? ~0u : below));
  if (word > 0) rank += __popc(bits.y & (word > 1 ? ~0u : below));
  if (word > 1) rank += __popc(bits.z & (word > 2 ? ~0u : below));
  if (word > 2) rank += __popc(bits.w & below);
  const u32 own = word == 0 ? bits.x : word == 1 ? bits.y : word == 2 ? bits.z : bits.w;
  return own & place.bit() ? rank : no_rank;
}

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
  if ((__ldg(tables.root_bits + first.word(grid)) & first.bit()) == 0) return 0;
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

/// A tile of an image, and what its components are roots or parts of.
struct placed_tile {
  const tiling& grid;
  const label_tables& tables;
  u32 number;
  tile_place at;
  tile_info info;

  __device__ static placed_tile of(const tiling& grid, const label_tables& tables, u32 tile) {
    return {grid, tables, tile, tile_place::of(grid, tile), tables.info[tile]};
  }
  /// The component that is the root of a component of the tile.
  template <class Shape>
  [[nodiscard]] __device__ border_component root_of(u32 component) const {
    if (component >= info.border) return {number, component};
    const u32 root = tables.parent[number * Shape::border_capacity + component];
    return {root / Shape::border_capacity, root % Shape::border_capacity};
  }
  /// First pixel of a component in its tile.
  template <class Shape>
  [[nodiscard]] __device__ u32 first_of(border_component root) const {
    return tables.first[u64{root.tile} * Shape::run_capacity + root.number];
  }
  /// The same in the image.
  template <class Shape>
  [[nodiscard]] __device__ pixel_place place_of(border_component root, u32 first) const {
    return pixel_place::of<Shape>(grid, root.tile == number ? at : tile_place::of(grid, root.tile), first);
  }
  /// First pixel of the component of the image that a component of the tile belongs to.
  template <class Shape>
  [[nodiscard]] __device__ pixel_place place_of_root(u32 component) const {
    const border_component root = root_of<Shape>(component);
    return place_of<Shape>(root, first_of<Shape>(root));
  }
  /// The row of a component, or no_rank.
  template <class Shape>
  [[nodiscard]] __device__ u32 row_of(u32 component) const {
    return component < info.components ? rank_of(grid, tables, place_of_root<Shape>(component)) : no_rank;
  }
};

/// Component of each run of a tile, to shared memory, by all threads of the block.
template <class Shape>
__device__ void load_run_components(const label_tables& tables, u32 tile, u32 runs, u16* to) {
  const u16* const component = tables.component + u64{tile} * Shape::run_capacity;
  for (u32 k = threadIdx.x; 2 * k + 1 < runs; k += label_threads)
    reinterpret_cast<u32*>(to)[k] = reinterpret_cast<const u32*>(component)[k];
  if (runs % 2 == 1 && threadIdx.x == 0) to[runs - 1] = component[runs - 1];
}

template <class Shape>
struct tile_labels {
  alignas(16) u32 bits[tile_rows * tile_words];
  u32 starts[Shape::groups * tile_words];  // of the runs of groups
  u32 prefix[Shape::groups * tile_words];  // runs before each word
  u32 component_label[Shape::run_capacity];
  alignas(4) u16 run_component[Shape::run_capacity];

  /// By all threads of the block; ends with a barrier.
  template <class Tables>
  __device__ void look_up(const tiling& grid, const Tables& tables, u32 tile, tile_place at, cuda::numbering numbers) {
    const placed_tile placed{grid, tables, tile, at, tables.info[tile]};
    const u32 runs = tables.prefix[u64{tile} * Shape::prefix_pitch + Shape::group_words];
    const bool relative = Shape::rank == 2 && numbers == cuda::numbering::consecutive;
    const u32 before = relative ? static_cast<u32>(tables.offset[at.z]) : 0;
    for (int k = threadIdx.x; k < tile_rows; k += label_threads)
      reinterpret_cast<uint4*>(bits)[k] = reinterpret_cast<const uint4*>(tables.bits)[u64{tile} * tile_rows + k];
    for (u32 component = threadIdx.x; component < placed.info.components; component += label_threads)
      component_label[component] =
          label_of<Shape>(grid, tables, placed.place_of_root<Shape>(component), before, numbers);
    load_run_components<Shape>(tables, tile, runs, run_component);
    __syncthreads();
    if (threadIdx.x < Shape::groups * tile_words) {
      starts[threadIdx.x] = group_word<Shape>::of(bits, threadIdx.x / tile_words, threadIdx.x % tile_words).starts();
      prefix[threadIdx.x] = tables.prefix[u64{tile} * Shape::prefix_pitch + threadIdx.x];
    }
    __syncthreads();
  }

  /// Word of `starts` and `prefix` for a word of a row.
  __device__ static int group_word_of(int row, int column) {
    const int z = row / Shape::height, y = row % Shape::height;
    return (z / Shape::group_depth * Shape::groups_y + y / Shape::group_height) * tile_words + column;
  }
  /// Label of the foreground pixel `bit` of a word of a row.
  __device__ u32 label_at(int row, int column, u32 bit) const {
    const int word = group_word_of(row, column);
    return component_label[run_component[prefix[word] + __popc(starts[word] & up_to(bit)) - 1]];
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
};

/// Words of a tile, one for each thread of a block that looks up labels.
struct row_word {
  int row, column;
  i64 z, y, x;  // of the first pixel
  template <class Shape>
  __device__ static row_word of_thread(tile_place at) {
    const int row = threadIdx.x / tile_words, column = threadIdx.x % tile_words;
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

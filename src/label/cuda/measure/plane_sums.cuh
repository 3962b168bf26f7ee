// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, planes: second moments, and intensities of bytes. Other sums: sums.cuh.
//
//   thread  a patch of 4 x 8 pixels of a tile: plane_features.cuh
//   warp    the component that comes first in a warp is joined there
//   block   one tile: a part for each of its components, in shared memory
//   grid    a component that touches no side of its tile is a row; of others the parts join in device memory
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank; intensities
// Writes  rows of features, of the components whose label is at most `capacity`
// Needs   one launch before the sums to empty the rows
#pragma once
#include "engine/cuda/warp.cuh"
#include "label/cuda/measure/plane_features.cuh"
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

// ---- block --------------------------------------------------------------------------------------------------------------

template <class Shape, class Feature>
struct plane_sums {
  static constexpr u32 capacity = 1024;  // components at once; noise has at most about 700, with 4 neighbours 1100
  uint2 rows[Shape::group_words];        // both rows of a word of a group
  uint2 runs[Shape::group_words];        // starts of runs in it, and how many runs come before
  alignas(4) u16 run_component[Shape::run_capacity];
  u32 parts[Feature::words][capacity];

  /// By all threads of the block; ends with a barrier.
  __device__ void load(const label_tables& tables, u32 tile) {
    static_assert(Shape::rank == 2 && Shape::word_bits == 32 && Shape::group_rows == 2);
    static_assert(label_threads >= Shape::group_words);
    const u16* const prefix = tables.prefix + u64{tile} * Shape::prefix_pitch;
    load_run_components<Shape>(tables, tile, prefix[Shape::group_words], run_component);
    const u32 k = threadIdx.x;
    if (k < Shape::group_words) {
      const auto here =
          group_word<Shape>::of(tables.bits + u64{tile} * (tile_rows * tile_words), k / tile_words, k % tile_words);
      rows[k] = make_uint2(here.row[0], here.row[1]);
      runs[k] = make_uint2(here.starts(), prefix[k]);
    }
    __syncthreads();
  }
  __device__ void clear(u32 components) {
    for (u32 k = threadIdx.x; k < min(components, capacity); k += label_threads)
#pragma unroll
      for (u32 word = 0; word < Feature::words; ++word) parts[word][k] = 0;
  }
  __device__ void join(u32 slot, const u32 (&part)[Feature::words]) {
#pragma unroll
    for (u32 word = 0; word < Feature::words; ++word)
      if (word < Feature::sums) atomicAdd(&parts[word][slot], part[word]);
      else atomicMax(&parts[word][slot], part[word]);
  }
};

/// The foreground of a thread's patch, and which component its pixels belong to. Runs of a group of two rows are intervals of
/// columns, so the four columns of a group mostly belong to one or two.
template <class Shape, class Feature>
struct component_patch {
  static constexpr u32 groups = patch_height / 2;
  const plane_sums<Shape, Feature>& tile;
  u32 pixels = 0, first = 0, second = 0;  // those of the first and of the second run of their group
  u32 first_component[groups], second_component[groups];

  __device__ explicit component_patch(const plane_sums<Shape, Feature>& t) : tile(t) {
    const u32 shift = patch_x() % 32, columns = 0xfu << shift;
#pragma unroll
    for (u32 g = 0; g < groups; ++g) {
      const uint2 rows = tile.rows[word_of(g)], runs = tile.runs[word_of(g)];
      const u32 any = (rows.x | rows.y) & columns, lowest = any & -any, up_to_lowest = lowest | (lowest - 1);
      u32 of_first, of_second;
      if constexpr (Shape::axes == 1) {
        const u32 next = runs.x & columns & ~up_to_lowest, after = next & (next - 1);
        of_first = any & ((next & -next) - 1);
        of_second = any & ~of_first & ((after & -after) - 1);
      } else {  // an empty column parts runs: a carry runs through the first one, and there are no more than two
        of_second = any & (any + lowest);
        of_first = any & ~of_second;
      }
      const u32 run = runs.y + ones(runs.x & up_to_lowest) - 1;
      first_component[g] = any != 0 ? tile.run_component[run] : ~0u;
      second_component[g] = of_second != 0 ? tile.run_component[run + 1] : ~0u;
      pixels |= ((rows.x >> shift & 0xf) | (rows.y >> shift & 0xf) << patch_width) << 8 * g;
      first |= (of_first >> shift) * 0x11 << 8 * g;
      if constexpr (Shape::axes == 1) second |= (of_second >> shift) * 0x11 << 8 * g;
    }
    first &= pixels;
    second = Shape::axes == 1 ? second & pixels : pixels & ~first;
  }
  /// Word of the g-th group.
  __device__ static u32 word_of(u32 g) { return (patch_y() / 2 + g) * tile_words + patch_x() / 32; }
  __device__ u32 component_of(u32 pixel) const {
    const uint2 runs = tile.runs[word_of(pixel / 8)];
    const u32 up_to_pixel = (2u << (patch_x() % 32 + pixel % 4)) - 1;
    return tile.run_component[runs.y + ones(runs.x & up_to_pixel) - 1];
  }
  /// Pixels of a component; of runs that are neither the first nor the second of their group only this one.
  __device__ u32 pixels_of(u32 component, u32 pixel) const {
    u32 in_first = 0, in_second = 0;
#pragma unroll
    for (u32 g = 0; g < groups; ++g) {
      if (first_component[g] == component) in_first |= 0xffu << 8 * g;
      if (second_component[g] == component) in_second |= 0xffu << 8 * g;
    }
    return (in_first & first) | (in_second & second) | 1u << pixel;
  }
};

/// What a thread has read for a feature.
template <class Feature>
struct pixels_of_feature {
  const Feature& feature;
  const typename Feature::pixels pixels;
};

/// Joins the parts of the threads where `active` in shared memory; all of the warp come here together.
template <class Shape, class Feature>
__device__ void join_by_warp(plane_sums<Shape, Feature>& tile, bool active, u32 slot,
                             const u32 (&part)[Feature::words]) {
  constexpr int least_threads = 5;
  const u32 all = __ballot_sync(~0u, active);
  if (all == 0) return;
  const u32 common = __shfl_sync(~0u, slot, first_of(all));
  const bool shares = active && slot == common;
  const u32 same = __ballot_sync(~0u, shares);
  if (shares && __popc(same) >= least_threads) {
    u32 joined[Feature::words];
#pragma unroll
    for (u32 word = 0; word < Feature::words; ++word)
      joined[word] = word < Feature::sums ? __reduce_add_sync(same, part[word]) : __reduce_max_sync(same, part[word]);
    if (is_first_of(same)) tile.join(common, joined);
  } else if (active) {
    tile.join(slot, part);
  }
  __syncwarp();
}

/// Joins what this thread's patch has of the components [begin, begin + capacity).
template <class Shape, class Feature>
__device__ void add_patch(plane_sums<Shape, Feature>& tile, const component_patch<Shape, Feature>& patch,
                          const pixels_of_feature<Feature>& read, u32 begin) {
  u32 left = patch.pixels;
  while (__any_sync(~0u, left != 0)) {
    u32 slot = 0, part[Feature::words] = {};
    bool active = left != 0;
    if (active) {
      const u32 pixel = lowest_bit(left), component = patch.component_of(pixel);
      const u32 mask = patch.pixels_of(component, pixel) & left;
      left ^= mask;
      slot = component - begin;
      active = slot < tile.capacity;
      if (active) read.feature.add(part, read.pixels, mask);
    }
    __syncwarp();
    join_by_warp(tile, active, slot, part);
  }
}

// ---- grid ---------------------------------------------------------------------------------------------------------------

/// Where parts go: `own` is the row of the component with the number of this thread. It is looked up early, since one load follows
/// from the other.
template <class Row>
struct part_rows {
  Row* rows;
  u64 room;
  u32 own;
};

/// Writes the components [begin, begin + capacity).
template <class Shape, class Feature>
__device__ void write_parts(const plane_sums<Shape, Feature>& tile, const placed_tile& of, u32 begin,
                            const part_rows<typename Feature::row>& to) {
  const u32 count = min(of.info.components - begin, tile.capacity);
  for (u32 slot = threadIdx.x; slot < count; slot += label_threads) {
    const u32 component = begin + slot;
    const u32 rank = component < label_threads ? to.own : of.row_of<Shape>(component);
    if (rank >= to.room) continue;  // one that was not selected, too
    u32 part[Feature::words];
#pragma unroll
    for (u32 word = 0; word < Feature::words; ++word) part[word] = tile.parts[word][slot];
    const typename Feature::row row = Feature::placed(part, of.at);
    if (component < of.info.border) Feature::join_to(to.rows[rank], row);
    else to.rows[rank] = row;
  }
}

template <class Shape, class Feature>
__global__ __launch_bounds__(label_threads,
                             Feature::blocks) void plane_sum_kernel(const tiling grid, const label_tables tables,
                                                                    const Feature feature, typename Feature::row* rows,
                                                                    const u64 capacity) {
  __shared__ plane_sums<Shape, Feature> tile;
  const placed_tile of = placed_tile::of(grid, tables, blockIdx.x);
  const u32 components = of.info.components;
  if (components == 0) return;
  tile.clear(components);
  tile.load(tables, blockIdx.x);
  const component_patch<Shape, Feature> patch(tile);
  const pixels_of_feature<Feature> read{feature, feature.read(grid, of.at, patch.pixels)};
  const part_rows<typename Feature::row> to{rows, min(capacity, u64{no_rank}), of.row_of<Shape>(threadIdx.x)};
  for (u32 begin = 0;;) {
    add_patch(tile, patch, read, begin);
    __syncthreads();
    write_parts(tile, of, begin, to);
    begin += tile.capacity;
    if (begin >= components) return;
    __syncthreads();
    tile.clear(components - begin);
    __syncthreads();
  }
}

}  // namespace skerry::label_stages::on_device

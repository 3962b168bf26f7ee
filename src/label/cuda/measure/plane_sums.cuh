// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, planes: second moments, and intensities of bytes. Other sums: sums.cuh.
//
//   thread  a patch of 4 x 8 pixels of a tile: plane_tile.cuh, plane_features.cuh; then a number of a row
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
#include "label/cuda/measure/plane_tile.cuh"

namespace skerry::label_stages::on_device {

// ---- block --------------------------------------------------------------------------------------------------------------

template <class Shape, class Feature>
struct plane_sums {
  static constexpr u32 capacity = 640;  // components at once; noise has at most about 700, with 4 neighbours 1100
  plane_tile<Shape> tile;
  u32 parts[Feature::words][capacity];
  u32 row[capacity];  // where a part goes, or no_rank

  __device__ void clear(u32 components) {
#pragma unroll 1
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

/// What a thread has read for a feature.
template <class Feature>
struct pixels_of_feature {
  const Feature& feature;
  const typename Feature::pixels pixels;
};

/// Joins the parts of the threads where `active` in shared memory; all of the warp come here together.
template <class Shape, class Feature>
__device__ void join_by_warp(plane_sums<Shape, Feature>& sums, bool active, u32 slot,
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
    if (is_first_of(same)) sums.join(common, joined);
  } else if (active) {
    sums.join(slot, part);
  }
  __syncwarp();
}

/// Joins what this thread's patch has of the components [begin, begin + capacity).
template <class Shape, class Feature>
__device__ void add_patch(plane_sums<Shape, Feature>& sums, const component_patch<Shape>& patch,
                          const pixels_of_feature<Feature>& read, u32 begin) {
  u32 left = patch.pixels();
  while (__any_sync(~0u, left != 0)) {
    u32 slot = 0, part[Feature::words] = {};
    bool active = left != 0;
    if (active) {
      const u32 pixel = lowest_bit(left), component = patch.component_of(pixel);
      const u32 mask = patch.pixels_of(component, pixel) & left;
      left ^= mask;
      slot = component - begin;
      active = slot < sums.capacity;
      if (active) read.feature.add(part, read.pixels, mask);
    }
    __syncwarp();
    join_by_warp(sums, active, slot, part);
  }
}

/// The same in a tile of one component.
template <class Shape, class Feature>
__device__ void add_whole_patch(plane_sums<Shape, Feature>& sums, u32 pixels, const pixels_of_feature<Feature>& read) {
  u32 part[Feature::words] = {};
  if (pixels != 0) read.feature.add(part, read.pixels, pixels);
  join_by_warp(sums, pixels != 0, 0, part);
}

// ---- grid ---------------------------------------------------------------------------------------------------------------

/// Rows of a table, of which there are `room`.
template <class Row>
struct rows_of_sums {
  Row* rows;
  u64 room;
};

/// Writes the components [begin, begin + capacity). A thread has a number of a row, and threads side by side have those beside it.
template <class Shape, class Feature>
__device__ void write_parts(const plane_sums<Shape, Feature>& sums, const placed_tile& of, const Feature& feature,
                            u32 begin, const rows_of_sums<typename Feature::row>& to) {
  const u32 count = min(of.info.components - begin, sums.capacity);
#pragma unroll 1
  for (u32 k = threadIdx.x; k < count * Feature::numbers; k += label_threads) {
    const u32 slot = k / Feature::numbers, number = k % Feature::numbers, row = sums.row[slot];
    if (row == no_rank || row >= to.room) continue;
    const auto value = feature.number(number, of.at, [&](u32 word) { return sums.parts[word][slot]; });
    u64* const there = reinterpret_cast<u64*>(to.rows + row) + Feature::word_of(number);
    if (begin + slot < of.info.border) feature.join(there, number, value);
    else feature.write(there, value);
  }
}

/// Sums all components of a tile, and writes them.
template <class Shape, class Feature>
__device__ void sum_components(plane_sums<Shape, Feature>& sums, const placed_tile& of,
                               const component_patch<Shape>& patch, const pixels_of_feature<Feature>& read,
                               const rows_of_sums<typename Feature::row>& to) {
  const u32 components = of.info.components;
  for (u32 begin = 0;;) {
    if (components == 1) add_whole_patch(sums, patch.pixels(), read);
    else add_patch(sums, patch, read, begin);
#pragma unroll 1  // those that no thread has looked up, with the number of a thread each
    for (u32 k = max(begin, u32{label_threads}) + threadIdx.x; k < min(components, begin + sums.capacity);
         k += label_threads)
      sums.row[k - begin] = of.row_of<Shape>(k);
    __syncthreads();
    write_parts(sums, of, read.feature, begin, to);
    begin += sums.capacity;
    if (begin >= components) return;
    __syncthreads();
    sums.clear(components - begin);
    __syncthreads();
  }
}

template <class Shape, class Feature>
__global__ __launch_bounds__(label_threads,
                             Feature::blocks) void plane_sum_kernel(const tiling grid, const label_tables tables,
                                                                    const Feature feature, typename Feature::row* rows,
                                                                    const u64 capacity) {
  __shared__ plane_sums<Shape, Feature> sums;
  const placed_tile of = placed_tile::of(grid, tables, blockIdx.x);
  const tile_reads<Shape> reads(of);
  const u32 components = of.info.components, own = threadIdx.x;
  sums.clear(components);
  const border_component root = reads.root();
  const u32 first = own < components ? of.first_of<Shape>(root) : 0;
  reads.write_to(sums.tile);
  if (components == 0) return;
  __syncthreads();
  const component_patch<Shape> patch(sums.tile, components);
  const pixels_of_feature<Feature> read{feature, feature.read(grid, of.at, patch.pixels())};
  if (own < components) sums.row[own] = rank_of(grid, tables, of.place_of<Shape>(root, first));
  sum_components(sums, of, patch, read, {rows, capacity});
}

}  // namespace skerry::label_stages::on_device

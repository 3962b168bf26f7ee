// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA: whose parts the components of a tile are, and which of these are still there; by one thread, once components are
// united. And how many roots come before them, once they are counted.
//
// Reads   info, parent, first, root_bits, root_rank
// Writes  root_bits (drop); discard_tables() leaves bits and component undefined
#pragma once
#include "engine/cuda/discard.cuh"
#include "label/cuda/resolve/merge.cuh"

namespace skerry::label_stages::on_device {

inline constexpr u32 no_rank = ~0u;  // of a component that was not selected

/// Roots before `place`, over all frames, if there is a root.
__device__ inline u32 rank_of(const tiling& grid, const label_tables& tables, pixel_place place) {
  const u64 unit = static_cast<u64>(place.row) * grid.tiles_x + place.x / tile_width;
  const uint4 bits = reinterpret_cast<const uint4*>(tables.root_bits)[unit];
  const u32 x = place.x % tile_width, word = x / 32, below = place.bit() - 1;
  u32 rank = tables.root_rank[unit];
  rank += __popc(bits.x & (word > 0 ? ~0u : below));
  if (word > 0) rank += __popc(bits.y & (word > 1 ? ~0u : below));
  if (word > 1) rank += __popc(bits.z & (word > 2 ? ~0u : below));
  if (word > 2) rank += __popc(bits.w & below);
  const u32 own = word == 0 ? bits.x : word == 1 ? bits.y : word == 2 ? bits.z : bits.w;
  return own & place.bit() ? rank : no_rank;
}

/// Whether a component with this first pixel is still there, while others are dropped.
__device__ inline bool is_there(const tiling& grid, const label_tables& tables, const pixel_place& first) {
  return (device_words{tables.root_bits}.load(first.word(grid)) & first.bit()) != 0;
}
__device__ inline void drop(const tiling& grid, const label_tables& tables, const pixel_place& first) {
  atomicAnd(tables.root_bits + first.word(grid), ~first.bit());
}

/// Whether a component with this first pixel was kept, once no more are dropped.
__device__ inline bool stays(const tiling& grid, const label_tables& tables, const pixel_place& first) {
  return (tables.root_bits[first.word(grid)] & first.bit()) != 0;
}

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
  __device__ static placed_tile at_place(const tiling& grid, const label_tables& tables, tile_place at) {
    const u32 tile = static_cast<u32>((at.z * grid.tiles_y + at.y) * grid.tiles_x + at.x);
    return {grid, tables, tile, at, tables.info[tile]};
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
  /// Discards the bits of the tile and the components of its runs, which only blocks of this tile read; by all threads of the last of them.
  template <class Shape>
  __device__ void discard_tables(u32 runs) const {
    discard_lines(tables.bits + u64{number} * (tile_rows * tile_words), tile_rows * tile_words * sizeof(u32));
    discard_lines(tables.component + u64{number} * Shape::run_capacity, runs * sizeof(u16));
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Joining by value and periodic axes, CUDA: pixels as nodes of sets, and the pairs of them that can join.
//
// Rows are padded to units of 128 pixels. A node is 128 times the number of its unit, in raster order, and its place there: smaller
// nodes are earlier pixels, and a bit of a row of bits has the number of its node. Each pixel looks at the neighbours before it:
// at most 13, each of which has an image of bits that says which pixels join it. After stage 1 values are gone. Where names are known,
// a pixel leads to its run in a tile, that to its component in the tile, and that to its name: only runs and components have words.
#pragma once
#include "core/adjacency.hpp"
#include "label/cuda/tiles/rows.cuh"
#include "skerry/image.hpp"

namespace skerry::label_stages::on_device {

inline constexpr u32 unit_words = tile_words;

/// To a neighbour that comes before a pixel, where no axis wraps around.
struct pixel_step {
  int dz, dy, dx;
};

/// On the row itself; then the row above: straight, left, right; then three rows of the slice before, each left, straight, right.
inline constexpr int most_steps = 13;
__host__ __device__ constexpr pixel_step step_of(int k) {
  if (k == 0) return {0, 0, -1};
  if (k < 4) return {0, -1, k == 1 ? 0 : k == 2 ? -1 : 1};
  return {-1, (k - 4) / 3 - 1, (k - 4) % 3 - 1};
}
/// The steps (dz, dy, 0), and one to its left and right.
inline constexpr int step_along_row = 0, step_above = 1, step_above_left = 2, step_above_right = 3;
__host__ __device__ constexpr int step_behind(int dy) { return 4 + 3 * (dy + 1) + 1; }

inline bool has_step(int k, int connectivity) {
  const pixel_step step = step_of(k);
  return touch(axes_of(connectivity), step.dz, step.dy, step.dx) &&
         (rank_of_connectivity(connectivity) == 3 || step.dz == 0);
}

/// Tiles are 128 x 64 pixels, or 128 x 8 x 8.
template <int Rank>
struct join_tile {
  static constexpr int depth_bits = Rank == 2 ? 0 : 3, height_bits = Rank == 2 ? 6 : 3;
  static constexpr int depth = 1 << depth_bits, height = 1 << height_bits;
};

struct node_grid {
  i32 depth, height, width;
  u32 units_x, units, frames;  // units of a row, of the image; frames in it
  divisor by_units_x, by_height;
  bool wraps_z, wraps_y, wraps_x;
  int depth_bits, height_bits;  // of join_tile

  [[nodiscard]] __host__ __device__ u32 words() const { return units * unit_words; }
  [[nodiscard]] __host__ __device__ u32 words_of_row() const { return units_x * unit_words; }
  [[nodiscard]] __host__ __device__ u32 units_of_frame() const { return units / frames; }
  [[nodiscard]] __device__ u32 node(i32 z, i32 y, i32 x) const {
    return (static_cast<u32>(z) * height + y) * units_x * tile_width + x;
  }
};

/// Where a node lies.
struct node_place {
  u32 row;  // z * height + y
  i32 z, y, x;
  __device__ static node_place of(const node_grid& grid, u32 node) {
    const u32 unit = node / tile_width, row = grid.by_units_x.quotient(unit), z = grid.by_height.quotient(row);
    return {row, static_cast<i32>(z), static_cast<i32>(row - z * grid.height),
            static_cast<i32>((unit - row * grid.units_x) * tile_width + node % tile_width)};
  }
};

/// Images of bits, rows padded to units.
struct pair_bits {
  u32* foreground;
  u32* joined[most_steps];  // null for steps that the neighbourhood does not have
};

/// Of a word, the pixels whose neighbour at a step lies in the same tile, without a wrap.
template <int Rank>
__device__ u32 pixels_joined_inside(const node_grid& grid, pixel_step step, i32 z, i32 y, i32 x) {
  using tile = join_tile<Rank>;
  if (step.dz < 0 && z % tile::depth == 0) return 0;
  if (step.dy < 0 && y % tile::height == 0) return 0;
  if (step.dy > 0 && (y % tile::height == tile::height - 1 || y == grid.height - 1)) return 0;
  u32 inside = ~0u;
  if (step.dx < 0 && x % tile_width == 0) inside = ~1u;
  if (step.dx > 0 && x % tile_width == tile_width - 32) inside = ~0u >> 1;
  if (step.dx > 0 && grid.width - 1 - x < 32) inside &= ~(1u << (grid.width - 1 - x));
  return inside;
}

// ---- sets ---------------------------------------------------------------------------------------------------------

/// A word of `parent` is the parent of a component of a tile, its own node in a root, or once sets are named `named | name`. A
/// name of 0 is no component.
inline constexpr u32 named = 1u << 31;

struct node_tables {
  u32* parent;     // [units][128]: of each component of a tile, at its first pixel there; elsewhere not written
  u32* tile_bits;  // [units][4]: the first pixel that each component has in a tile
  u32* root_bits;  // the same: the first pixel of each component
  u32* root_rank;  // [units]: roots before
  u64* offset;     // [frames + 1]: components before each frame
  u32* block_total;
  u16* runs_before;  // [units][4]: runs of the tile before a word, in raster order
  u16* run_first;    // [units][128], tile after tile: of each run, where its component begins in the tile: row << 7 | x
};

/// A tile, by one of its pixels.
struct tile_frame {
  i32 z, y, x;      // of the first pixel
  u32 first_place;  // in run_first: pixels of the tiles before

  __device__ static tile_frame of(const node_grid& grid, i32 z, i32 y, i32 x) {
    tile_frame t{z >> grid.depth_bits << grid.depth_bits, y >> grid.height_bits << grid.height_bits,
                 x / tile_width * tile_width, 0};
    const u32 slices = min(grid.depth - t.z, 1 << grid.depth_bits),
              rows = min(grid.height - t.y, 1 << grid.height_bits);
    const u32 units = static_cast<u32>(t.z) * grid.height * grid.units_x + slices * t.y * grid.units_x +
                      slices * rows * (static_cast<u32>(x) / tile_width);
    t.first_place = units * tile_width;
    return t;
  }
  /// The node of a pixel of the tile: row << 7 | x.
  [[nodiscard]] __device__ u32 node(const node_grid& grid, u32 place) const {
    const i32 row = static_cast<i32>(place / tile_width);
    return grid.node(z + (row >> grid.height_bits), y + (row & ((1 << grid.height_bits) - 1)),
                     x + static_cast<i32>(place % tile_width));
  }
};

/// 32 pixels of a row, and the components that they belong to in their tile.
struct named_word {
  u32 foreground, starts;  // pixels, and those that begin a run of the tile
  u32 before;              // runs of the tile before the word
  tile_frame tile;

  __device__ static named_word of(const node_grid& grid, const pair_bits& pairs, const node_tables& tables, i32 z,
                                  i32 y, i32 x) {
    const u32 word = grid.node(z, y, x) / 32, foreground = __ldg(pairs.foreground + word);
    const u32 along = __ldg(pairs.joined[step_along_row] + word);
    return {foreground, foreground & ~(x % tile_width < 32 ? along & ~1u : along), tables.runs_before[word],
            tile_frame::of(grid, z, y, x)};
  }
  /// The node of a pixel's component in the tile; of a pixel of the foreground.
  [[nodiscard]] __device__ u32 node_of(const node_grid& grid, const node_tables& tables, u32 bit) const {
    const u32 run = before + __popc(starts & up_to(1u << bit)) - 1;
    return tile.node(grid, tables.run_first[tile.first_place + run]);
  }
  /// The name of a pixel's component, 0 for background.
  [[nodiscard]] __device__ u32 name_of(const node_grid& grid, const node_tables& tables, u32 bit) const {
    return foreground >> bit & 1 ? __ldg(tables.parent + node_of(grid, tables, bit)) & ~named : 0;
  }
};

}  // namespace skerry::label_stages::on_device

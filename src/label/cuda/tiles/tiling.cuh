// SPDX-License-Identifier: Apache-2.0
// How an image is cut for the GPU, and the tables that the stages hand to each other.
//
// A tile is 128 x 64 pixels (2D) or 128 x 8 x 8 (3D): 64 rows of four 32-bit words. Rows are taken together in groups of two
// (2 x 2 for 26), because the components of so few rows are intervals of columns. Where the neighbourhood reaches
// diagonally from row to row, a column of pixels is connected to the next as soon as neither is empty; where it does not, as
// soon as one row has a pixel in both. A run is such an interval; the runs of a tile are numbered in the order of its
// groups. Union-find works on these numbers inside the tile and on component numbers between tiles.
#pragma once
#include <type_traits>

#include "core/adjacency.hpp"
#include "engine/cuda/shared_words.cuh"
#include "skerry/feature.hpp"

namespace skerry::label_stages::on_device {

inline constexpr int tile_width = 128;  // pixels
inline constexpr int tile_words = 4;    // 32-bit words in a row, as stored
inline constexpr int tile_rows = 64;
inline constexpr u32 resolve_threads = 256;  // of a block that unites, numbers and selects what tiles have found

template <int Connectivity>
struct tile_shape {
  static constexpr int connectivity = Connectivity;
  static constexpr int rank = rank_of_connectivity(Connectivity), axes = axes_of(Connectivity);
  static constexpr int depth = rank == 2 ? 1 : 8, height = rank == 2 ? 64 : 8;
  static constexpr int group_depth = axes == 3 ? 2 : 1, group_height = 2;
  static constexpr int group_rows = group_depth * group_height;
  static constexpr int groups_z = depth / group_depth, groups_y = height / group_height;
  static constexpr int groups = groups_z * groups_y;
  using word = u32;  // that one thread of stage 2 works on, of each row of a group: a tile has 64 or 128 threads
  static constexpr int word_bits = 8 * sizeof(word), words = tile_width / word_bits;
  static constexpr int group_words = groups * words;  // one thread each in stage 2
  // Diagonals of pixels of two rows are runs of one pixel each, unless they are connected.
  static constexpr int run_capacity = groups * (axes == 1 ? tile_width : tile_width / 2);
  static constexpr int prefix_pitch = group_words + 4;  // the entry after the last is the number of runs
  // Components with a pixel on the surface of the tile: at most one per group of pixels there.
  static constexpr int border_capacity = rank == 2 ? 192 : Connectivity == 26 ? 1024 : Connectivity == 18 ? 2048 : 2304;
  // Groups that come before a group and can touch it: (0,-1), then (-1,-1), (-1,0), (-1,1).
  static constexpr int earlier_groups = rank == 2 ? 1 : axes == 1 ? 2 : 4;
};

__device__ inline int count_bits(int word) { return __popc(word); }  // of narrow words
__device__ inline int count_bits(u32 word) { return __popc(word); }
__device__ inline int count_bits(u64 word) { return __popcll(word); }
__device__ inline int lowest_bit(int word) { return __ffs(word) - 1; }
__device__ inline int lowest_bit(u32 word) { return __ffs(word) - 1; }
__device__ inline int lowest_bit(u64 word) { return __ffsll(word) - 1; }
__device__ inline int highest_bit(int word) { return 31 - __clz(word); }
__device__ inline int highest_bit(u32 word) { return 31 - __clz(word); }
__device__ inline int highest_bit(u64 word) { return 63 - __clzll(word); }

/// Offset in groups of the k-th earlier neighbour of a group.
template <class Shape>
__host__ __device__ constexpr int earlier_dz(int k) {
  return k == 0 ? 0 : -1;
}
template <class Shape>
__host__ __device__ constexpr int earlier_dy(int k) {
  return k == 0 ? -1 : Shape::axes == 1 ? 0 : k - 2;
}

/// Division by a number that is known before the launch: n / d for n below 2^31 by one multiplication.
struct divisor {
  u32 value = 1, multiplier = 0, shift = 0;
  divisor() = default;
  explicit divisor(u32 d) : value(d) {
    u32 bits = 0;
    while ((1u << bits) < d) ++bits;
    if (d > 1) multiplier = static_cast<u32>((u64{1} << (31 + bits)) / d + 1), shift = bits - 1;
  }
  __device__ u32 quotient(u32 n) const { return value == 1 ? n : __umulhi(n, multiplier) >> shift; }
};

/// Where a tile lies in the image.
struct tiling {
  i32 depth, height, width;  // depth counts slices, or the frames of a batch
  i32 tiles_z, tiles_y, tiles_x;
  u32 tiles;
  divisor by_tiles_x, by_tiles_y;
  u64 units;  // pieces of 128 pixels of a row: depth * height * tiles_x
};

/// The slices of a rank 3 image are frames when the connectivity is that of planes.
template <class Shape>
__host__ __device__ u32 frames_in(const tiling& grid) {
  return Shape::rank == 2 ? static_cast<u32>(grid.depth) : 1;
}
template <class Shape>
__host__ __device__ u64 units_of_frame(const tiling& grid) {
  return grid.units / frames_in<Shape>(grid);
}

struct tile_place {
  i32 z, y, x;  // in tiles
  __device__ static tile_place of(const tiling& grid, u32 tile) {
    const u32 row = grid.by_tiles_x.quotient(tile), z = grid.by_tiles_y.quotient(row);
    return {static_cast<i32>(z), static_cast<i32>(row - z * grid.tiles_y), static_cast<i32>(tile - row * grid.tiles_x)};
  }
};

/// Where a row of a tile lies in the image.
struct image_row {
  i64 z, y;
  template <class Shape>
  __device__ static image_row of(tile_place at, int row) {
    return {i64{at.z} * Shape::depth + row / Shape::height, i64{at.y} * Shape::height + row % Shape::height};
  }
  [[nodiscard]] __device__ bool exists(const tiling& grid) const { return z < grid.depth && y < grid.height; }
  /// The unit of the row in a column of tiles.
  [[nodiscard]] __device__ u64 unit(const tiling& grid, i32 column) const {
    return static_cast<u64>((z * grid.height + y) * grid.tiles_x + column);
  }
};

/// Bytes between neighbouring pixels of an image.
struct source_strides {
  i64 z, y, x;
};

/// What stage 2 knows of one component inside its tile. `sum` is relative to the tile.
struct alignas(16) tile_component {
  u32 area_y;  // area | sum of y << 14
  u32 sum_x;   // sum of x
  u32 sum_z;   // rank 3 only
  u32 box;     // min_x | max_x << 7 | min_y << 14 | max_y << 20 | max_z << 26
};

struct tile_info {
  u16 border, components;  // components 0…border-1 touch the surface of the tile
  u32 pool_begin;          // of the components that do not, in the pool of features
};

/// What lives in scratch memory for every job. Tile t owns the t-th piece of the tables by tile. Stage 6 may leave `bits` and `component`
/// undefined, and stage 4 `root_bits` and `root_rank` where there are no roots (label.cu: is_last, reads_only_roots).
struct label_tables {
  u32* bits;                  // [tile][64][4] the mask
  u16* prefix;                // [tile][prefix_pitch] runs before each group word
  u16* component;             // [tile][run_capacity] component of each run
  u16* first;                 // [tile][run_capacity] place of the first pixel of each component: row << 7 | x
  u32* parent;                // [tile][border_capacity] union-find over the components that touch a tile's surface
  tile_info* info;            // [tile]
  u8* edges;                  // [tile][2][8] the pixels of the left and of the right column, a bit per row
  u32* root_bits;             // [row][tiles_x][4] a bit at the first pixel of each component
  u32* root_rank;             // [row][tiles_x] bits of root_bits before
  u64* offset;                // [frames + 1] components before each frame
  u32* block_total;           // [blocks of a kernel that counts]
  geometry* border_features;  // [tile][border_capacity]
  tile_component* pool;       // components that touch no surface
  u32* pool_used;             // null when each tile has a fixed piece of run_capacity in the pool
  u32 pool_capacity;

  /// Pixels of eight rows in the left (0) or right (1) column of a tile.
  [[nodiscard]] __device__ u32 edge(u32 tile, int side, int byte) const {
    return edges[u64{tile} * 16 + side * 8 + byte];
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA: join the components of neighbouring tiles. The device code; the kernel of stage 4 runs it.
//
//   thread  a byte of a row border or a row of a column border: finds the pairs of components that touch there
//   block   4 x 4 tiles (2D): unites inside of them in shared memory
//   grid    unites across, in device memory
//
// Reads   bits, prefix, component, first
// Writes  parent: each component that touches a tile's surface to one whose first pixel is earlier
// Needs   in planes 20 KB of shared memory per block: 12 for sets, 8 for pairs
// Method  the set's root is the component with the earliest first pixel, whatever the order of unions, so that stage 4 can
//         number roots as they are. core/union_find.hpp says why threads that unite the same sets lose no union
#pragma once
#include "label/cuda/tiles/solve.cuh"

namespace skerry::label_stages::on_device {

template <class Shape>
__device__ u32 tile_at(const tiling& grid, tile_place at) {
  return (static_cast<u32>(at.z) * grid.tiles_y + at.y) * grid.tiles_x + at.x;
}

/// A component on the surface of a tile.
struct border_component {
  u32 tile, number;
};

/// A component's first pixel in the image.
struct pixel_place {
  i64 row;  // z * height + y
  i32 x;
  template <class Shape>
  __device__ static pixel_place of(const tiling& grid, tile_place at, u32 first) {
    const auto [z, y] = image_row::of<Shape>(at, static_cast<int>(first >> 7));
    return {z * grid.height + y, at.x * tile_width + static_cast<i32>(first & 127)};
  }
  __device__ u64 order() const { return static_cast<u64>(row) << 32 | static_cast<u32>(x); }
  __device__ u64 word(const tiling& grid) const {
    return static_cast<u64>(row * grid.tiles_x + x / tile_width) * tile_words + x % tile_width / 32;
  }
  __device__ u32 bit() const { return 1u << x % 32; }
};

// ---- thread: pairs across a border of rows --------------------------------------------------------

template <class Shape>
__device__ border_component component_of_run(const label_tables& tables, u32 tile, u32 run) {
  return {tile, tables.component[u64{tile} * Shape::run_capacity + run]};
}

/// Calls unite.runs(tile, run, other tile, other run) for the pairs of the group word (`group`, `column`) of tile `at` with its K-th earlier group, if that
/// lies in another tile; only at pixels of `mask`.
template <class Shape, int K, class Unite>
__device__ void merge_with_group(const tiling& grid, const label_tables& tables, tile_place at, int group, int column,
                                 typename Shape::word mask, const Unite& unite) {
  using word = typename Shape::word;
  constexpr int dz = earlier_dz<Shape>(K), dy = earlier_dy<Shape>(K);
  int z = group / Shape::groups_y + dz, y = group % Shape::groups_y + dy;
  tile_place other = at;
  if (z < 0) z += Shape::groups_z, --other.z;
  if (y < 0) y += Shape::groups_y, --other.y;
  if (y >= Shape::groups_y) y -= Shape::groups_y, ++other.y;
  if (other.z == at.z && other.y == at.y) return;
  if (other.z < 0 || other.y < 0 || other.y >= grid.tiles_y) return;
  const u32 tile = tile_at<Shape>(grid, at), tile_other = tile_at<Shape>(grid, other);
  const auto here = group_word<Shape>::of(tables.bits + u64{tile} * (tile_rows * tile_words), group, column);
  const int group_other = z * Shape::groups_y + y;
  const auto there =
      group_word<Shape>::of(tables.bits + u64{tile_other} * (tile_rows * tile_words), group_other, column);
  const word starts = here.starts(), starts_other = there.starts();
  word touch = first_touches<word>(touching<Shape, dz, dy>(there, here), starts | starts_other, 0) & mask;
  if (touch == 0) return;
  const u32 before = tables.prefix[u64{tile} * Shape::prefix_pitch + group * Shape::words + column];
  const u32 before_other = tables.prefix[u64{tile_other} * Shape::prefix_pitch + group_other * Shape::words + column];
  for (; touch != 0; touch &= touch - 1) {
    const word to = up_to(touch & -touch);
    unite.runs(tile, before + count_bits(starts & to) - 1, tile_other,
               before_other + count_bits(starts_other & to) - 1);
  }
}

template <class Shape, class Unite>
__device__ void merge_rows(const tiling& grid, const label_tables& tables, tile_place at, int group, int column,
                           typename Shape::word mask, const Unite& unite) {
  merge_with_group<Shape, 0>(grid, tables, at, group, column, mask, unite);
  if constexpr (Shape::earlier_groups > 1) merge_with_group<Shape, 1>(grid, tables, at, group, column, mask, unite);
  if constexpr (Shape::earlier_groups > 2) {
    merge_with_group<Shape, 2>(grid, tables, at, group, column, mask, unite);
    merge_with_group<Shape, 3>(grid, tables, at, group, column, mask, unite);
  }
}

// ---- thread: pairs across a border of columns -----------------------------------------------------

/// Eight rows of one slice: bytes of `edges` are numbered (z, y / 8) in both shapes of tile.
template <class Shape>
struct edge_byte {
  u32 tile;
  int byte;
  __device__ static edge_byte of(const tiling& grid, i32 z, i32 y8, i32 x) {
    if constexpr (Shape::rank == 2) return {tile_at<Shape>(grid, {z, y8 >> 3, x}), y8 & 7};
    else return {tile_at<Shape>(grid, {z >> 3, y8, x}), z & 7};
  }
  __device__ static i32 count(const tiling& grid) { return Shape::rank == 2 ? grid.tiles_y * 8 : grid.tiles_y; }
};

/// Pixels of a column of a tile: bits 1…8 are rows 8 y8 … 8 y8 + 7 of slice z, bit 0 the row before, bit 9 the row after.
template <class Shape>
__device__ u32 edge_rows(const tiling& grid, const label_tables& tables, i32 z, i32 y8, i32 x, int side) {
  if (z < 0) return 0;
  const auto byte = [&](i32 y) -> u32 {
    if (y < 0 || y >= edge_byte<Shape>::count(grid)) return 0;
    const edge_byte<Shape> at = edge_byte<Shape>::of(grid, z, y, x);
    return tables.edges[u64{at.tile} * 16 + side * 8 + at.byte];
  };
  return byte(y8 - 1) >> 7 | byte(y8) << 1 | (Shape::axes > 2 ? (byte(y8 + 1) & 1) << 9 : 0);
}

/// The component of the foreground pixel at row y, in the left (0) or right (1) column of a tile.
template <class Shape>
__device__ border_component component_at_edge(const tiling& grid, const label_tables& tables, i32 z, i32 y, i32 x,
                                              int side) {
  const edge_byte<Shape> at = edge_byte<Shape>::of(grid, z, y >> 3, x);
  const int row = at.byte * 8 + (y & 7), zz = row / Shape::height, yy = row % Shape::height;
  const int group = zz / Shape::group_depth * Shape::groups_y + yy / Shape::group_height;
  const u16* prefix = tables.prefix + u64{at.tile} * Shape::prefix_pitch;
  return component_of_run<Shape>(tables, at.tile,
                                 side == 0 ? prefix[group * Shape::words] : prefix[(group + 1) * Shape::words] - 1);
}

/// Pairs across the border left of tile column `x`, between rows 8 y8 … 8 y8 + 7 of slice z and themselves and earlier rows.
/// A pair that other touching pixels already join is left out: an earlier row may join both sides straight, a straight pair
/// may join a corner. Calls unite.edges(z, y of the left pixel, z, y of the right one, x).
template <class Shape, class Unite>
__device__ void merge_columns(const tiling& grid, const label_tables& tables, i32 z, i32 y8, i32 x, u32 rows_wanted,
                              const Unite& unite) {
  const u32 left = edge_rows<Shape>(grid, tables, z, y8, x - 1, 1), right = edge_rows<Shape>(grid, tables, z, y8, x, 0);
  const auto each = [&](u32 rows, int dz_left, int dy_left, int dz_right, int dy_right) {
    for (rows &= rows_wanted << 1; rows != 0; rows &= rows - 1) {
      const i32 y = y8 * 8 + __ffs(rows) - 2;
      unite.edges(z + dz_left, y + dy_left, z + dz_right, y + dy_right, x);
    }
  };
  u32 straight = left & right & ~((left & right) << 1);
  const u32 other_left = Shape::rank == 3 ? edge_rows<Shape>(grid, tables, z - 1, y8, x - 1, 1) : 0;
  const u32 other_right = Shape::rank == 3 ? edge_rows<Shape>(grid, tables, z - 1, y8, x, 0) : 0;
  if constexpr (Shape::rank == 3) straight &= ~(other_left & other_right);
  each(straight, 0, 0, 0, 0);
  // Corners between these rows and `far_left`, `far_right`, the rows at (dz, dy) brought to the same bits.
  const auto corners = [&](u32 far_left, u32 far_right, int dz, int dy) {
    each(right & far_left & ~left & ~far_right, dz, dy, 0, 0);
    each(left & far_right & ~right & ~far_left, 0, 0, dz, dy);
  };
  if constexpr (Shape::axes > 1) corners(left << 1, right << 1, 0, -1);
  if constexpr (Shape::axes > 1 && Shape::rank == 3) corners(other_left, other_right, -1, 0);
  if constexpr (Shape::axes > 2) {
    corners(other_left << 1, other_right << 1, -1, -1);
    corners(other_left >> 1, other_right >> 1, -1, 1);
  }
}

// ---- block: 4 x 4 tiles ---------------------------------------------------------------------------

inline constexpr int patch_side = 4;  // tiles
inline constexpr int patch_tiles = patch_side * patch_side;

inline constexpr u32 patch_pairs = 2048;  // 48 words and 96 edge bytes give less

/// Sets in shared memory. A word is the parent's place in the patch, then its slot: smaller words are earlier pixels.
struct patch_sets {
  static constexpr u32 slot_bits = 12;
  block_words parent;
  __device__ static u32 slot_of(u32 word) { return word & ((1u << slot_bits) - 1); }
  __device__ void unite(u32 a, u32 b) const { unite_by_splicing(parent, a, b, slot_of); }
};

/// Collects the pairs of a patch, so that the loads that follow are dealt evenly to threads.
template <class Shape>
struct patch_pair_list {
  const tiling& grid;
  tile_place corner;
  u32* pairs;
  u32* count;

  __device__ void runs(u32 tile, u32 run, u32, u32 run_above) const {
    const tile_place at = tile_place::of(grid, tile);
    push((at.y - corner.y) << 26 | (at.x - corner.x) << 24 | run << 12 | run_above);
  }
  __device__ void edges(i32, i32 y_left, i32, i32 y_right, i32 x) const {
    const i32 top = corner.y * Shape::height;
    if (y_left < top || y_right < top) return;  // across the patch's upper border: left to the grid
    push(1u << 31 | (x - corner.x) << 24 | (y_left - top) << 12 | (y_right - top));
  }
  template <class Tables>
  __device__ void unite(u32 pair, const Tables& tables, const patch_sets& sets) const {
    const i32 x = corner.x + (pair >> 24 & 3), high = pair >> 12 & 0xfff, low = pair & 0xfff;
    if (pair >> 31) {
      const i32 top = corner.y * Shape::height;
      const border_component left = component_at_edge<Shape>(grid, tables, corner.z, top + high, x - 1, 1);
      const border_component right = component_at_edge<Shape>(grid, tables, corner.z, top + low, x, 0);
      sets.unite(slot(high / Shape::height, x - 1 - corner.x, left.number),
                 slot(low / Shape::height, x - corner.x, right.number));
    } else {
      const i32 y = pair >> 26 & 3;
      const u32 tile = tile_at<Shape>(grid, {corner.z, corner.y + y, x}), above = tile - grid.tiles_x;
      sets.unite(slot(y, x - corner.x, component_of_run<Shape>(tables, tile, high).number),
                 slot(y - 1, x - corner.x, component_of_run<Shape>(tables, above, low).number));
    }
  }
  __device__ static u32 slot(u32 y, u32 x, u32 number) {
    return (y * patch_side + x) * Shape::border_capacity + number;
  }

 private:
  __device__ void push(u32 pair) const { pairs[atomicAdd(count, 1u)] = pair; }
};

// ---- grid -----------------------------------------------------------------------------------------

template <class Shape>
struct image_sets {
  const tiling& grid;
  const label_tables& tables;
  device_words parent;
  __device__ image_sets(const tiling& g, const label_tables& t) : grid(g), tables(t), parent{t.parent} {}

  __device__ static u32 node_of(border_component c) { return c.tile * Shape::border_capacity + c.number; }
  __device__ pixel_place place(u32 node) const {
    const u32 tile = node / Shape::border_capacity, number = node % Shape::border_capacity;
    return pixel_place::of<Shape>(grid, tile_place::of(grid, tile),
                                  tables.first[u64{tile} * Shape::run_capacity + number]);
  }
  __device__ void runs(u32 tile, u32 run, u32 other, u32 other_run) const {
    unite(node_of(component_of_run<Shape>(tables, tile, run)),
          node_of(component_of_run<Shape>(tables, other, other_run)));
  }
  __device__ void edges(i32 z_left, i32 y_left, i32 z_right, i32 y_right, i32 x) const {
    unite(node_of(component_at_edge<Shape>(grid, tables, z_left, y_left, x - 1, 1)),
          node_of(component_at_edge<Shape>(grid, tables, z_right, y_right, x, 0)));
  }
  __device__ void unite(u32 a, u32 b) const {
    unite_climbing_both(parent, a, b, [&](u32 one, u32 other) { return place(one).order() < place(other).order(); });
  }
};

}  // namespace skerry::label_stages::on_device

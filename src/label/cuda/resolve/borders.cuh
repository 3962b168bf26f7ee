// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA: the pairs of components that touch across a border of two tiles. By one thread: a piece of a border of rows, or of
// one of columns.
//
// Reads   bits, edges, prefix, component
// Calls   unite.runs() or unite.edges() for each pair
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
  __host__ __device__ static i32 count(const tiling& grid) {
    return Shape::rank == 2 ? grid.tiles_y * 8 : grid.tiles_y;
  }
};

/// Pixels of a column of a tile: bits 1…8 are rows 8 y8 … 8 y8 + 7 of slice z, bit 0 the row before, bit 9 the row after.
template <class Shape>
__device__ u32 edge_rows(const tiling& grid, const label_tables& tables, i32 z, i32 y8, i32 x, int side) {
  if (z < 0) return 0;
  const auto byte = [&](i32 y) -> u32 {
    if (y < 0 || y >= edge_byte<Shape>::count(grid)) return 0;
    const edge_byte<Shape> at = edge_byte<Shape>::of(grid, z, y, x);
    return tables.edge(at.tile, side, at.byte);
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

// ---- thread: a piece of any border ------------------------------------------------------------------

/// The borders of each tile to its neighbours above, in front and to the left, in pieces, each for one thread. A tile has no more pieces than
/// border_capacity, and tiling_of() refuses images with 2^32 border components.
template <class Shape>
class tile_borders {
 public:
  /// In planes `pixels`, 2, 4 or 8, are a piece of a border of rows, and half as many rows one of a border of columns. In
  /// volumes it is a word of a group of rows, and eight rows.
  __host__ __device__ tile_borders(const tiling& grid, u32 pixels)
      : grid_(grid), pixels_(Shape::rank == 2 ? pixels : Shape::word_bits), rows_(Shape::rank == 2 ? pixels / 2 : 8) {}

  [[nodiscard]] __host__ __device__ u32 row_pieces() const { return grid_.tiles * row_pieces_of_tile(); }
  [[nodiscard]] __host__ __device__ u32 column_pieces() const {
    return grid_.tiles_x == 1 ? 0 : grid_.tiles * column_pieces_of_tile();
  }

  template <class Unite>
  __device__ void merge_row_piece(const label_tables& tables, u32 k, const Unite& unite) const {
    const u32 tile = k / row_pieces_of_tile(), place = k - tile * row_pieces_of_tile();
    const u32 x = place * pixels_ % tile_width, border = place * pixels_ / tile_width;
    int group = border;  // in planes, and in the first slices of a tile; in others those at its upper and lower border
    if (border >= Shape::groups_y) {
      const u32 later = border - Shape::groups_y, z = 1 + later / border_groups_of_slices;
      group = z * Shape::groups_y + later % border_groups_of_slices * (Shape::groups_y - 1);
    }
    const auto mask = static_cast<typename Shape::word>((u64{1} << pixels_) - 1);
    merge_rows<Shape>(grid_, tables, tile_place::of(grid_, tile), group, x / Shape::word_bits,
                      mask << x % Shape::word_bits, unite);
  }
  template <class Unite>
  __device__ void merge_column_piece(const label_tables& tables, u32 k, const Unite& unite) const {
    const u32 tile = k / column_pieces_of_tile(), row = (k - tile * column_pieces_of_tile()) * rows_, byte = row / 8;
    const tile_place at = tile_place::of(grid_, tile);
    if (at.x == 0) return;
    const bool plane = Shape::rank == 2;
    const i32 z = plane ? at.z : at.z * Shape::depth + byte, y8 = plane ? at.y * (Shape::height / 8) + byte : at.y;
    merge_columns<Shape>(grid_, tables, z, y8, at.x, ((1u << rows_) - 1) << row % 8, unite);
  }

 private:
  // An earlier group can lie in the tile above, and diagonally in the one below.
  static constexpr u32 border_groups_of_slices = Shape::earlier_groups > 2 ? 2 : 1;
  static constexpr u32 border_groups =
      Shape::rank == 2 ? 1 : Shape::groups_y + (Shape::groups_z - 1) * border_groups_of_slices;
  static_assert(border_groups * tile_width / (Shape::rank == 2 ? 2 : Shape::word_bits) <= Shape::border_capacity);
  static_assert(tile_rows <= Shape::border_capacity);
  [[nodiscard]] __host__ __device__ u32 row_pieces_of_tile() const { return border_groups * tile_width / pixels_; }
  [[nodiscard]] __host__ __device__ u32 column_pieces_of_tile() const { return tile_rows / rows_; }

  const tiling& grid_;
  u32 pixels_, rows_;
};

}  // namespace skerry::label_stages::on_device

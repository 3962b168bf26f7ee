// SPDX-License-Identifier: Apache-2.0
// Border max-trees: what merging tiles that lie one above the other can change, the pixels of their upper and lower borders
// and all nodes below these. Those of a column of tiles lie together, in the order in which blocks are ready.
//
// Method  [Blin2021], chapter 6
#pragma once
#include "published/cuda/parent_links.cuh"

namespace skerry::published {

// Nodes of a tile: first the pixels of the upper border, then those of the lower, then what is below them.
struct border_tables {
  u32* places;  // raster indices of the nodes of each tile, in the order of tiles
  // The same by columns of tiles, without gaps, and the parent and level of each; numbers count from the column's first.
  u32 *column_places, *parents;
  u8* levels;
  u32* first_of_tile;    // where the nodes of a tile begin in those of its column
  u32* sizes_of_column;  // so far
  u32 height;            // of the image

  [[nodiscard]] __device__ u64 begin_of_column(u32 column) const { return u64{column} * tile_cells::width * height; }
};

// In shared memory, besides the cells.
struct border_of_tile {
  u16 parents[tile_cells::pixels];  // of nodes of the border
  u32 nodes, begin;
};

// Which borders of a tile touch others, and where the tile lies.
struct tile_place {
  u32 number, column, x, y, width, height;
  bool has_upper, has_lower;
};

// A thread's way from a pixel of a border down to where others have been. In a cell that was visited, `visited` is set and
// the bits of the parent are the number of the node; the parent is kept by the one thread that goes on to it.
struct border_walk {
  static constexpr u32 visited = tile_cells::node_bits + 1;
  static constexpr u16 none = 0xffff;
  u32 node, next;  // a node of the border, and its parent in the tile

  // The border's own pixels have their numbers before anybody walks.
  __device__ static border_walk begin(const tile_cells& cells, u32 pixel, u32 node) {
    const border_walk walk{node, tile_cells::parent(cells.load(pixel))};
    cells.store(pixel, visited | node);
    return walk;
  }
  __device__ void run(const tile_cells& cells, border_of_tile& border, u32* places, const tile_place& tile,
                      u32 image_width) {
    while (next != tile_cells::root) {
      if ((cells.load(next) & visited) != 0) return;
      const u32 old = atomicOr(cells.cells.words + tile_cells::place(next), visited);
      if ((old & visited) != 0) return;
      const u32 number = atomicAdd(&border.nodes, 1);
      border.parents[node] = static_cast<u16>(number);
      places[number] = (tile.y + (next >> 8)) * image_width + tile.x + (next & 255);
      cells.store(next, visited | number);
      node = number;
      next = tile_cells::parent(old);
    }
  }
  // When all have run.
  __device__ void end(const tile_cells& cells, border_of_tile& border) const {
    border.parents[node] = next == tile_cells::root ? none : static_cast<u16>(cells.load(next) & tile_cells::node_bits);
  }
};

// Of all threads of a block, one for each column of the tile. Cells are used up.
__device__ inline void extract_border(const tile_cells& cells, border_of_tile& border, u32* places,
                                      const tile_place& tile, u32 image_width) {
  const u32 x = threadIdx.x;
  const bool goes_up = tile.has_upper && x < tile.width, goes_down = tile.has_lower && x < tile.width;
  border_walk from_upper{}, from_lower{};
  if (x == 0) border.nodes = (tile.has_upper ? tile.width : 0) + (tile.has_lower ? tile.width : 0);
  if (goes_up) {
    from_upper = border_walk::begin(cells, tile_cells::node(x, 0), x);
    places[x] = tile.y * image_width + tile.x + x;
  }
  if (goes_down) {
    const u32 node = x + (tile.has_upper ? tile.width : 0);
    from_lower = border_walk::begin(cells, tile_cells::node(x, tile.height - 1), node);
    places[node] = (tile.y + tile.height - 1) * image_width + tile.x + x;
  }
  __syncthreads();
  if (goes_up) from_upper.run(cells, border, places, tile, image_width);
  if (goes_down) from_lower.run(cells, border, places, tile, image_width);
  __syncthreads();
  if (goes_up) from_upper.end(cells, border);
  if (goes_down) from_lower.end(cells, border);
}

// Writes the border max-tree behind those of its column that are there. Of all threads of a block.
__device__ inline void compress_border(border_of_tile& border, const border_tables& tables, const u32* places,
                                       const tile_place& tile, const u8* levels) {
  if (threadIdx.x == 0) {
    border.begin = atomicAdd(tables.sizes_of_column + tile.column, border.nodes);
    tables.first_of_tile[tile.number] = border.begin;
  }
  __syncthreads();
  const u64 begin = tables.begin_of_column(tile.column) + border.begin;
  for (u32 i = threadIdx.x; i < border.nodes; i += blockDim.x) {
    const u16 parent = border.parents[i];
    tables.parents[begin + i] = parent == border_walk::none ? no_parent : border.begin + parent;
    tables.column_places[begin + i] = places[i];
    tables.levels[begin + i] = levels[places[i]];
  }
}

}  // namespace skerry::published

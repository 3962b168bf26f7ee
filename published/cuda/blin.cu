// SPDX-License-Identifier: Apache-2.0
// Max-trees by tiles: each column of a tile by a method for one dimension, columns and then tiles joined by a concurrent
// union-find; and the variant that joins tiles by their border max-trees.
//
//   tile construction            a block for each tile, a thread for each column; with borders, these as well
//   horizontal merge             tiles that lie one above the other, a thread for each pair of pixels
//   global parent image update   of the borders that were merged, back to the image
//   vertical merge               columns of tiles
//   flatten                      each pixel hangs on the root of its level, and that on the root of the one below
//
// Method  [Blin2021]
#include <algorithm>

#include "published/cuda/border_tree.cuh"
#include "published/cuda/tree_task.hpp"

namespace skerry::published {
namespace {

constexpr u32 threads = 128;

struct tiled_image {
  const u8* levels;
  u32* parents;
  u32 width, height, columns, rows;  // columns and rows of tiles

  explicit tiled_image(const device_tree_task& work)
      : levels(work.levels), parents(work.parents), width(work.width), height(work.height),
        columns(blocks_of(work.width, tile_cells::width)), rows(blocks_of(work.height, tile_cells::height)) {}
  [[nodiscard]] u64 pixels() const { return u64{width} * height; }
  [[nodiscard]] __device__ tile_place tile(u32 number) const {
    const u32 column = number % columns, row = number / columns;
    const u32 x = column * tile_cells::width, y = row * tile_cells::height;
    return {number,  column,        x, y, min(tile_cells::width, width - x), min(tile_cells::height, height - y),
            row > 0, row + 1 < rows};
  }
  [[nodiscard]] __device__ device_parents trees() const { return {levels, {parents}}; }
};

__device__ u64 this_thread() { return u64{blockIdx.x} * threads + threadIdx.x; }

// ---- tiles ------------------------------------------------------------------------------------------------------------

// The last pixels of the levels below the current one are a stack, each linked to the next below: these are the parents
// that they keep if nothing between comes.
class column_builder {
 public:
  __device__ column_builder(const tile_cells& cells, u32 first, u32 level) : cells_(cells), at_(first), level_(level) {}

  __device__ void add(u32 pixel, u32 level) {
    if (level_ < level) {
      hang_on_top(at_, level_);
      top_ = at_, level_of_top_ = level_;
      at_ = pixel, level_ = level;
      return;
    }
    while (level_ > level && top_ != tile_cells::root && level_of_top_ >= level) {
      hang_on_top(at_, level_);
      at_ = top_, level_ = level_of_top_;
      const u32 link = cells_.load(top_);
      top_ = tile_cells::parent(link);
      level_of_top_ = tile_cells::level_of_parent(link);
    }
    if (level_ == level) {
      hang(pixel, level, at_, level_);
    } else {
      hang(at_, level_, pixel, level);
      at_ = pixel, level_ = level;
    }
  }
  __device__ void end() { hang_on_top(at_, level_); }

 private:
  __device__ void hang(u32 pixel, u32 level, u32 parent, u32 level_of_parent) {
    cells_.store(pixel, tile_cells::cell(level, parent, level_of_parent));
  }
  __device__ void hang_on_top(u32 pixel, u32 level) { hang(pixel, level, top_, level_of_top_); }

  const tile_cells& cells_;
  u32 at_, level_;
  u32 top_ = tile_cells::root, level_of_top_ = 0;
};

__device__ void build_column(const tile_cells& cells, const u8* levels, u32 image_width, u32 x, u32 height) {
  column_builder column(cells, tile_cells::node(x, 0), levels[0]);
  for (u32 y = 1; y < height; ++y) column.add(tile_cells::node(x, y), levels[u64{y} * image_width]);
  column.end();
}

// In the tile, and to the image.
__device__ void flatten_column(const tile_cells& cells, const tiled_image& image, const tile_place& tile, u32 x) {
  for (u32 y = 0; y < tile.height; ++y) {
    const u32 pixel = tile_cells::node(x, y), link = cells.load(pixel);
    u32 parent = no_parent;
    if (!tile_cells::is_root(link)) {
      const u32 level = tile_cells::level_of_parent(link);
      const u32 below = find_peak_root(cells, tile_cells::parent(link), level, level).at;
      cells.store(pixel, tile_cells::cell(link >> 24, below, level));
      parent = (tile.y + (below >> 8)) * image.width + tile.x + (below & 255);
    }
    image.parents[u64{tile.y + y} * image.width + tile.x + x] = parent;
  }
}

template <bool HasBorders>
__global__ void __launch_bounds__(tile_cells::width) build_tiles(tiled_image image, border_tables tables) {
  __shared__ u32 memory[tile_cells::pixels];
  const tile_cells cells{{memory}};
  const tile_place tile = image.tile(blockIdx.x);
  const u32 x = threadIdx.x;
  if (x < tile.width)
    build_column(cells, image.levels + u64{tile.y} * image.width + tile.x + x, image.width, x, tile.height);
  __syncthreads();
  if (x + 1 < tile.width)
    for (u32 y = 0; y < tile.height; ++y) unite(cells, tile_cells::node(x, y), tile_cells::node(x + 1, y));
  __syncthreads();
  if (x < tile.width) flatten_column(cells, image, tile, x);
  if constexpr (HasBorders) {
    __shared__ border_of_tile border;
    u32* const places = tables.places + u64{tile.number} * tile_cells::pixels;
    __syncthreads();
    extract_border(cells, border, places, tile, image.width);
    compress_border(border, tables, places, tile, image.levels);
  }
}

// ---- merging ----------------------------------------------------------------------------------------------------------

// Pairs of pixels number `i` along a line.
__global__ void merge_horizontally(tiled_image image, u64 pairs) {
  const u64 i = this_thread();
  if (i >= pairs) return;
  const auto x = static_cast<u32>(i % image.width), line = static_cast<u32>(i / image.width);
  const u32 lower = (line + 1) * tile_cells::height * image.width + x;
  unite(image.trees(), lower - image.width, lower);
}

__global__ void merge_borders(tiled_image image, border_tables tables, u64 pairs) {
  const u64 i = this_thread();
  if (i >= pairs) return;
  const auto x = static_cast<u32>(i % image.width), line = static_cast<u32>(i / image.width);
  const tile_place upper = image.tile(line * image.columns + x / tile_cells::width);
  const u64 begin = tables.begin_of_column(upper.column);
  const u32 inside = x - upper.x;
  const u32 a = tables.first_of_tile[upper.number] + (upper.has_upper ? upper.width : 0) + inside;
  const u32 b = tables.first_of_tile[upper.number + image.columns] + inside;
  unite(device_parents{tables.levels + begin, {tables.parents + begin}}, a, b);
}

// A column of tiles for each x of the grid.
__global__ void commit_borders(tiled_image image, border_tables tables) {
  const u64 begin = tables.begin_of_column(blockIdx.x);
  const u32* const parents = tables.parents + begin;
  const u32* const places = tables.column_places + begin;
  const u32 size = tables.sizes_of_column[blockIdx.x];
  for (u32 i = blockIdx.y * threads + threadIdx.x; i < size; i += threads * gridDim.y)
    image.parents[places[i]] = parents[i] == no_parent ? no_parent : places[parents[i]];
}

__global__ void merge_vertically(tiled_image image, u64 pairs) {
  const u64 i = this_thread();
  if (i >= pairs) return;
  const auto y = static_cast<u32>(i % image.height), line = static_cast<u32>(i / image.height);
  const u32 right = y * image.width + (line + 1) * tile_cells::width;
  unite(image.trees(), right - 1, right);
}

// The others only move links within levels.
__global__ void flatten(tiled_image image, u64 pixels) {
  const u64 i = this_thread();
  if (i >= pixels) return;
  const device_parents trees = image.trees();
  const auto pixel = static_cast<u32>(i);
  const u32 parent = trees.load(pixel);
  if (parent == no_parent) return;
  const u32 level = trees.level(parent);
  trees.store(pixel, find_peak_root(trees, parent, level, level).at);
}

// ---- both variants ------------------------------------------------------------------------------------------------------

void finish(const device_tree_task& work, const tiled_image& image) {
  work.phase("vertical merge", [&] {
    const u64 pairs = u64{image.columns - 1} * image.height;
    if (pairs != 0) merge_vertically<<<blocks_of(pairs, threads), threads, 0, work.stream>>>(image, pairs);
  });
  work.phase("flatten",
             [&] { flatten<<<blocks_of(image.pixels(), threads), threads, 0, work.stream>>>(image, image.pixels()); });
}

u64 pairs_between_rows(const tiled_image& image) { return u64{image.rows - 1} * image.width; }

border_tables take_tables(const device_tree_task& work, const tiled_image& image) {
  const u64 tiles = u64{image.columns} * image.rows;
  const u64 in_columns = u64{image.columns} * tile_cells::width * image.height;
  border_tables tables{};
  tables.places = work.memory.take<u32>(tiles * tile_cells::pixels, "the borders");
  tables.column_places = work.memory.take<u32>(in_columns, "the borders");
  tables.parents = work.memory.take<u32>(in_columns, "the borders");
  tables.levels = work.memory.take<u8>(in_columns, "the borders");
  tables.first_of_tile = work.memory.take<u32>(tiles, "the borders");
  tables.sizes_of_column = work.memory.take<u32>(image.columns, "the borders");
  tables.height = image.height;
  return tables;
}

}  // namespace

device_tree_answer blin(const device_tree_task& work) {
  const tiled_image image(work);
  work.phase("tile construction",
             [&] { build_tiles<false><<<image.columns * image.rows, tile_cells::width, 0, work.stream>>>(image, {}); });
  work.phase("horizontal merge", [&] {
    const u64 pairs = pairs_between_rows(image);
    if (pairs != 0) merge_horizontally<<<blocks_of(pairs, threads), threads, 0, work.stream>>>(image, pairs);
  });
  finish(work, image);
  return {};
}

device_tree_answer blin_border(const device_tree_task& work) {
  const tiled_image image(work);
  const border_tables tables = take_tables(work, image);
  work.phase("tile construction", [&] {
    check_cuda(cudaMemsetAsync(tables.sizes_of_column, 0, image.columns * sizeof(u32), work.stream),
               "tile construction");
    build_tiles<true><<<image.columns * image.rows, tile_cells::width, 0, work.stream>>>(image, tables);
  });
  work.phase("horizontal merge", [&] {
    const u64 pairs = pairs_between_rows(image);
    if (pairs != 0) merge_borders<<<blocks_of(pairs, threads), threads, 0, work.stream>>>(image, tables, pairs);
  });
  work.phase("global parent image update", [&] {
    constexpr u32 pixels_of_a_thread = 16;  // of which a fifth are nodes of borders
    const u32 parts = blocks_of(u64{tile_cells::width} * image.height, threads * pixels_of_a_thread);
    commit_borders<<<dim3(image.columns, std::min(parts, 64U)), threads, 0, work.stream>>>(image, tables);
  });
  finish(work, image);
  return {tables.sizes_of_column, image.columns, u64{image.columns} * image.rows};
}

}  // namespace skerry::published

// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: how it is cut, and what the blocks tell each other in device memory.
//
// One kernel runs all stages, by a cooperative launch. A block keeps its tile in shared memory from the first pixel to the last
// label, so the tables of tiles (tiles/tiling.cuh) are neither written nor read: blocks tell each other their borders, which
// components are one, how many there are, and labels.
#pragma once
#include "label/cuda/resolve/kernel.cuh"
#include "label/cuda/tiles/memory.cuh"

namespace skerry::label_stages::on_device {

inline constexpr i32 resident_most_columns = 32;  // tiles beside each other
inline constexpr u32 no_border_component = 255;

/// A tile with more threads: each has a narrower word of a group of rows, because few tiles have processors of their own, and
/// what a thread does with its word one by one is what everyone waits for.
template <int Connectivity, class Word>
struct resident_shape : tile_shape<Connectivity> {
  using base = tile_shape<Connectivity>;
  using word = Word;
  static constexpr int word_bits = 8 * sizeof(word), words = tile_width / word_bits;
  static constexpr int group_words = base::groups * words;
  static constexpr int prefix_pitch = group_words + 4;
};

/// In the caller's scratch memory. A label, for which a block waits without a barrier, is 0 until it is known.
struct resident_tables {
  u64* parent;   // [tile][border_capacity] first pixel of the parent << 32 | parent: smaller words are earlier pixels
  u8* bottom;    // [tile][128] the border component of each pixel of the last row
  u8* right;     // [tile][64] the same of the last column
  u32* in_rows;  // [row of tiles][16][tile] a byte for each row of a tile: components whose first pixel is there
  counts_apart in_band;  // [row of tiles] the same of all its tiles
  u32* labels;           // [tile][border_capacity] of components of the frame
  geometry* features;    // [tile][border_capacity]

  /// The place in `in_rows` of four rows of a tile, one of which is row `y` of the frame.
  __device__ static u32 four_rows(const tiling& grid, i32 column, u32 y) { return y / 4 * grid.tiles_x + column; }
};

template <class Shape, class Features>
struct resident_memory {
  local_memory<Shape, Features> tile;
  u32 warp_total[32];
  u16 border_run[Shape::border_capacity];   // the root of each border component
  u32 root_node[Shape::border_capacity];    // the component of the frame that it belongs to
  u32 in_row[tile_rows];                    // components whose first pixel is in a row, of the tile and those beside it
  u32 left[tile_rows];                      // of those on the left
  counts_apart::sums bands;                 // in rows of tiles before, and in all
  u32 before_word[tile_rows * tile_words];  // components of the frame before each 32 pixels of the tile
  std::conditional_t<Features::wanted, feature_cache<Shape, Features>, u32> cache;
  u64 staged[Features::wanted ? Shape::group_words * (sizeof(geometry) / 8) : 1];  // rows on their way
};

/// A pixel of the frame, as the upper half of a word of `parent`.
struct pixel_order {
  static constexpr int bits_of_x = 12;
  static_assert(resident_most_columns * tile_width <= 1 << bits_of_x);
  u32 y, x;
  __device__ static pixel_order of(u64 word) {
    const u32 both = static_cast<u32>(word >> 32);
    return {both >> bits_of_x, both & ((1u << bits_of_x) - 1)};
  }
  __device__ u64 word(u32 node) const { return u64{y << bits_of_x | x} << 32 | node; }
};

/// Sets of border components of all tiles: words with places, so that earlier pixels have smaller ones.
struct resident_sets {
  words_of_device<u64> parent;
  __device__ static u64 node_of(u64 word) { return word & 0xffffffffu; }
  __device__ u64 load(u64 node) const { return parent.load(node); }
  __device__ void store(u64 node, u64 above) const { parent.store(node, above); }
  __device__ u64 lower(u64 node, u64 above) const { return parent.lower(node, above); }
};

}  // namespace skerry::label_stages::on_device

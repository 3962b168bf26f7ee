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

/// In the caller's scratch memory. What a block waits for without a barrier is 0 until it is known.
struct resident_tables {
  u64*
      parent;  // [tile][border_capacity] place of the parent's first pixel << 32 | parent: smaller words are earlier pixels
  u8* bottom;          // [tile][128] the border component of each pixel of the last row
  u8* right;           // [tile][64] the same of the last column
  u32* counts;         // [tile][16] a byte for each row: 1 + the components of the frame whose first pixel is there
  u32* totals;         // [tile][2] 1 + the components of each half of the rows
  u32* labels;         // [tile][border_capacity] of components of the frame
  geometry* features;  // [tile][border_capacity]
};

template <class Shape, class Features>
struct resident_memory {
  local_memory<Shape, Features> tile;
  u32 warp_total[32];
  u16 border_run[Shape::border_capacity];   // the root of each border component
  u32 root_node[Shape::border_capacity];    // the component of the frame that it belongs to
  u32 counts[resident_most_columns * 16];   // of the tiles beside this one
  u32 before_word[tile_rows * tile_words];  // components of the frame before each 32 pixels of the tile
  u32 before, all;
  std::conditional_t<Features::wanted, feature_cache<Shape, Features>, u32> cache;
  u64 staged[Features::wanted ? Shape::group_words * (sizeof(geometry) / 8) : 1];  // rows on their way
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

// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: how it is cut, and what the blocks tell each other in device memory.
//
// One kernel labels a frame whose tiles all run at once. Tiles are small, and a thread has one pixel, or two: such frames keep no
// processor busy, and what a thread does with several pixels one by one is what everyone waits for.
#pragma once
#include "label/cuda/tiles/encode.cuh"

namespace skerry::label_stages::on_device {

inline constexpr int pixel_side = 32;  // of a tile: a warp has a row
inline constexpr int pixel_threads = pixel_side * pixel_side;
inline constexpr u32 pixel_most_rows = 1024, pixel_most_columns = 32;
inline constexpr u32 pixel_most_tiles = 640;  // above what devices run at once: it limits the scratch of other frames
inline constexpr u32 no_pixel = ~0u;

/// A pixel's place in the frame is 32 times the place of its word, and its bit: smaller places are earlier pixels.
struct pixel_grid {
  extent_of_frame frame;
  u32 columns;  // tiles beside each other, and words of a row
  u32 tiles;
  divisor by_columns;

  __device__ u32 bands() const { return (static_cast<u32>(frame.height) + pixel_side - 1) / pixel_side; }
  __device__ u32 place(u32 y, u32 column, u32 bit) const { return (y * columns + column) * 32 + bit; }
};

/// In the caller's scratch memory.
struct pixel_tables {
  u32* parent;  // [place / 2] of components of tiles, at their first pixels: two neighbours are never both one
  u32* labels;  // [place / 2] of components at sides of tiles, by their first pixels in the frame; 0 until it is known
  u32* bottom;  // [tile][32] the component of each pixel of the last row, by the place of its first pixel; or no_pixel
  u32* right;   // [tile][32] the same of the last column
  u32* firsts;  // [row][columns] bits at first pixels
  counts_apart in_band;  // [row of tiles] how many there are in it
  u32* united;           // [tile] 1 when a tile has united its components with those across
  u32* components;       // [tile] how many it has
};

enum class tile_side { top, left, bottom, right };  // the number of the warp that has it

struct pixel_memory {
  u32 rows[pixel_side + 1];   // bits; before the first row is one without pixels
  u32 parent[pixel_threads];  // of runs, at their first pixels; then labels
  u32 sides[4][pixel_side];   // components of pixels there, by their first pixels in the tile; or no_pixel
  u32 in_row[pixel_side];     // first pixels, of components of the tile; then of those of the frame, in whole rows
  counts_apart::sums bands;   // components of the frame: in rows of tiles before, and in all
};

/// Sums of the components of a tile, each at half the place of its first pixel: two neighbours are never both first pixels.
struct pixel_sums {
  static constexpr int capacity = pixel_threads / 2, sides = 4 * pixel_side;
  u32 area_x[capacity], y[capacity], columns[capacity], rows[capacity];  // square_sums
  u32 with_row[sides];  // a row of the table and, in the lowest bits, the first component of the tile that has it
};
template <class Features>
struct pixel_memory_with : pixel_memory {
  std::conditional_t<Features::wanted, pixel_sums, u32> sums;
};

/// Sets of components of all tiles.
struct pixel_sets {
  device_words parent;
  __device__ u32 load(u32 place) const { return parent.load(place / 2); }
  __device__ void store(u32 place, u32 above) const { parent.store(place / 2, above); }
  __device__ u32 lower(u32 place, u32 above) const { return parent.lower(place / 2, above); }
};

/// Where the runs of 32 pixels touch those of the 32 across, each pair of runs once: by the pixel across, by the one before that or by
/// the one after it.
template <int Connectivity>
struct pixel_links {
  u32 across = 0, before = 0, after = 0;

  __device__ pixel_links(u32 here, u32 there) {
    const u32 both = here & there;
    across = both & ~(both << 1);
    if constexpr (Connectivity == 8) {
      before = here & ~there & there << 1 & ~(here << 1);
      after = here & ~there & there >> 1 & ~(here >> 1);
    }
  }
  [[nodiscard]] __device__ u32 any() const { return across | before | after; }
};

}  // namespace skerry::label_stages::on_device

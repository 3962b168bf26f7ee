// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the tree of one tile of 8-bit keys.
//
// Reads   keys of the tile
// Writes  the link of each pixel: the next lower pixel of the component that it completes
// Needs   at most 2^16 pixels, so that all that is known of them stays in the second-level cache
// Method  [Lukasczyk2024] basins first: each pixel points to a higher neighbour, so that it belongs to the basin of a
//         maximum. Where no two basins meet, a component grows pixel by pixel in sorted order, and needs no union-find;
//         where they meet, the sets of their maxima are joined [Carlinet2014].
#include <bit>
#include <cstring>
#include <utility>

#include "max_tree/cpu/basins.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Mask has a bit for each neighbour.
template <class Mask>
class tile_tree {
 public:
  tile_tree(const key_image<u8>& image, const tiling& tiles, const box& where, tile_scratch& scratch)
      : image_(image), where_(where), tile_(image.size, image.connectivity, tiles, where), keys_(scratch.keys.data()),
        up_(scratch.up.data()), link_(scratch.link.data()), set_of_(scratch.set_of.data()),
        order_(scratch.order.data()), sets_(scratch.sets.data()),
        meeting_(static_cast<Mask*>(static_cast<void*>(scratch.meeting.data()))) {}

  void solve(u32* link) {
    load();
    climb(tile_, keys_, static_cast<u8*>(static_cast<void*>(order_)), up_);
    find_basins(tile_, up_);
    number_basins(tile_, up_, link_, set_of_, sets_, [](int cell, u16 set) {
      return tile_scratch::set{static_cast<u16>(cell), 1, set};
    });
    find_meetings(tile_, keys_, up_, static_cast<u8*>(static_cast<void*>(order_)), meeting_);
    sort();
    sweep();
    find_firsts();
    write(link);
  }

 private:
  // In `order`: the cell, above it its basin, and whether others meet there.
  static constexpr int basin_shift = 16;
  static constexpr u32 cell_mask = (1u << basin_shift) - 1, meets = 1u << 31;

  void load();   // the keys of the tile
  void sort();   // order: all cells, from the lowest to the highest
  void sweep();  // link, within the tile
  u32 meet(u32 cell, u32 set);
  void find_firsts();  // up: the first cell of the node
  void write(u32* link) const;

  const key_image<u8>& image_;
  const box& where_;
  tile_shape tile_;
  u8* keys_;
  u16 *up_, *link_, *set_of_;
  u32* order_;
  tile_scratch::set* sets_;
  Mask* meeting_;
};

template <class Mask>
void tile_tree<Mask>::load() {
  tile_.each_row([&](int at, int z, int y) {
    std::memcpy(keys_ + at, image_.keys + where_.pixel(image_.size, z, y), static_cast<std::size_t>(tile_.width()));
  });
}

template <class Mask>
void tile_tree<Mask>::sort() {
  u32 places[256] = {};
  tile_.each_row([&](int at, int, int) {
    for (int x = 0; x < tile_.width(); ++x) ++places[keys_[at + x]];
  });
  u32 place = 0;
  for (u32& here : places) {
    const u32 counted = here;
    here = place;
    place += counted;
  }
  tile_.each_row([&](int at, int, int) {
    for (int cell = at; cell < at + tile_.width(); ++cell)
      order_[places[keys_[cell]]++] =
          static_cast<u32>(cell) | static_cast<u32>(up_[cell]) << basin_shift | (meeting_[cell] != 0 ? meets : 0);
  });
}

// Joins the sets around a cell; returns the one they have become.
template <class Mask>
u32 tile_tree<Mask>::meet(u32 cell, u32 set) {
  for (u32 others = meeting_[cell]; others != 0; others &= others - 1) {
    u32 other = set_of_[up_[cell + static_cast<u32>(tile_.offset(std::countr_zero(others)))]];
    if (other == set) continue;
    link_[sets_[other].last] = static_cast<u16>(cell);
    // The set of more maxima takes in the other.
    if (sets_[other].maxima > sets_[set].maxima) std::swap(other, set);
    sets_[set].maxima = static_cast<u16>(sets_[set].maxima + sets_[other].maxima);
    take_in(set, other, set_of_, sets_);
  }
  return set;
}

template <class Mask>
void tile_tree<Mask>::sweep() {
  for (int i = tile_.pixels() - 1; i >= 0; --i) {
    const u32 next = order_[i], cell = next & cell_mask;
    u32 set = set_of_[next >> basin_shift & (cell_mask >> 1)];
    link_[sets_[set].last] = static_cast<u16>(cell);
    if ((next & meets) != 0) set = meet(cell, set);
    sets_[set].last = static_cast<u16>(cell);
  }
  // The lowest cell of all, which nothing completes.
  const auto lowest = static_cast<u16>(order_[0] & cell_mask);
  link_[lowest] = lowest;
}

// Within a level, links lead back in raster order, to the first cell of the node at last: stages 3 and 4 walk along levels,
// not along cells.
template <class Mask>
void tile_tree<Mask>::find_firsts() {
  tile_.each_row([&](int at, int, int) {
    for (int p = at; p < at + tile_.width(); ++p) {
      // By masks: noise would mispredict which.
      const u32 to = link_[p], own = static_cast<u32>(p);
      const u32 is_first = static_cast<u32>(keys_[to] != keys_[p]) | static_cast<u32>(to == own);
      up_[p] = static_cast<u16>((own & (0 - is_first)) | (up_[to] & (is_first - 1)));
    }
  });
}

template <class Mask>
void tile_tree<Mask>::write(u32* link) const {
  const auto width = static_cast<u32>(image_.size.width), slice = width * static_cast<u32>(image_.size.height);
  const auto base = static_cast<u32>(where_.pixel(image_.size, 0, 0));
  const int row_shift = tile_.row_shift(), slice_shift = tile_.slice_shift();
  const u32 row_mask = (1u << row_shift) - 1, slice_mask = (1u << (slice_shift - row_shift)) - 1;
  tile_.each_row([&](int at, int z, int y) {
    u32* const out = link + where_.pixel(image_.size, z, y);
    for (int x = 0; x < tile_.width(); ++x) {
      const auto own = static_cast<u32>(at + x), is_first = static_cast<u32>(up_[own] == own);
      const u32 to = up_[(link_[own] & (0 - is_first)) | (own & (is_first - 1))];
      const u32 pixel = base + (to >> slice_shift) * slice + (to >> row_shift & slice_mask) * width + (to & row_mask);
      out[x] = pixel | is_first << 31;
    }
  });
}

}  // namespace

void local(const key_image<u8>& image, const tiling& tiles, std::size_t number, tile_scratch& scratch, u32* link) {
  scratch.reserve(tiles.pixels_of_tile(), image.connectivity > 8 ? 4 : 1);
  const box where = tiles.tile(number);
  if (image.connectivity > 8) tile_tree<u32>(image, tiles, where, scratch).solve(link);
  else tile_tree<u8>(image, tiles, where, scratch).solve(link);
}

}  // namespace skerry::tree_stages

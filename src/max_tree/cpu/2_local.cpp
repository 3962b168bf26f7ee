// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the tree of one tile of 8-bit keys.
//
// Reads   keys of the tile
// Writes  the link of each pixel: the next lower pixel of the component that it completes
// Needs   at most 2^16 pixels, so that all that is known of them stays in the second-level cache
// Method  [Lukasczyk2024] basins first: each pixel points to a higher neighbour, so that it belongs to the basin of a
//         maximum. Level by level, from the highest: where basins meet, the sets of their maxima are joined
//         [Carlinet2014]; then each pixel of the level belongs to the node of its basin's set. No pixel is a set by itself.
#include <algorithm>
#include <array>
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
        up_(scratch.up.data()), link_(scratch.link.data()), first_(scratch.first.data()),
        set_of_(scratch.set_of.data()), order_(scratch.order.data()), top_(scratch.top.data()),
        sets_(scratch.sets.data()), meeting_(static_cast<Mask*>(static_cast<void*>(scratch.meeting.data()))) {
    for (int direction = 0; direction < tile_.directions(); ++direction) offset_[direction] = tile_.offset(direction);
  }

  void solve(u32* link) {
    load();
    climb(tile_, keys_, static_cast<u8*>(static_cast<void*>(order_)), up_);
    find_basins(tile_, up_, link_);
    number_basins(tile_, up_, link_, set_of_, sets_, [this](int cell, u16 set) {
      top_[set] = static_cast<u32>(cell) | no_level << level_shift;
      return tile_scratch::set{1, set};
    });
    find_meetings(tile_, keys_, up_, static_cast<u8*>(static_cast<void*>(order_)), meeting_);
    sort();
    sweep();
    write(link);
  }

 private:
  // In `order`: the cell, above it its basin, and whether others meet there.
  static constexpr int basin_shift = 16;
  static constexpr u32 cell_mask = (1u << basin_shift) - 1, meets = 1u << 31;
  // In `top`: a cell, above it its level.
  static constexpr int level_shift = 16;
  static constexpr u32 levels = 256, no_level = levels;

  void load();   // the keys of the tile
  void sort();   // order: all cells, from the lowest to the highest
  void sweep();  // first, and the links of first cells
  void join(u32 begin, u32 end);
  void unite(u32 set, u32 other, u16 cell);
  void add(u32 level, u32 begin, u32 end);
  void write(u32* link) const;

  const key_image<u8>& image_;
  const box& where_;
  tile_shape tile_;
  u8* keys_;
  u16 *up_, *link_, *first_, *set_of_;
  u32 *order_, *top_;
  tile_scratch::set* sets_;
  Mask* meeting_;
  u32 begin_[levels + 1] = {};  // in `order`, of each level
  int offset_[32];              // of each direction
};

template <class Mask>
void tile_tree<Mask>::load() {
  tile_.each_row([&](int at, int z, int y) {
    std::memcpy(keys_ + at, image_.keys + where_.pixel(image_.size, z, y), static_cast<std::size_t>(tile_.width()));
  });
}

template <class Mask>
void tile_tree<Mask>::sort() {
  // Neighbours often have the same key: every second cell counts elsewhere, so that counts need not wait for each other.
  u32 counts[2][levels] = {};
  tile_.each_row([&](int at, int, int) {
    int x = 0;
    for (; x + 1 < tile_.width(); x += 2) {
      ++counts[0][keys_[at + x]];
      ++counts[1][keys_[at + x + 1]];
    }
    if (x < tile_.width()) ++counts[0][keys_[at + x]];
  });
  u32 places[levels];
  for (u32 level = 0; level < levels; ++level) {
    places[level] = begin_[level];
    begin_[level + 1] = begin_[level] + counts[0][level] + counts[1][level];
  }
  tile_.each_row([&](int at, int, int) {
    for (int cell = at; cell < at + tile_.width(); ++cell)
      order_[places[keys_[cell]]++] =
          static_cast<u32>(cell) | static_cast<u32>(up_[cell]) << basin_shift | (meeting_[cell] != 0 ? meets : 0);
  });
}

// Joins the sets of basins that meet at cells of a level, some cells at a time. Of most pairs of basins the sets have been joined before:
// those are sorted out without a branch. Each round looks at one neighbour of each cell.
template <class Mask>
void tile_tree<Mask>::join(u32 begin, u32 end) {
  struct pair {
    u16 one, other, cell;
  };
  constexpr u32 most = 512;
  std::array<u16, most> cells;
  std::array<pair, most> pairs;
  for (u32 from = begin; from < end; from += most) {
    u32 count = 0;
    for (u32 i = from; i < std::min(end, from + most); ++i) {
      cells[count] = static_cast<u16>(order_[i]);
      count += order_[i] >> 31;
    }
    while (count > 0) {
      u32 left = 0, apart = 0;
      for (u32 i = 0; i < count; ++i) {
        const u16 cell = cells[i];
        const u32 others = meeting_[cell], others_left = others & (others - 1);
        const u16 one = up_[cell], other = up_[cell + offset_[std::countr_zero(others)]];
        meeting_[cell] = static_cast<Mask>(others_left);
        cells[left] = cell;
        left += others_left != 0 ? 1 : 0;
        pairs[apart] = {one, other, cell};
        apart += set_of_[one] != set_of_[other] ? 1 : 0;
      }
      for (u32 i = 0; i < apart; ++i) unite(set_of_[pairs[i].one], set_of_[pairs[i].other], pairs[i].cell);
      count = left;
    }
  }
}

template <class Mask>
void tile_tree<Mask>::unite(u32 set, u32 other, u16 cell) {
  if (other == set) return;
  // The set of more maxima takes in the other.
  if (sets_[other].maxima > sets_[set].maxima) std::swap(other, set);
  link_[top_[other] & cell_mask] = cell;
  sets_[set].maxima = static_cast<u16>(sets_[set].maxima + sets_[other].maxima);
  take_in(set, other, set_of_, sets_);
}

template <class Mask>
void tile_tree<Mask>::add(u32 level, u32 begin, u32 end) {
  const u32 above = (level + 1) << level_shift;
  for (u32 i = begin; i < end; ++i) {
    const u32 cell = order_[i] & cell_mask, set = set_of_[order_[i] >> basin_shift & (cell_mask >> 1)];
    const u32 top = top_[set], is_first = 0 - static_cast<u32>(top >= above);
    const u32 first = (cell & is_first) | (top & cell_mask & ~is_first);
    link_[top & cell_mask] = static_cast<u16>(cell);
    first_[cell] = static_cast<u16>(first);
    top_[set] = first | level << level_shift;
  }
}

template <class Mask>
void tile_tree<Mask>::sweep() {
  for (u32 level = levels; level-- > 0;) {
    const u32 begin = begin_[level], end = begin_[level + 1];
    if (begin == end) continue;
    join(begin, end);
    add(level, begin, end);
  }
  // The first cell of the lowest level, which nothing completes.
  const auto lowest = static_cast<u16>(order_[0] & cell_mask);
  link_[lowest] = lowest;
}

template <class Mask>
void tile_tree<Mask>::write(u32* link) const {
  // Where rows of cells begin in the image: `order` has been used.
  u32* const row_begin = order_;
  const int shift = tile_.row_shift();
  tile_.each_row(
      [&](int at, int z, int y) { row_begin[at >> shift] = static_cast<u32>(where_.pixel(image_.size, z, y)); });
  tile_.each_row([&, row_mask = (1u << shift) - 1, first = first_, next = link_](int at, int, int) {
    u32* const out = link + row_begin[at >> shift];
    // The next row is in another page, where the processor would not fetch ahead.
    for (int x = 0; x < tile_.width(); x += words_of_line) __builtin_prefetch(out + image_.size.width + x, 1);
    for (int x = 0; x < tile_.width(); ++x) {
      const auto own = static_cast<u32>(at + x), is_first = static_cast<u32>(first[own] == own);
      const u32 to = first[(next[own] & (0 - is_first)) | (own & (is_first - 1))];
      out[x] = (row_begin[to >> shift] + (to & row_mask)) | is_first << 31;
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

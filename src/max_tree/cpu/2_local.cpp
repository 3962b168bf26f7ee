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

#include "core/union_find.hpp"
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
        up_(scratch.up.data()), last_(scratch.last.data()), order_(scratch.order.data()), link_(scratch.link.data()),
        maxima_(scratch.maxima.data()), meeting_(static_cast<Mask*>(static_cast<void*>(scratch.meeting.data()))) {}

  void solve(u32* link) {
    load();
    climb(tile_, keys_, static_cast<u8*>(static_cast<void*>(order_)), up_);
    find_basins(tile_, up_);
    find_meetings(tile_, keys_, up_, meeting_);
    sort();
    sweep();
    shorten();
    write(link);
  }

 private:
  void load();     // the keys of the tile
  void sort();     // order: all cells, from the lowest to the highest
  void sweep();    // link, within the tile
  void shorten();  // links within a level
  void write(u32* link) const;
  u32 set_of(u32 maximum);

  const key_image<u8>& image_;
  const box& where_;
  tile_shape tile_;
  u8* keys_;
  u16 *up_, *last_, *order_, *link_, *maxima_;
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
    for (int x = 0; x < tile_.width(); ++x) order_[places[keys_[at + x]]++] = static_cast<u16>(at + x);
  });
}

template <class Mask>
u32 tile_tree<Mask>::set_of(u32 maximum) {
  return find_root<shortening::halving>(array_words<u16, sharing::one_thread>{up_}, maximum);
}

template <class Mask>
void tile_tree<Mask>::sweep() {
  for (int i = tile_.pixels() - 1; i >= 0; --i) {
    const u16 p = order_[i];
    const u32 basin = up_[p];
    if (basin == p) {
      last_[p] = p;
      maxima_[p] = 1;
    }
    u32 set = set_of(basin);
    link_[last_[set]] = p;
    last_[set] = p;
    for (u32 others = meeting_[p]; others != 0; others &= others - 1) {
      u32 other = set_of(up_[p + static_cast<u32>(tile_.offset(std::countr_zero(others)))]);
      if (other == set) continue;
      link_[last_[other]] = p;
      // The set of more maxima takes in the other, so that ways stay short.
      if (maxima_[other] > maxima_[set]) std::swap(other, set);
      up_[other] = static_cast<u16>(set);
      maxima_[set] = static_cast<u16>(maxima_[set] + maxima_[other]);
      last_[set] = p;
    }
  }
  // The lowest pixel of all, which nothing completes.
  link_[order_[0]] = order_[0];
}

// Within a level, links lead back in raster order, and here become one hop to the first pixel of the node: the merge of
// tiles walks along levels, not along pixels.
template <class Mask>
void tile_tree<Mask>::shorten() {
  tile_.each_row([&](int at, int, int) {
    for (int p = at; p < at + tile_.width(); ++p) {
      const u16 to = link_[p], next = link_[to];
      link_[p] = keys_[next] == keys_[to] ? next : to;
      up_[p] = to == p || keys_[to] != keys_[p] ? 1 : 0;  // of no other use now
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
    const u16* const in = link_ + at;
    const u16* const is_first = up_ + at;
    for (int x = 0; x < tile_.width(); ++x) {
      const u32 to = in[x];
      const u32 pixel = base + (to >> slice_shift) * slice + (to >> row_shift & slice_mask) * width + (to & row_mask);
      out[x] = pixel | static_cast<u32>(is_first[x]) << 31;
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

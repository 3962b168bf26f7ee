// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the tree of one tile of 8-bit keys.
//
// Reads   keys of the tile
// Writes  the link of each pixel: the next lower pixel of the component that it completes
// Needs   at most 2^16 pixels, so that all that is known of them stays in the second-level cache
// Method  [Lukasczyk2024] basins first: each pixel points to a higher neighbour, so that it belongs to the basin of a
//         maximum. Where no two basins meet, a component grows pixel by pixel in sorted order, and needs no union-find;
//         where they meet, the sets of their maxima are joined [Carlinet2014].
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Mask has a bit for each neighbour. Pixels are numbered within the tile, whose rows and slices take powers of two.
template <class Mask>
class tile_tree {
 public:
  tile_tree(const key_image<u8>& image, const tiling& tiles, const box& where, tile_scratch& scratch)
      : image_(image), where_(where), row_shift_(tiles.shift(2)), slice_shift_(row_shift_ + tiles.shift(1)),
        depth_(where.side(0)), height_(where.side(1)), width_(where.side(2)), keys_(scratch.keys.data()),
        up_(scratch.up.data()), last_(scratch.last.data()), order_(scratch.order.data()), link_(scratch.link.data()),
        maxima_(scratch.maxima.data()), meeting_(static_cast<Mask*>(static_cast<void*>(scratch.meeting.data()))) {
    for (const neighbour_row& row : neighbourhood_rows(image.size.rank, image.connectivity))
      for (int dx = -row.reach; dx <= row.reach; ++dx)
        if (row.dz != 0 || row.dy != 0 || dx != 0) offsets_[directions_++] = offset_of(row) + dx;
  }

  void solve(u32* link) {
    load();
    climb();
    find_basins();
    find_meetings();
    sort();
    sweep();
    shorten();
    write(link);
  }

 private:
  void load();           // the keys of the tile
  void climb();          // up: a higher neighbour, or the pixel itself
  void find_basins();    // up: the maximum
  void find_meetings();  // meeting: neighbours that are higher and in other basins
  void sort();           // order: all pixels, from the lowest to the highest
  void sweep();          // link, within the tile
  void shorten();        // links within a level
  void write(u32* link) const;
  u32 set_of(u32 maximum);

  [[nodiscard]] int offset_of(const neighbour_row& row) const {
    return row.dz * (1 << slice_shift_) + row.dy * (1 << row_shift_);
  }
  // Calls visit(first pixel) for each row.
  template <class Visit>
  void each_row(Visit visit) const {
    for (int z = 0; z < depth_; ++z)
      for (int y = 0; y < height_; ++y) visit((z << slice_shift_) + (y << row_shift_), z, y);
  }
  // Calls visit(direction, offset, x_begin, x_end) for each neighbour that pixels of a row have within the tile.
  template <class Visit>
  void each_direction(int z, int y, Visit visit) const {
    int direction = 0;
    for (const neighbour_row& row : neighbourhood_rows(image_.size.rank, image_.connectivity)) {
      const bool inside = 0 <= z + row.dz && z + row.dz < depth_ && 0 <= y + row.dy && y + row.dy < height_;
      for (int dx = -row.reach; dx <= row.reach; ++dx) {
        if (row.dz == 0 && row.dy == 0 && dx == 0) continue;
        if (inside) visit(direction, offset_of(row) + dx, std::max(0, -dx), width_ - std::max(0, dx));
        ++direction;
      }
    }
  }

  const key_image<u8>& image_;
  const box& where_;
  int row_shift_, slice_shift_, depth_, height_, width_;
  u8* keys_;
  u16 *up_, *last_, *order_, *link_, *maxima_;
  Mask* meeting_;
  int offsets_[26] = {};
  int directions_ = 0;
};

template <class Mask>
void tile_tree<Mask>::load() {
  each_row([&](int at, int z, int y) {
    std::memcpy(keys_ + at, image_.keys + where_.pixel(image_.size, z, y), static_cast<std::size_t>(width_));
  });
}

// Branchless over the row for each direction, so that the compiler makes vector code of it.
template <class Mask>
void tile_tree<Mask>::climb() {
  // Rows of `order` serve as memory for the best key so far, and which direction it lies in.
  u8* const first_high = static_cast<u8*>(static_cast<void*>(order_));
  u8* const first_way = first_high + width_;
  u16 step_of[27] = {};
  for (int d = 0; d < directions_; ++d) step_of[d + 1] = static_cast<u16>(offsets_[d]);
  each_row([&](int at, int z, int y) {
    const u8* const own = keys_ + at;
    std::copy(own, own + width_, first_high);
    std::fill(first_way, first_way + width_, u8{0});
    each_direction(z, y, [=](int direction, int offset, int begin, int end) {
      u8* const high = first_high;
      u8* const way = first_way;
      const u8* const other = own + offset;
      const auto code = static_cast<u8>(direction + 1);
      if (offset < 0) {
        for (int x = begin; x < end; ++x) {
          way[x] = other[x] > high[x] ? code : way[x];
          high[x] = other[x] > high[x] ? other[x] : high[x];
        }
      } else {
        for (int x = begin; x < end; ++x) {
          way[x] = other[x] >= high[x] ? code : way[x];
          high[x] = other[x] >= high[x] ? other[x] : high[x];
        }
      }
    });
    for (int x = 0; x < width_; ++x) up_[at + x] = static_cast<u16>(at + x + step_of[first_way[x]]);
  });
}

// Each pointer becomes that of the pixel it points to, forwards and backwards in turn, until none changes. A way that
// only goes back is done after one pass forwards, one that only goes on after one backwards.
template <class Mask>
void tile_tree<Mask>::find_basins() {
  const auto follow = [&](int p) {
    const u16 to = up_[p], next = up_[to];
    up_[p] = next;
    return static_cast<u32>(to ^ next);
  };
  for (u32 changed = 1; changed != 0;) {
    changed = 0;
    for (int z = depth_; z-- > 0;)
      for (int y = height_; y-- > 0;)
        for (int p = (z << slice_shift_) + (y << row_shift_), x = width_; x-- > 0;) changed |= follow(p + x);
    if (changed == 0) break;
    changed = 0;
    each_row([&](int at, int, int) {
      for (int x = 0; x < width_; ++x) changed |= follow(at + x);
    });
  }
}

template <class Mask>
void tile_tree<Mask>::find_meetings() {
  each_row([&](int at, int z, int y) {
    const u8* const own = keys_ + at;
    const u16* const basin = up_ + at;
    Mask* const found = meeting_ + at;
    std::fill(found, found + width_, Mask{0});
    each_direction(z, y, [=](int direction, int offset, int begin, int end) {
      const u8* const other = own + offset;
      const u16* const other_basin = basin + offset;
      const auto bit = static_cast<Mask>(Mask{1} << direction);
      // No `&&`, which would be a branch.
      const int least_above = offset < 0 ? 1 : 0;
      for (int x = begin; x < end; ++x) {
        const bool higher = other[x] >= own[x] + least_above, apart = other_basin[x] != basin[x];
        found[x] = static_cast<Mask>(found[x] | ((higher & apart) ? bit : Mask{0}));
      }
    });
  });
}

template <class Mask>
void tile_tree<Mask>::sort() {
  u32 places[256] = {};
  each_row([&](int at, int, int) {
    for (int x = 0; x < width_; ++x) ++places[keys_[at + x]];
  });
  u32 place = 0;
  for (u32& here : places) {
    const u32 counted = here;
    here = place;
    place += counted;
  }
  each_row([&](int at, int, int) {
    for (int x = 0; x < width_; ++x) order_[places[keys_[at + x]]++] = static_cast<u16>(at + x);
  });
}

// Halves the way.
template <class Mask>
u32 tile_tree<Mask>::set_of(u32 maximum) {
  u32 above = up_[maximum];
  while (above != maximum) {
    const u16 next = up_[above];
    up_[maximum] = next;
    maximum = next;
    above = up_[next];
  }
  return maximum;
}

template <class Mask>
void tile_tree<Mask>::sweep() {
  for (int i = depth_ * height_ * width_ - 1; i >= 0; --i) {
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
      u32 other = set_of(up_[p + static_cast<u32>(offsets_[std::countr_zero(others)])]);
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
  each_row([&](int at, int, int) {
    for (int p = at; p < at + width_; ++p) {
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
  const u32 row_mask = (1u << row_shift_) - 1, slice_mask = (1u << (slice_shift_ - row_shift_)) - 1;
  each_row([&](int at, int z, int y) {
    u32* const out = link + where_.pixel(image_.size, z, y);
    const u16* const in = link_ + at;
    const u16* const is_first = up_ + at;
    for (int x = 0; x < width_; ++x) {
      const u32 to = in[x];
      const u32 pixel = base + (to >> slice_shift_) * slice + (to >> row_shift_ & slice_mask) * width + (to & row_mask);
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

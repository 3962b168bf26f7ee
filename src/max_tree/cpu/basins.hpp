// SPDX-License-Identifier: Apache-2.0
// What the trees of all tiles begin with, of 8-bit keys and of ranks: each pixel points to a higher neighbour, so that it
// belongs to the basin of a maximum [Lukasczyk2024]. Nothing here has a branch that depends on a pixel.
#pragma once
#include <algorithm>
#include <utility>

#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {

// The pixels of a tile are its cells, numbered so that rows and slices take powers of two.
class tile_shape {
 public:
  tile_shape(const extent& size, int connectivity, const tiling& tiles, const box& where)
      : near_(neighbourhood_rows(size.rank, connectivity)), row_shift_(tiles.shift(2)),
        slice_shift_(row_shift_ + tiles.shift(1)), depth_(where.side(0)), height_(where.side(1)),
        width_(where.side(2)) {
    for (const neighbour_row& row : near_)
      for (int dx = -row.reach; dx <= row.reach; ++dx)
        if (row.dz != 0 || row.dy != 0 || dx != 0) offsets_[directions_++] = offset_of(row) + dx;
  }

  [[nodiscard]] int row_shift() const { return row_shift_; }
  [[nodiscard]] int slice_shift() const { return slice_shift_; }
  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int pixels() const { return depth_ * height_ * width_; }
  [[nodiscard]] int directions() const { return directions_; }
  [[nodiscard]] int offset(int direction) const { return offsets_[direction]; }

  // Calls visit(first cell, z, y) for each row.
  template <class Visit>
  void each_row(Visit visit) const {
    for (int z = 0; z < depth_; ++z)
      for (int y = 0; y < height_; ++y) visit((z << slice_shift_) + (y << row_shift_), z, y);
  }
  // Calls visit(direction, offset, x_begin, x_end) for each neighbour that cells of a row have within the tile.
  template <class Visit>
  void each_direction(int z, int y, Visit visit) const {
    int direction = 0;
    for (const neighbour_row& row : near_) {
      const bool inside = 0 <= z + row.dz && z + row.dz < depth_ && 0 <= y + row.dy && y + row.dy < height_;
      for (int dx = -row.reach; dx <= row.reach; ++dx) {
        if (row.dz == 0 && row.dy == 0 && dx == 0) continue;
        if (inside) visit(direction, offset_of(row) + dx, std::max(0, -dx), width_ - std::max(0, dx));
        ++direction;
      }
    }
  }

 private:
  [[nodiscard]] int offset_of(const neighbour_row& row) const {
    return row.dz * (1 << slice_shift_) + row.dy * (1 << row_shift_);
  }

  std::span<const neighbour_row> near_;
  int row_shift_, slice_shift_, depth_, height_, width_;
  int offsets_[26] = {};
  int directions_ = 0;
};

// up: a higher neighbour, or the cell itself. `room` is for two rows of keys: the best so far, and which direction it
// lies in.
template <class Key>
void climb(const tile_shape& tile, const Key* keys, Key* room, u16* up) {
  const int width = tile.width();
  Key* const first_high = room;
  Key* const first_way = room + width;
  u16 step_of[27] = {};
  for (int d = 0; d < tile.directions(); ++d) step_of[d + 1] = static_cast<u16>(tile.offset(d));
  tile.each_row([&](int at, int z, int y) {
    const Key* const own = keys + at;
    std::copy(own, own + width, first_high);
    std::fill(first_way, first_way + width, Key{0});
    tile.each_direction(z, y, [=](int direction, int offset, int begin, int end) {
      Key* const high = first_high;
      Key* const way = first_way;
      const Key* const other = own + offset;
      const auto code = static_cast<Key>(direction + 1);
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
    for (int x = 0; x < width; ++x) up[at + x] = static_cast<u16>(at + x + step_of[first_way[x]]);
  });
}

// up: the maximum. Each pointer becomes that of the cell it points to, once backwards, so that a way that only goes on is done, and once
// forwards, so that one that only goes back is. The cells of other ways are listed, and follow theirs until none is left.
// `list` is room for all cells.
inline void find_basins(const tile_shape& tile, u16* up, u16* list) {
  const int width = tile.width();
  for (int z = tile.depth(); z-- > 0;)
    for (int y = tile.height(); y-- > 0;)
      for (int p = (z << tile.slice_shift()) + (y << tile.row_shift()), x = width; x-- > 0;) up[p + x] = up[up[p + x]];
  u32 left = 0;
  const auto follow = [=, &left](u16 cell) {
    const u16 maximum = up[up[cell]];
    up[cell] = maximum;
    list[left] = cell;
    left += up[maximum] != maximum ? 1 : 0;
  };
  tile.each_row([&](int at, int, int) {
    for (int cell = at; cell < at + width; ++cell) follow(static_cast<u16>(cell));
  });
  while (left > 0)
    for (u32 each = 0, all = std::exchange(left, 0); each < all; ++each) follow(list[each]);
}

// up: from the maximum of each basin to its number. Maxima are few: numbered one after the other, their sets fit the first-level
// cache or nearly. They are at most half of the cells, so that 15 bits number them. Each is a set of its own, set_at(cell, number).
// `number` is room for a number of each cell.
template <class Set, class SetAt>
void number_basins(const tile_shape& tile, u16* up, u16* number, u16* set_of, Set* sets, SetAt set_at) {
  u32 count = 0;
  u16* const maxima = set_of;  // their cells, until they are sets
  tile.each_row([&](int at, int, int) {
    for (int cell = at; cell < at + tile.width(); ++cell) {
      maxima[count] = static_cast<u16>(cell);
      count += up[cell] == cell ? 1 : 0;
    }
  });
  for (u32 each = 0; each < count; ++each) {
    const u16 cell = maxima[each];
    number[cell] = static_cast<u16>(each);
    sets[each] = set_at(cell, static_cast<u16>(each));
    set_of[each] = static_cast<u16>(each);
  }
  tile.each_row([&](int at, int, int) {
    for (int cell = at; cell < at + tile.width(); ++cell) up[cell] = number[up[cell]];
  });
}

// Relabels every maximum of the smaller set: none is relabelled often, and finding the set of a cell never walks a path.
template <class Set>
void take_in(u32 larger, u32 smaller, u16* set_of, Set* sets) {
  u32 each = smaller;
  do {
    set_of[each] = static_cast<u16>(larger);
    each = sets[each].next;
  } while (each != smaller);
  std::swap(sets[larger].next, sets[smaller].next);
}

// The neighbours of the cells of a row in one direction that are higher and in other basins.
template <class Key, class Mask>
void add_meetings(const Key* own, const u16* basin, Mask bit, int offset, int begin, int end, Mask* found) {
  const Key* const other = own + offset;
  const u16* const other_basin = basin + offset;
  // No `&&`, which would be a branch.
  const int least_above = offset < 0 ? 1 : 0;
  for (int x = begin; x < end; ++x) {
    const bool higher = other[x] >= own[x] + least_above, apart = other_basin[x] != basin[x];
    found[x] = static_cast<Mask>(found[x] | ((higher & apart) ? bit : Mask{0}));
  }
}

// Of pairs of cells along two rows that touch straight only those that are higher than the pair before and no lower than the
// next: the others are connected through these by no lower cells. `level`: the lower of the two.
template <class Key>
void keep_straight(const Key* __restrict one, const Key* __restrict other, int width, Key* __restrict level,
                   Key* __restrict kept) {
  for (int x = 0; x < width; ++x) level[x] = std::min(one[x], other[x]);
  kept[0] = 1;
  for (int x = 1; x < width; ++x) kept[x] = level[x] > level[x - 1] ? 1 : 0;
  for (int x = 0; x + 1 < width; ++x) kept[x] = static_cast<Key>(level[x] >= level[x + 1] ? kept[x] : 0);
}

// Of slanted pairs those that are higher than both straight pairs next to them.
template <class Key>
void keep_slanted(const Key* one, const Key* other, int pairs, const Key* level, Key* kept) {
  for (int x = 0; x < pairs; ++x) kept[x] = std::min(one[x], other[x]) > std::max(level[x], level[x + 1]) ? 1 : 0;
}

// Marks the lower cell of each pair that is kept and of two basins: `found` of the first row, then of the other.
template <class Key, class Mask>
void mark_kept(const Key* one, const u16* basin, int step, int pairs, const Key* kept, Mask towards_one,
               Mask towards_other, Mask* found) {
  const Key* const other = one + step;
  const u16* const other_basin = basin + step;
  for (int x = 0; x < pairs; ++x) {
    const bool wanted = (kept[x] != 0) & (basin[x] != other_basin[x]) & (one[x] <= other[x]);
    found[x] = static_cast<Mask>(found[x] | (wanted ? towards_other : Mask{0}));
  }
  Mask* const other_found = found + step;
  for (int x = 0; x < pairs; ++x) {
    const bool wanted = (kept[x] != 0) & (basin[x] != other_basin[x]) & (one[x] > other[x]);
    other_found[x] = static_cast<Mask>(other_found[x] | (wanted ? towards_one : Mask{0}));
  }
}

// meeting: the neighbours that are higher and in other basins, a bit for each direction. Of a plane only as many as keep cells
// connected at each level. `room` is for two rows of keys.
template <class Key, class Mask>
void find_meetings(const tile_shape& tile, const Key* keys, const u16* up, Key* room, Mask* meeting) {
  const int width = tile.width(), row = 1 << tile.row_shift(), last = tile.directions() - 1;
  const bool is_plane = last == 3 || last == 7;
  tile.each_row([&](int at, int z, int y) {
    std::fill_n(meeting + at, width, Mask{0});
    tile.each_direction(z, y, [&](int direction, int offset, int begin, int end) {
      if (is_plane && offset != 1 && offset != -1) return;
      add_meetings(keys + at, up + at, static_cast<Mask>(Mask{1} << direction), offset, begin, end, meeting + at);
    });
    if (!is_plane || y == 0) return;
    // Directions are in raster order: that back is as far from the last as this is from the first.
    const auto bit = [](int direction) { return static_cast<Mask>(Mask{1} << direction); };
    const auto mark = [&](int from, int step, int pairs, int direction) {
      mark_kept(keys + from, up + from, step, pairs, room + width, bit(direction), bit(last - direction),
                meeting + from);
    };
    const int above = at - row;
    keep_straight(keys + above, keys + at, width, room, room + width);
    mark(above, row, width, last / 7);
    if (last != 7) return;
    keep_slanted(keys + above, keys + at + 1, width - 1, room, room + width);
    mark(above, row + 1, width - 1, 0);
    keep_slanted(keys + above + 1, keys + at, width - 1, room, room + width);
    mark(above + 1, row - 1, width - 1, 2);
  });
}

}  // namespace skerry::tree_stages

// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the tree of one strip.
//
// Reads   keys of the strip
// Writes  the link of each pixel: the next lower pixel of the component that it completes
// Method  [Lukasczyk2024] basins first: each pixel points to a higher neighbour, so that it belongs to the basin of a
//         maximum. Where no two basins meet, a component grows pixel by pixel in sorted order, and needs no union-find;
//         where they meet, the sets of their maxima are joined [Carlinet2014]. Only 2 to 30 % of the pixels are maxima
//         or meeting places, so that almost all work is in passes over memory and in the sort.
#include <algorithm>
#include <bit>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr i64 block_pixels = i64{1} << 18;  // of a strip that several threads share

u32 load(u32& word) { return atomic_ref<u32, sharing::device>(word).load(relaxed); }
void store(u32& word, u32 value) { atomic_ref<u32, sharing::device>(word).store(value, relaxed); }

template <class Key>
class strip_tree {
 public:
  strip_tree(const key_image<Key>& image, row_range rows, strip_scratch& scratch)
      : image_(image), rows_(rows), near_(image.size, image.connectivity), width_(image.size.width),
        first_(rows.begin * width_), keys_(image.keys + first_), scratch_(scratch), up_(scratch.up.data()),
        last_(scratch.last.data()), meeting_(scratch.meeting.data()) {
    for (const auto& row : near_)
      for (int dx = -row.reach; dx <= row.reach; ++dx)
        if (row.dz != 0 || row.dy != 0 || dx != 0) offsets_[directions_++] = row.offset + dx;
  }

  void climb(row_range rows);          // up: a higher neighbour, or the pixel itself
  void find_basins(row_range rows);    // up: the maximum
  void find_meetings(row_range rows);  // meeting: neighbours that are higher and in other basins
  void sweep(u32* link);

 private:
  // Calls visit(direction, offset, x_begin, x_end) for each neighbour that pixels of row r have within the strip.
  template <class Visit>
  void each_direction(i64 r, Visit visit) const {
    int direction = 0;
    for (const auto& row : near_) {
      const i64 number = near_.row_number(r, row);
      const bool inside = rows_.begin <= number && number < rows_.end;
      for (int dx = -row.reach; dx <= row.reach; ++dx) {
        if (row.dz == 0 && row.dy == 0 && dx == 0) continue;
        if (inside) visit(direction, row.offset + dx, std::max<i64>(0, -dx), width_ - std::max<i64>(0, dx));
        ++direction;
      }
    }
  }
  u32 set_of(u32 maximum);

  const key_image<Key>& image_;
  row_range rows_;
  neighbourhood_rows near_;
  i64 width_, first_;
  const Key* keys_;
  strip_scratch& scratch_;
  u32 *up_, *last_, *meeting_;
  i64 offsets_[26] = {};
  int directions_ = 0;
};

// Branchless over the row for each direction, so that the compiler makes vector code of it.
template <class Key>
void strip_tree<Key>::climb(row_range rows) {
  std::vector<Key> best(static_cast<std::size_t>(width_)), way(static_cast<std::size_t>(width_));
  for (i64 r = rows.begin; r < rows.end; ++r) {
    const i64 at = (r - rows_.begin) * width_;
    const Key* const own = keys_ + at;
    std::copy(own, own + width_, best.begin());
    std::fill(way.begin(), way.end(), Key{0});
    each_direction(r, [&](int direction, i64 offset, i64 begin, i64 end) {
      Key* const high = best.data();
      Key* const to = way.data();
      const Key* const other = own + offset;
      const auto code = static_cast<Key>(direction + 1);
      if (offset < 0) {
        for (i64 x = begin; x < end; ++x) {
          to[x] = other[x] > high[x] ? code : to[x];
          high[x] = other[x] > high[x] ? other[x] : high[x];
        }
      } else {
        for (i64 x = begin; x < end; ++x) {
          to[x] = other[x] >= high[x] ? code : to[x];
          high[x] = other[x] >= high[x] ? other[x] : high[x];
        }
      }
    });
    i64 offset_of[27] = {};
    std::copy(offsets_, offsets_ + directions_, offset_of + 1);
    for (i64 x = 0; x < width_; ++x)
      up_[at + x] = static_cast<u32>(at + x + offset_of[way[static_cast<std::size_t>(x)]]);
  }
}

// A thread writes the pointers of its own rows only; whatever it reads in others is on the way to the same maximum.
template <class Key>
void strip_tree<Key>::find_basins(row_range rows) {
  const i64 begin = (rows.begin - rows_.begin) * width_, end = (rows.end - rows_.begin) * width_;
  for (i64 p = begin; p < end; ++p) {
    u32 top = load(up_[p]);
    if (top == p) {
      last_[p] = top;
      continue;
    }
    u32 next = load(up_[top]);
    if (next == top) continue;
    while (next != top) {
      top = next;
      next = load(up_[top]);
    }
    // All of the way that is ours gets the maximum.
    for (u32 q = static_cast<u32>(p); q != top;) {
      const u32 after = load(up_[q]);
      if (begin <= q && q < end) store(up_[q], top);
      q = after;
    }
  }
}

template <class Key>
void strip_tree<Key>::find_meetings(row_range rows) {
  for (i64 r = rows.begin; r < rows.end; ++r) {
    const i64 at = (r - rows_.begin) * width_;
    const Key* const own = keys_ + at;
    const u32* const basin = up_ + at;
    u32* const found = meeting_ + at;
    std::fill(found, found + width_, 0u);
    each_direction(r, [&](int direction, i64 offset, i64 begin, i64 end) {
      const Key* const other = own + offset;
      const u32* const other_basin = basin + offset;
      const u32 bit = 1u << direction;
      if (offset < 0) {
        for (i64 x = begin; x < end; ++x) found[x] |= other[x] > own[x] && other_basin[x] != basin[x] ? bit : 0;
      } else {
        for (i64 x = begin; x < end; ++x) found[x] |= other[x] >= own[x] && other_basin[x] != basin[x] ? bit : 0;
      }
    });
  }
}

template <class Key>
u32 strip_tree<Key>::set_of(u32 maximum) {
  u32 above = up_[maximum];
  while (above != maximum) {
    const u32 next = up_[above];
    up_[maximum] = next;
    maximum = above;
    above = next;
  }
  return maximum;
}

template <class Key>
void strip_tree<Key>::sweep(u32* link) {
  const auto base = static_cast<u32>(first_);
  const u32* const order = scratch_.order.data();
  const i64 pixels = (rows_.end - rows_.begin) * width_;
  constexpr i64 ahead = 24;
  for (i64 i = pixels - 1; i >= 0; --i) {
    if (i >= ahead) {
      __builtin_prefetch(up_ + order[i - ahead]);
      __builtin_prefetch(meeting_ + order[i - ahead]);
    }
    const u32 p = order[i], set = set_of(up_[p]);
    link[base + last_[set]] = base + p;
    last_[set] = p;
    for (u32 others = meeting_[p]; others != 0; others &= others - 1) {
      const u32 other = set_of(up_[p + static_cast<u32>(offsets_[std::countr_zero(others)])]);
      if (other == set) continue;
      link[base + last_[other]] = base + p;
      up_[other] = set;
    }
  }
  // What nothing lower has completed is a root: one, or in rows of several slices perhaps more.
  for (i64 p = 0; p < pixels; ++p)
    if (up_[p] == p) link[base + last_[p]] = base + last_[p];
}

}  // namespace

template <class Key>
void local(engine::state* on, const key_image<Key>& image, row_range rows, strip_scratch& scratch, u32* link) {
  const i64 pixels = (rows.end - rows.begin) * image.size.width;
  for (buffer<u32>* each : {&scratch.up, &scratch.last, &scratch.meeting, &scratch.order})
    each->reserve(static_cast<std::size_t>(pixels));
  strip_tree<Key> tree(image, rows, scratch);
  extent strip_size = image.size;
  strip_size.depth = 1;
  strip_size.height = rows.end - rows.begin;
  std::vector<row_range> blocks =
      on != nullptr ? cut(strip_size, block_pixels) : std::vector<row_range>{{0, strip_size.height}};
  const auto each_block = [&](auto work) {
    const auto in_strip = [&](std::size_t k) {
      work(row_range{rows.begin + blocks[k].begin, rows.begin + blocks[k].end});
    };
    if (on != nullptr) return for_each_in_parallel(*on, blocks.size(), in_strip);
    for (std::size_t k = 0; k < blocks.size(); ++k) in_strip(k);
  };
  each_block([&](row_range block) { tree.climb(block); });
  each_block([&](row_range block) { tree.find_basins(block); });
  each_block([&](row_range block) { tree.find_meetings(block); });
  sort(on, image.keys + rows.begin * image.size.width, pixels, scratch);
  tree.sweep(link);
}

template void local(engine::state*, const key_image<u8>&, row_range, strip_scratch&, u32*);
template void local(engine::state*, const key_image<u16>&, row_range, strip_scratch&, u32*);
template void local(engine::state*, const key_image<u32>&, row_range, strip_scratch&, u32*);

}  // namespace skerry::tree_stages

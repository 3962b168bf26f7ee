// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the tree of an image of keys of 16 or 32 bits, all at once.
//
// Reads   keys
// Writes  pixels in the order of (key, index), and the link of each rank
// Method  the same as that of tiles (2_local.cpp). Trees of wide keys have chains as long as the image has pixels, which
//         no merge of parts could walk; so all pixels are sorted, and one thread sweeps over them. Links are between
//         ranks, not pixels: the large components grow by neighbouring ranks, so that the sweep, and all that is done
//         with its links later, stays near one place in memory. Only maxima have sets, so that these fit the caches.
#include <algorithm>
#include <array>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr u32 no_rank = ~u32{0};
// In `up`: a maximum has been found, and the other bits are the number of its set. The sweep clears it in each pixel.
constexpr u32 found = u32{1} << 31;
// In `parent`: the set is no part of another, and the other bits are the number of its maxima.
constexpr u32 is_root = u32{1} << 31;

// Threads meet in `up`, without order: whatever one reads there is on the way to the same maximum.
u32 load(u32& word) { return atomic_ref<u32, sharing::device>(word).load(relaxed); }
u32 pixel_of(u64 pair) { return static_cast<u32>(pair) & ~meets_bit; }
void store(u32& word, u32 value) { atomic_ref<u32, sharing::device>(word).store(value, relaxed); }

template <class Key>
class ranked_tree {
 public:
  ranked_tree(engine::state& on, const key_image<Key>& image, ranked_scratch& scratch)
      : on_(on), image_(image), near_(neighbourhood_rows(image.size.rank, image.connectivity)),
        width_(image.size.width), blocks_(image.size, block_pixels(on)), scratch_(scratch) {
    const auto pixels = static_cast<std::size_t>(image.size.pixels());
    scratch.up.reserve(pixels);
    scratch.meets.reserve(pixels);
    scratch.pairs.reserve(pixels);
    scratch.link.reserve(pixels);
    scratch.sets.reserve(pixels / 2 + blocks_.count() + 1);
    up_ = scratch.up.data();
    sets_ = scratch.sets.data();
    pixels_ = static_cast<u32>(pixels);
    std::size_t far = 0;
    for (const neighbour_row& row : near_) {
      if (row.dz != 0 || row.dy != 0) far_steps_[far++] = static_cast<u32>(offset_of(row));
      for (int dx = -row.reach; dx <= row.reach; ++dx)
        if (row.dz != 0 || row.dy != 0 || dx != 0) steps_[++directions_] = static_cast<u32>(offset_of(row) + dx);
    }
    far_ = {far_steps_.data(), far};
  }

  void find_basins() {
    each_block([this](std::size_t k) { climb(k); });
    each_block([this](std::size_t k) { follow(blocks_[k]); });
    each_block([this](std::size_t k) { find_meetings(blocks_[k]); });
  }
  void sweep();

 private:
  template <class Work>
  void each_block(Work work) {
    for_each_in_parallel(on_, blocks_.count(), work);
  }
  void climb(std::size_t block);  // up: a higher neighbour, or the set of a maximum
  void follow(row_range rows);    // up: the set
  void find_meetings(row_range rows);
  void join_neighbours(u32 pixel, u32 set, u32 rank);
  void fetch_pixel(u64 pair) const;
  void fetch_sets(u64 pair) const;
  u32 set_of(u32 set);

  [[nodiscard]] i64 offset_of(const neighbour_row& row) const {
    return (row.dz * image_.size.height + row.dy) * width_;
  }
  [[nodiscard]] bool has(i64 z, i64 y, const neighbour_row& row) const {
    return 0 <= z + row.dz && z + row.dz < image_.size.depth && 0 <= y + row.dy && y + row.dy < image_.size.height;
  }
  // Calls visit(number, offset, x_begin, x_end) for each neighbour that pixels of row r have.
  template <class Visit>
  void each_direction(i64 r, Visit visit) const {
    const i64 z = r / image_.size.height, y = r % image_.size.height;
    int direction = 0;
    for (const neighbour_row& row : near_)
      for (int dx = -row.reach; dx <= row.reach; ++dx) {
        if (row.dz == 0 && row.dy == 0 && dx == 0) continue;
        ++direction;
        if (has(z, y, row)) visit(direction, offset_of(row) + dx, std::max<i64>(0, -dx), width_ - std::max<i64>(0, dx));
      }
  }

  engine::state& on_;
  const key_image<Key>& image_;
  std::span<const neighbour_row> near_;
  i64 width_;
  row_blocks blocks_;
  ranked_scratch& scratch_;
  u32* up_;
  ranked_scratch::set* sets_;
  u32 pixels_ = 0;
  u32 steps_[27] = {};  // to each neighbour, from the first on; 0 stays
  int directions_ = 0;
  std::array<u32, 8> far_steps_{};  // to the other rows that hold neighbours
  std::span<const u32> far_;
};

// Branchless over the row for each direction, so that the compiler makes vector code of it.
template <class Key>
void ranked_tree<Key>::climb(std::size_t block) {
  const row_range rows = blocks_[block];
  // Nobody sorts yet: a row of `pairs` serves for the best key so far, and which direction it lies in.
  Key* const best = static_cast<Key*>(static_cast<void*>(scratch_.pairs.data() + rows.begin * width_));
  Key* const ways = best + width_;
  // Of neighbouring pixels at most one is a maximum.
  u32 next_set = static_cast<u32>((rows.begin * width_ + 1) / 2 + static_cast<i64>(block));
  const u32 first_set = next_set;
  for (i64 r = rows.begin; r < rows.end; ++r) {
    const Key* const own = image_.keys + r * width_;
    std::copy(own, own + width_, best);
    std::fill(ways, ways + width_, Key{0});
    each_direction(r, [=](int direction, i64 offset, i64 begin, i64 end) {
      Key* const high = best;
      Key* const way = ways;
      const Key* const other = own + offset;
      const auto code = static_cast<Key>(direction);
      if (offset < 0) {
        for (i64 x = begin; x < end; ++x) {
          way[x] = other[x] > high[x] ? code : way[x];
          high[x] = other[x] > high[x] ? other[x] : high[x];
        }
      } else {
        for (i64 x = begin; x < end; ++x) {
          way[x] = other[x] >= high[x] ? code : way[x];
          high[x] = other[x] >= high[x] ? other[x] : high[x];
        }
      }
    });
    for (i64 x = 0; x < width_; ++x) {
      const auto at = static_cast<u32>(r * width_ + x);
      const bool is_maximum = ways[x] == 0;
      up_[at] = is_maximum ? found | next_set : at + steps_[ways[x]];
      next_set += is_maximum ? 1 : 0;
    }
  }
  for (u32 set = first_set; set < next_set; ++set) sets_[set] = {is_root | 1, no_rank};
}

// First each pointer becomes that of the pixel it points to, backwards and forwards, without a branch; then what is left
// is walked, and the whole way gets the set. Of a way through several blocks, a thread may set pixels of others: to what
// their own threads will set.
template <class Key>
void ranked_tree<Key>::follow(row_range rows) {
  const i64 begin = rows.begin * width_, end = rows.end * width_;
  const auto shorten = [&](i64 p) {
    const u32 to = load(up_[p]);
    store(up_[p], load(up_[(to & found) != 0 ? static_cast<u32>(p) : to]));
  };
  for (i64 p = end; p-- > begin;) shorten(p);
  for (i64 p = begin; p < end; ++p) shorten(p);
  for (i64 p = begin; p < end; ++p) {
    u32 set = load(up_[p]);
    if ((set & found) != 0) continue;
    while ((set & found) == 0) set = load(up_[set]);
    for (u32 q = static_cast<u32>(p); (q & found) == 0;) {
      const u32 after = load(up_[q]);
      store(up_[q], set);
      q = after;
    }
  }
}

template <class Key>
void ranked_tree<Key>::find_meetings(row_range rows) {
  for (i64 r = rows.begin; r < rows.end; ++r) {
    const Key* const own = image_.keys + r * width_;
    const u32* const basin = up_ + r * width_;
    u8* const meets = scratch_.meets.data() + r * width_;
    std::fill(meets, meets + width_, u8{0});
    each_direction(r, [=](int, i64 offset, i64 begin, i64 end) {
      const Key* const other = own + offset;
      const u32* const other_basin = basin + offset;
      // No `&&`, which would be a branch.
      if (offset < 0) {
        for (i64 x = begin; x < end; ++x)
          meets[x] = static_cast<u8>(meets[x] | ((other[x] > own[x]) & (other_basin[x] != basin[x])));
      } else {
        for (i64 x = begin; x < end; ++x)
          meets[x] = static_cast<u8>(meets[x] | ((other[x] >= own[x]) & (other_basin[x] != basin[x])));
      }
    });
  }
}

// Halves the way.
template <class Key>
u32 ranked_tree<Key>::set_of(u32 set) {
  u32 above = sets_[set].parent;
  while ((above & is_root) == 0) {
    const u32 next = sets_[above].parent;
    if ((next & is_root) != 0) return above;
    sets_[set].parent = next;
    set = next;
    above = sets_[set].parent;
  }
  return set;
}

// Of the neighbours, those that the sweep has seen are the higher ones.
template <class Key>
void ranked_tree<Key>::join_neighbours(u32 pixel, u32 set, u32 rank) {
  const u32 width = static_cast<u32>(width_), height = static_cast<u32>(image_.size.height);
  const u32 row = pixel / width, x = pixel - row * width;
  const u32 z = image_.size.rank == 2 ? 0 : row / height, y = row - z * height;
  const auto join = [&](u32 neighbour) {
    const u32 basin = up_[neighbour];
    if ((basin & found) != 0) return;
    const u32 other = set_of(basin);
    if (other == set) return;
    // The set of more maxima takes in the other: that of most of the image stays where it is, and in the caches.
    scratch_.link[sets_[other].last] = rank;
    const u32 weight = (sets_[set].parent & ~is_root) + (sets_[other].parent & ~is_root);
    const bool other_grows = sets_[other].parent > sets_[set].parent;
    const u32 larger = other_grows ? other : set, smaller = other_grows ? set : other;
    sets_[smaller].parent = larger;
    sets_[larger] = {is_root | weight, rank};
    set = larger;
  };
  const auto inside = [](u32 at, i64 side) { return at > 0 && static_cast<i64>(at) + 1 < side; };
  if (inside(x, width_) && inside(y, image_.size.height) && (image_.size.rank == 2 || inside(z, image_.size.depth))) {
    for (int d = 1; d <= directions_; ++d) join(pixel + steps_[d]);
    return;
  }
  each_direction(row, [&](int direction, i64, i64 begin, i64 end) {
    if (begin <= x && x < end) join(pixel + steps_[direction]);
  });
}

// Asks for what a pixel will need: first for its own word and those of its neighbours, later for their sets.
template <class Key>
void ranked_tree<Key>::fetch_pixel(u64 pair) const {
  const u32 pixel = pixel_of(pair);
  __builtin_prefetch(up_ + pixel);
  if ((pair & meets_bit) == 0) return;
  for (const u32 step : far_) {
    const u32 neighbour = pixel + step;
    if (neighbour < pixels_) __builtin_prefetch(up_ + neighbour);
  }
}

template <class Key>
void ranked_tree<Key>::fetch_sets(u64 pair) const {
  const u32 pixel = pixel_of(pair);
  __builtin_prefetch(sets_ + (up_[pixel] & ~found));
  if ((pair & meets_bit) == 0 || directions_ > 8) return;
  for (int d = 1; d <= directions_; ++d) {
    const u32 neighbour = pixel + steps_[d];
    if (neighbour < pixels_) __builtin_prefetch(sets_ + (up_[neighbour] & ~found));
  }
}

template <class Key>
void ranked_tree<Key>::sweep() {
  const u64* const pairs = scratch_.pairs.data();
  u32* const link = scratch_.link.data();
  constexpr i64 far_ahead = 48, near_ahead = 16;
  for (i64 i = image_.size.pixels() - 1; i >= 0; --i) {
    if (i >= far_ahead) {
      fetch_pixel(pairs[i - far_ahead]);
      fetch_sets(pairs[i - near_ahead]);
    }
    const u32 pixel = pixel_of(pairs[i]), rank = static_cast<u32>(i);
    const u32 basin = up_[pixel] & ~found;
    up_[pixel] = basin;
    const u32 set = set_of(basin), before = sets_[set].last;
    if (before != no_rank) link[before] = rank;
    sets_[set].last = rank;
    if ((pairs[i] & meets_bit) != 0) join_neighbours(pixel, set, rank);
  }
  link[0] = 0;
}

}  // namespace

template <class Key>
void local_by_rank(engine::state& on, const key_image<Key>& image, ranked_scratch& scratch) {
  ranked_tree<Key> tree(on, image, scratch);
  tree.find_basins();
  sort(on, image.keys, image.size.pixels(), scratch);
  tree.sweep();
}

template void local_by_rank(engine::state&, const key_image<u16>&, ranked_scratch&);
template void local_by_rank(engine::state&, const key_image<u32>&, ranked_scratch&);

}  // namespace skerry::tree_stages

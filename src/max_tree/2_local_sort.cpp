// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the order of all pixels, for keys of 16 or 32 bits.
//
// Reads   keys
// Writes  pairs of key and pixel, by (key, index), whose places are the ranks; then for each tile its ranks and cells
// Method  a radix sort, whose digits are as large as the caches allow; each thread moves a part of the pixels. Dealing to
//         tiles is one more digit.
#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

// 2^11 places to write to are what the second-level cache holds.
constexpr int most_digit_bits = 11;

std::size_t parts_of(const engine::state& on, i64 count) {
  return static_cast<std::size_t>(std::clamp<i64>(count / block_pixels(on), 1, on.threads));
}

// One digit: digit_of(i) is that of element i; mover(begin) makes what moves elements from there on in order, by (i, to).
// Leaves where each part has come to.
template <class DigitOf, class Mover>
void pass(engine::state& on, i64 count, std::size_t parts, std::size_t buckets, buffer<u32>& memory, DigitOf digit_of,
          Mover mover) {
  memory.reserve(parts * buckets);
  u32* const places = memory.data();
  const auto each_part = [&](auto work) {
    for_each_in_parallel(on, parts, [&](std::size_t k) {
      const auto i = static_cast<i64>(k), all = static_cast<i64>(parts);
      work(count * i / all, count * (i + 1) / all, places + k * buckets);
    });
  };
  each_part([&](i64 begin, i64 end, u32* counts) {
    std::fill(counts, counts + buckets, 0u);
    for (i64 i = begin; i < end; ++i) ++counts[digit_of(i)];
  });
  u32 place = 0;
  for (std::size_t b = 0; b < buckets; ++b)
    for (std::size_t k = 0; k < parts; ++k) place += std::exchange(places[k * buckets + b], place);
  each_part([&](i64 begin, i64 end, u32* next) {
    auto move = mover(begin);
    for (i64 i = begin; i < end; ++i) move(i, next[digit_of(i)]++);
  });
}

// The places of pixels in raster order.
class place_walker {
 public:
  place_walker(const tiling& tiles, i64 width, i64 pixel)
      : tiles_(tiles), width_(width), row_(pixel / width), x_(pixel % width), place_of_row_(tiles.place_of_row(row_)) {}
  u32 next() {
    if (x_ == width_) {
      x_ = 0;
      place_of_row_ = tiles_.place_of_row(++row_);
    }
    return place_of_row_ + tiles_.place_of_column(x_++);
  }

 private:
  const tiling& tiles_;
  i64 width_, row_, x_;
  u32 place_of_row_;
};

struct key_range {
  u32 least = ~u32{0}, most = 0;
};

template <class Key>
key_range range_of(engine::state& on, const Key* keys, i64 pixels) {
  std::atomic<u32> least = ~u32{0}, most = 0;
  const row_blocks blocks(extent(pixels, 1), block_pixels(on));
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) {
    const auto [begin, end] = blocks[k];
    Key low = keys[begin], high = low;
    for (i64 i = begin; i < end; ++i) {
      low = std::min(low, keys[i]);
      high = std::max(high, keys[i]);
    }
    for (u32 seen = least; low < seen && !least.compare_exchange_weak(seen, low);) {}
    for (u32 seen = most; high > seen && !most.compare_exchange_weak(seen, high);) {}
  });
  return {least, most};
}

}  // namespace

template <class Key>
void sort(engine::state& on, const key_image<Key>& image, const tiling& tiles, ranked_scratch& scratch) {
  const Key* const keys = image.keys;
  const i64 pixels = image.size.pixels();
  const std::size_t parts = parts_of(on, pixels);
  const auto [least, most] = range_of(on, keys, pixels);
  // Of the bits in which keys differ, each pass takes the same share.
  const int bits = std::max(1, static_cast<int>(std::bit_width(most - least)));
  const int passes = (bits + most_digit_bits - 1) / most_digit_bits, each = (bits + passes - 1) / passes;
  const std::size_t buckets = std::size_t{1} << each;
  const u32 mask = static_cast<u32>(buckets - 1);
  u64 *to_words = scratch.pairs.data(), *from = scratch.room.data();
  if (passes % 2 == 0) std::swap(to_words, from);
  pass(
      on, pixels, parts, buckets, scratch.places, [=, low = least](i64 i) { return (keys[i] - low) & mask; },
      [&](i64 begin) {
        return [to_words, keys, walker = place_walker(tiles, image.size.width, begin)](i64 i, u32 to) mutable {
          to_words[to] = static_cast<u64>(keys[i]) << 32 | walker.next();
        };
      });
  for (int shift = each; shift < bits; shift += each) {
    std::swap(to_words, from);
    pass(
        on, pixels, parts, buckets, scratch.places,
        [=, low = least](i64 i) { return (static_cast<u32>(from[i] >> 32) - low) >> shift & mask; },
        [=](i64) { return [=](i64 i, u32 to) { to_words[to] = from[i]; }; });
  }
}

template void sort(engine::state&, const key_image<u16>&, const tiling&, ranked_scratch&);
template void sort(engine::state&, const key_image<u32>&, const tiling&, ranked_scratch&);

u64* sort_by_upper_half(engine::state& on, u64* words, u64* room, i64 count, buffer<u32>& places) {
  const std::size_t parts = parts_of(on, count);
  for (const int shift : {32, 43, 54}) {
    pass(
        on, count, parts, 2048, places, [=](i64 i) { return words[i] >> shift & 0x7ff; },
        [=](i64) { return [=](i64 i, u32 to) { room[to] = words[i]; }; });
    std::swap(words, room);
  }
  return words;
}

void deal(engine::state& on, const tiling& tiles, i64 pixels, ranked_scratch& scratch) {
  const u64* const pairs = scratch.pairs.data();
  u64* const cells = scratch.room.data();
  const int bits = tiles.cell_bits();
  const u32 mask = (1u << bits) - 1;
  scratch.parts = parts_of(on, pixels);
  pass(
      on, pixels, scratch.parts, tiles.tiles(), scratch.places,
      [=](i64 i) { return static_cast<u32>(pairs[i]) >> bits; },
      [=](i64) {
        return [=](i64 i, u32 to) { cells[to] = static_cast<u64>(i) << 32 | (static_cast<u32>(pairs[i]) & mask); };
      });
}

}  // namespace skerry::tree_stages

// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the order of all pixels, for keys of 64 bits.
//
// Reads   keys of 64 bits
// Writes  pairs of key and place, by (key, raster index), and for each pixel a key of 32 bits: how many keys are below its
//         own. After this trees of 64 bits are those of 32
// Method  sorted by the lower halves of the keys, and then by the upper ones
#include <algorithm>
#include <atomic>
#include <bit>

#include "engine/cpu/parallel.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

struct wide_range {
  u64 least = ~u64{0}, most = 0;
};

wide_range range_of(engine::state& on, const u64* keys, const row_blocks& blocks) {
  std::atomic<u64> least = ~u64{0}, most = 0;
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) {
    const auto [low, high] = std::minmax_element(keys + blocks[k].begin, keys + blocks[k].end);
    for (u64 seen = least; *low < seen && !least.compare_exchange_weak(seen, *low);) {}
    for (u64 seen = most; *high > seen && !most.compare_exchange_weak(seen, *high);) {}
  });
  return {least, most};
}

}  // namespace

void sort_wide(engine::state& on, const u64* wide, const extent& size, const tiling& tiles, ranked_scratch& scratch,
               u32* keys) {
  const i64 pixels = size.pixels();
  const row_blocks blocks(extent(pixels, 1), block_pixels(on));
  const auto [least, most] = range_of(on, wide, blocks);
  const auto each = [&](auto work) {  // work(i), for all pixels or ranks
    for_each_in_parallel(on, blocks.count(), [&](std::size_t k) {
      for (i64 i = blocks[k].begin; i < blocks[k].end; ++i) work(i);
    });
  };
  // Pairs of half a key and a pixel.
  u64 *words = scratch.pairs.data(), *room = scratch.room.data();
  const auto sort_halves = [&](int bits) {
    u64* const sorted = sort_by_upper_half(on, words, room, pixels, bits, scratch.places, scratch.lines);
    if (sorted != words) std::swap(words, room);
  };
  const int bits = static_cast<int>(std::bit_width(most - least));
  each([&, least = least](i64 i) { words[i] = (wide[i] - least) << 32 | static_cast<u64>(i); });
  sort_halves(std::min(bits, 32));
  if (bits > 32) {
    each([&, least = least](i64 i) {
      const auto pixel = static_cast<u32>(words[i]);
      words[i] = (wide[pixel] - least) >> 32 << 32 | pixel;
    });
    sort_halves(bits - 32);
  }
  // Keys are counted in each block, and then numbered.
  const auto is_new = [&](i64 i) { return wide[static_cast<u32>(words[i])] != wide[static_cast<u32>(words[i - 1])]; };
  scratch.places.reserve(blocks.count());
  u32* const before = scratch.places.data();
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) {
    before[k] = 0;
    for (i64 i = std::max<i64>(blocks[k].begin, 1); i < blocks[k].end; ++i) before[k] += is_new(i) ? 1 : 0;
  });
  u32 sum = 0;
  for (std::size_t k = 0; k < blocks.count(); ++k) sum += std::exchange(before[k], sum);
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) {
    u32 key = before[k];
    for (i64 i = blocks[k].begin; i < blocks[k].end; ++i) {
      const auto pixel = static_cast<u32>(words[i]);
      key += i != 0 && is_new(i) ? 1 : 0;
      keys[pixel] = key;
      room[i] = static_cast<u64>(key) << 32 | tiles.place_of(pixel);
    }
  });
  if (room != scratch.pairs.data()) std::swap(scratch.pairs, scratch.room);
}

}  // namespace skerry::tree_stages

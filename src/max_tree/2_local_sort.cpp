// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the order of all pixels, for keys of 16 or 32 bits.
//
// Reads   keys
// Writes  pairs of key and pixel, by (key, index), whose places are the ranks; then for each tile its ranks and cells
// Method  a radix sort, whose digits are as large as the caches allow; each thread moves a part of the pixels. Dealing to
//         tiles is one more digit.
#include <algorithm>
#include <utility>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

std::size_t parts_of(const engine::state& on, i64 count) {
  return static_cast<std::size_t>(std::clamp<i64>(count / block_pixels(on), 1, on.threads));
}

// One digit: digit_of(i) is that of element i, move(i, to) puts it in its place. Leaves where each part has come to.
template <class DigitOf, class Move>
void pass(engine::state& on, i64 count, std::size_t parts, std::size_t buckets, buffer<u32>& memory, DigitOf digit_of,
          Move move) {
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
    for (i64 i = begin; i < end; ++i) move(i, next[digit_of(i)]++);
  });
}

u64 pair_of(u64 key, i64 pixel) { return key << 32 | static_cast<u64>(pixel); }

}  // namespace

template <>
void sort(engine::state& on, const u16* keys, i64 pixels, ranked_scratch& scratch) {
  u64 *const pairs = scratch.pairs.data(), *const more = scratch.room.data();
  const std::size_t parts = parts_of(on, pixels);
  pass(
      on, pixels, parts, 256, scratch.places, [=](i64 i) { return keys[i] & 0xff; },
      [=](i64 i, u32 to) { more[to] = pair_of(keys[i], i); });
  pass(
      on, pixels, parts, 256, scratch.places, [=](i64 i) { return more[i] >> 40; },
      [=](i64 i, u32 to) { pairs[to] = more[i]; });
}

template <>
void sort(engine::state& on, const u32* keys, i64 pixels, ranked_scratch& scratch) {
  u64 *const pairs = scratch.pairs.data(), *const more = scratch.room.data();
  const std::size_t parts = parts_of(on, pixels);
  pass(
      on, pixels, parts, 2048, scratch.places, [=](i64 i) { return keys[i] & 0x7ff; },
      [=](i64 i, u32 to) { pairs[to] = pair_of(keys[i], i); });
  pass(
      on, pixels, parts, 2048, scratch.places, [=](i64 i) { return pairs[i] >> 43 & 0x7ff; },
      [=](i64 i, u32 to) { more[to] = pairs[i]; });
  pass(
      on, pixels, parts, 1024, scratch.places, [=](i64 i) { return more[i] >> 54; },
      [=](i64 i, u32 to) { pairs[to] = more[i]; });
}

u64* sort_by_upper_half(engine::state& on, u64* words, u64* room, i64 count, buffer<u32>& places) {
  const std::size_t parts = parts_of(on, count);
  for (const int shift : {32, 43, 54}) {
    pass(
        on, count, parts, 2048, places, [=](i64 i) { return words[i] >> shift & 0x7ff; },
        [=](i64 i, u32 to) { room[to] = words[i]; });
    std::swap(words, room);
  }
  return words;
}

void deal(engine::state& on, const tiling& tiles, i64 pixels, ranked_scratch& scratch) {
  const u64* const pairs = scratch.pairs.data();
  u64* const cells = scratch.room.data();
  scratch.parts = parts_of(on, pixels);
  pass(
      on, pixels, scratch.parts, tiles.tiles(), scratch.places,
      [=, &tiles](i64 i) { return tiles.place_of(static_cast<u32>(pairs[i])).tile; },
      [=, &tiles](i64 i, u32 to) {
        cells[to] = static_cast<u64>(i) << 32 | tiles.place_of(static_cast<u32>(pairs[i])).cell;
      });
}

}  // namespace skerry::tree_stages

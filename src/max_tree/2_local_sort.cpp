// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the order of the pixels of an image of wide keys.
//
// Reads   keys, and which pixels are meeting places
// Writes  pairs of key and pixel in the order of (key, index)
// Method  stable counting sort, from the lowest digit: two of 8 bits for u16, three of 11 for u32. Keys travel with their
//         pixels. Parts of the array are counted and moved by different threads, each to places of its own.
#include <algorithm>
#include <utility>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

// One digit: digit_of(i) is that of element i, move(i, to) puts it in its place.
template <int Bits, class DigitOf, class Move>
void pass(engine::state& on, i64 count, buffer<u32>& memory, DigitOf digit_of, Move move) {
  constexpr std::size_t buckets = std::size_t{1} << Bits;
  const i64 parts = std::clamp<i64>(count / block_pixels(on), 1, on.threads);
  memory.reserve(static_cast<std::size_t>(parts) * buckets);
  u32* const places = memory.data();
  const auto each_part = [&](auto work) {
    for_each_in_parallel(on, static_cast<std::size_t>(parts), [&](std::size_t k) {
      const auto i = static_cast<i64>(k);
      work(count * i / parts, count * (i + 1) / parts, places + k * buckets);
    });
  };
  each_part([&](i64 begin, i64 end, u32* counts) {
    std::fill(counts, counts + buckets, 0u);
    for (i64 i = begin; i < end; ++i) ++counts[digit_of(i)];
  });
  u32 place = 0;
  for (std::size_t b = 0; b < buckets; ++b)
    for (std::size_t k = 0; k < static_cast<std::size_t>(parts); ++k)
      place += std::exchange(places[k * buckets + b], place);
  each_part([&](i64 begin, i64 end, u32* next) {
    for (i64 i = begin; i < end; ++i) move(i, next[digit_of(i)]++);
  });
}

u64 pair_of(u64 key, i64 pixel, u8 meets) {
  return key << 32 | static_cast<u64>(meets) << 31 | static_cast<u64>(pixel);
}

}  // namespace

template <>
void sort(engine::state& on, const u16* keys, i64 pixels, ranked_scratch& scratch) {
  scratch.more_pairs.reserve(static_cast<std::size_t>(pixels));
  u64 *const pairs = scratch.pairs.data(), *const more = scratch.more_pairs.data();
  const u8* const meets = scratch.meets.data();
  pass<8>(
      on, pixels, scratch.places, [=](i64 i) { return keys[i] & 0xff; },
      [=](i64 i, u32 to) { more[to] = pair_of(keys[i], i, meets[i]); });
  pass<8>(
      on, pixels, scratch.places, [=](i64 i) { return more[i] >> 40; }, [=](i64 i, u32 to) { pairs[to] = more[i]; });
}

template <>
void sort(engine::state& on, const u32* keys, i64 pixels, ranked_scratch& scratch) {
  scratch.more_pairs.reserve(static_cast<std::size_t>(pixels));
  u64 *const pairs = scratch.pairs.data(), *const more = scratch.more_pairs.data();
  const u8* const meets = scratch.meets.data();
  pass<11>(
      on, pixels, scratch.places, [=](i64 i) { return keys[i] & 0x7ff; },
      [=](i64 i, u32 to) { pairs[to] = pair_of(keys[i], i, meets[i]); });
  pass<11>(
      on, pixels, scratch.places, [=](i64 i) { return pairs[i] >> 43 & 0x7ff; },
      [=](i64 i, u32 to) { more[to] = pairs[i]; });
  pass<10>(
      on, pixels, scratch.places, [=](i64 i) { return more[i] >> 54; }, [=](i64 i, u32 to) { pairs[to] = more[i]; });
}

}  // namespace skerry::tree_stages

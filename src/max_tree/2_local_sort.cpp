// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the order of the pixels of a strip.
//
// Reads   keys
// Writes  pixels in the order of (key, index)
// Method  stable counting sort, from the lowest digit: one of 8 bits for u8, two of 8 for u16, three of 11 for u32. Keys
//         travel with their pixels, the last pass drops them. Parts of the array are counted and moved by different
//         threads, each to places of its own.
#include <vector>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

struct part {
  i64 begin, end;
};

// One digit: digit_of(i) is that of element i, move(i, to) puts it in its place.
template <int Bits, class DigitOf, class Move>
void pass(engine::state* on, i64 count, DigitOf digit_of, Move move) {
  constexpr std::size_t buckets = std::size_t{1} << Bits;
  constexpr i64 least_part = i64{1} << 16;
  const i64 wanted = on != nullptr ? on->threads : 1, parts = std::max<i64>(1, std::min(wanted, count / least_part));
  std::vector<u32> places(static_cast<std::size_t>(parts) * buckets, 0);
  const auto each_part = [&](auto work) {
    const auto one = [&](std::size_t k) {
      const auto i = static_cast<i64>(k);
      work(part{count * i / parts, count * (i + 1) / parts}, places.data() + k * buckets);
    };
    if (parts == 1) return one(0);
    for_each_in_parallel(*on, static_cast<std::size_t>(parts), one);
  };
  each_part([&](part p, u32* counts) {
    for (i64 i = p.begin; i < p.end; ++i) ++counts[digit_of(i)];
  });
  u32 place = 0;
  for (std::size_t b = 0; b < buckets; ++b)
    for (std::size_t k = 0; k < static_cast<std::size_t>(parts); ++k) {
      u32& here = places[k * buckets + b];
      const u32 counted = here;
      here = place;
      place += counted;
    }
  each_part([&](part p, u32* next) {
    for (i64 i = p.begin; i < p.end; ++i) move(i, next[digit_of(i)]++);
  });
}

u64 pair_of(u64 key, i64 pixel) { return key << 32 | static_cast<u64>(pixel); }

}  // namespace

template <>
void sort(engine::state* on, const u8* keys, i64 pixels, strip_scratch& scratch) {
  u32* const order = scratch.order.data();
  pass<8>(
      on, pixels, [&](i64 i) { return keys[i]; }, [&](i64 i, u32 to) { order[to] = static_cast<u32>(i); });
}

template <>
void sort(engine::state* on, const u16* keys, i64 pixels, strip_scratch& scratch) {
  scratch.pairs.reserve(static_cast<std::size_t>(pixels));
  u64* const pairs = scratch.pairs.data();
  u32* const order = scratch.order.data();
  pass<8>(
      on, pixels, [&](i64 i) { return keys[i] & 0xff; }, [&](i64 i, u32 to) { pairs[to] = pair_of(keys[i], i); });
  pass<8>(
      on, pixels, [&](i64 i) { return pairs[i] >> 40; },
      [&](i64 i, u32 to) { order[to] = static_cast<u32>(pairs[i]); });
}

template <>
void sort(engine::state* on, const u32* keys, i64 pixels, strip_scratch& scratch) {
  scratch.pairs.reserve(static_cast<std::size_t>(pixels));
  scratch.more_pairs.reserve(static_cast<std::size_t>(pixels));
  u64 *const pairs = scratch.pairs.data(), *const more = scratch.more_pairs.data();
  u32* const order = scratch.order.data();
  pass<11>(
      on, pixels, [&](i64 i) { return keys[i] & 0x7ff; }, [&](i64 i, u32 to) { pairs[to] = pair_of(keys[i], i); });
  pass<11>(
      on, pixels, [&](i64 i) { return pairs[i] >> 43 & 0x7ff; }, [&](i64 i, u32 to) { more[to] = pairs[i]; });
  pass<10>(
      on, pixels, [&](i64 i) { return more[i] >> 54; }, [&](i64 i, u32 to) { order[to] = static_cast<u32>(more[i]); });
}

}  // namespace skerry::tree_stages

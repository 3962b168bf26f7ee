// SPDX-License-Identifier: Apache-2.0
// What the files of stage 5 that make areas, boxes and sums in lanes share. Compiled once for each instruction set, in Highway's way:
// include this file after <hwy/highway.h>; it has no other guard.
#if defined(SKERRY_LABEL_CPU_LANES_GEOMETRY) == defined(HWY_TARGET_TOGGLE)
#ifdef SKERRY_LABEL_CPU_LANES_GEOMETRY
#undef SKERRY_LABEL_CPU_LANES_GEOMETRY
#else
#define SKERRY_LABEL_CPU_LANES_GEOMETRY
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "core/feature.hpp"

HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t most_lanes = 8;
using lanes_u64 = hn::CappedTag<u64, most_lanes>;
using numbers = hn::Vec<lanes_u64>;

// Of numbers below 2^32.
HWY_INLINE numbers product(numbers a, numbers b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(lanes_u64(), hn::GetLane(a) * hn::GetLane(b));
#else
  const hn::Repartition<u32, lanes_u64> d;
  return hn::MulEven(hn::BitCast(d, a), hn::BitCast(d, b));
#endif
}

HWY_INLINE u64 sum_of(numbers lanes) { return hn::GetLane(hn::SumOfLanes(lanes_u64(), lanes)); }

struct counted_ones {
  numbers count, places;  // how many there are in each lane, and the sum of their places
};

// x86 without an instruction that counts ones in lanes, from SSSE3 on: halves of bytes are looked up, for the count and the sum of places.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3 && HWY_TARGET > HWY_AVX3_DL
using bytes_of_numbers = hn::Repartition<u8, lanes_u64>;

struct halves_of_bytes {
  hn::Vec<bytes_of_numbers> low, high;

  explicit HWY_INLINE halves_of_bytes(numbers bits) {
    const bytes_of_numbers d;
    const hn::Repartition<u16, lanes_u64> shifted;
    const auto half = hn::Set(d, 0xf);
    low = hn::And(hn::BitCast(d, bits), half);
    high = hn::And(hn::BitCast(d, hn::ShiftRight<4>(hn::BitCast(shifted, bits))), half);
  }
  // Of each byte: what the tables say of its halves, together.
  HWY_INLINE hn::Vec<bytes_of_numbers> look_up(const u8 (&of_low)[16], const u8 (&of_high)[16]) const {
    const bytes_of_numbers d;
    return hn::Add(hn::TableLookupBytes(hn::LoadDup128(d, of_low), low),
                   hn::TableLookupBytes(hn::LoadDup128(d, of_high), high));
  }
};

alignas(16) constexpr u8 ones_in_half[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4},
                         places_in_low_half[16] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6},
                         places_in_high_half[16] = {0, 4, 5, 9, 6, 10, 11, 15, 7, 11, 12, 16, 13, 17, 18, 22};

HWY_INLINE numbers count_in_lanes(numbers bits) {
  return hn::SumsOf8(halves_of_bytes(bits).look_up(ones_in_half, ones_in_half));
}

HWY_INLINE counted_ones count_and_place(numbers bits) {
  const lanes_u64 d;
  const bytes_of_numbers bytes;
  const hn::Repartition<u16, lanes_u64> pairs;
  const halves_of_bytes halves(bits);
  const auto ones = halves.look_up(ones_in_half, ones_in_half),
             places = halves.look_up(places_in_low_half, places_in_high_half);
  // A one in byte b adds 8 b to its place. Of the bytes 2 j and 2 j + 1, that is 8 times: 2 j for each one, and 1 more in the second.
  const auto second = hn::ShiftRight<8>(hn::BitCast(pairs, ones));
  const auto both = hn::Add(hn::And(hn::BitCast(pairs, ones), hn::Set(pairs, 0xff)), second);
  const auto first_bytes = hn::BitCast(pairs, hn::Set(d, 0x0006000400020000));
  const auto of_bytes = hn::SumsOf8(hn::BitCast(bytes, hn::Add(hn::Mul(both, first_bytes), second)));
  return {hn::SumsOf8(ones), hn::Add(hn::SumsOf8(places), hn::ShiftLeft<3>(of_bytes))};
}
#else
HWY_INLINE numbers count_in_lanes(numbers bits) { return hn::PopulationCount(bits); }

HWY_INLINE counted_ones count_and_place(numbers bits) {
  const lanes_u64 d;
  const auto some = [&](u64 which) { return hn::PopulationCount(hn::And(bits, hn::Set(d, which))); };
  numbers sum = hn::PopulationCount(hn::ShiftRight<32>(bits));
  sum = hn::Add(hn::Add(sum, sum), some(0xffff0000ffff0000));
  sum = hn::Add(hn::Add(sum, sum), some(0xff00ff00ff00ff00));
  sum = hn::Add(hn::Add(sum, sum), some(0xf0f0f0f0f0f0f0f0));
  sum = hn::Add(hn::Add(sum, sum), some(0xcccccccccccccccc));
  return {hn::PopulationCount(bits), hn::Add(hn::Add(sum, sum), some(0xaaaaaaaaaaaaaaaa))};
}
#endif

// Rows are read and written word by word.
static_assert(offsetof(geometry, sum) == 8 && offsetof(geometry, min) == 32 && offsetof(geometry, max) == 44);
constexpr std::size_t words_of_sums = 4;

// Adds an area, 0, and sums of y and x.
HWY_INLINE void add_sums(geometry& row, const u64* sums) {
  const hn::CappedTag<u64, words_of_sums> d;
  for (std::size_t i = 0; i < words_of_sums; i += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::LoadU(d, &row.area + i), hn::LoadU(d, sums + i)), d, &row.area + i);
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

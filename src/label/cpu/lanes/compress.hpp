// SPDX-License-Identifier: Apache-2.0
// Lanes and places side by side, and ones counted up to each lane. Vectors of 2 to 8 lanes use tables: counting takes longer there, and
// g++ 12 copies the table of Highway 1.0 for AVX2, 1 KB, to the stack for each vector. Compiled once for each instruction set, in Highway's
// way: include this file after <hwy/highway.h>; it has no other guard.
#if defined(SKERRY_LABEL_CPU_LANES_COMPRESS) == defined(HWY_TARGET_TOGGLE)
#ifdef SKERRY_LABEL_CPU_LANES_COMPRESS
#undef SKERRY_LABEL_CPU_LANES_COMPRESS
#else
#define SKERRY_LABEL_CPU_LANES_COMPRESS
#endif

#include <hwy/highway.h>

#include <bit>

#include "core/lane_tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether vectors of 32-bit numbers have 2 to 8 lanes, which tables of 8 bits cover.
constexpr bool has_short_vectors = hn::MaxLanes(hn::CappedTag<u32, 16>()) > 1 &&
                                   hn::MaxLanes(hn::CappedTag<u32, 16>()) <= 8;

// The lanes of 32 bits where `mask` is true, side by side. What lies behind them means nothing.
template <class D>
HWY_INLINE hn::Vec<D> compressed(D d, hn::Vec<D> lanes, hn::Mask<D> mask) {
  if constexpr (has_short_vectors) {
    u8 bits = 0;
    hn::StoreMaskBits(d, mask, &bits);
    const auto places = hn::LoadU(hn::Rebind<u8, D>(), place_of_ones.of[bits]);
    return hn::TableLookupLanes(lanes, hn::IndicesFromVec(d, hn::PromoteTo(d, places)));
  } else {
    return hn::Compress(lanes, mask);
  }
}

#if HWY_TARGET != HWY_SCALAR
// How many ones of `bits` lie up to each lane of 32 bits, itself included.
template <class D>
HWY_INLINE hn::Vec<D> ones_up_to_lanes(D d, u32 bits) {
  if constexpr (has_short_vectors) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<u8, D>(), ones_up_to_lane.of[bits & 0xff]));
  } else {
    alignas(64) static constexpr u32 up_to_lane[16] = {0x1,   0x3,   0x7,   0xf,   0x1f,   0x3f,   0x7f,   0xff,
                                                       0x1ff, 0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff, 0xffff};
    return hn::PopulationCount(hn::And(hn::Set(d, bits), hn::Load(d, up_to_lane)));
  }
}
#endif

// Writes the places of the ones of a word, counted on from `base`, and up to 32 numbers that mean nothing; returns the place behind
// the last.
HWY_INLINE u16* write_places(u64 bits, u32 base, u16* out) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const hn::CappedTag<u16, 32> d;
  auto places = hn::Iota(d, static_cast<u16>(base));
  for (int half = 0; half < 2; ++half, bits >>= 32) {
    const u32 part = static_cast<u32>(bits);
    hn::StoreU(hn::CompressBits(places, reinterpret_cast<const u8*>(&part)), d, out);
    out += count_ones(part);
    places = hn::Add(places, hn::Set(d, 32));
  }
#elif HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<u16, 8> d;
  const hn::FixedTag<u8, 8> bytes;
  auto first = hn::Set(d, static_cast<u16>(base));
  for (int byte = 0; byte < 8; ++byte, bits >>= 8) {
    const auto places = hn::PromoteTo(d, hn::LoadU(bytes, place_of_ones.of[bits & 0xff]));
    hn::StoreU(hn::Add(places, first), d, out);
    out += count_ones(bits & 0xff);
    first = hn::Add(first, hn::Set(d, 8));
  }
#else
  for (; bits != 0; bits &= bits - 1) *out++ = static_cast<u16>(base + std::countr_zero(bits));
#endif
  return out;
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

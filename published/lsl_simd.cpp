// SPDX-License-Identifier: Apache-2.0
// Light Speed Labeling with vector instructions ("Faster LSL"): 64 pixels become a mask, edges are where the mask differs
// from itself moved by a pixel, and the places of all edges of a vector are compressed and written at once. Without such
// an instruction it is a table of shuffles. Steps 2 and 5 are those of the run-length variant.
//
// Method  [Lemaitre2020]
#include <cstring>

#include "core/lane_tables.hpp"
#include "published/lsl.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "published/lsl_simd.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace skerry::published::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE u64 mask_of_64(const u8* HWY_RESTRICT pixels) {
  const hn::CappedTag<u8, 64> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  u64 mask = 0;
  for (std::size_t x = 0; x < 64; x += lanes) {
    u64 part = 0;
    hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, pixels + x), hn::Zero(d)), reinterpret_cast<u8*>(&part));
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
    // g++ 12 can keep a widened mask in a mask register, spill its 4 bytes, and load 8: hold it in a general one.
    if constexpr (lanes < 64) asm("" : "+r"(part));
#endif
    mask |= part << x;
  }
  return mask;
}

// Writes x + i for each bit i of `edges`, in order. Whole vectors are stored: compressing in a register and storing all of
// it is much faster than a store that compresses, on processors that do the latter in microcode (Zen 4). Vectors of 8 lanes have a table.
HWY_INLINE u32* store_edges(u64 edges, u32 x, u32* HWY_RESTRICT out) {
  const hn::CappedTag<u32, 16> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr u64 lane_mask = (u64{1} << lanes) - 1;
  for (; edges != 0; edges >>= lanes, x += static_cast<u32>(lanes)) {
    const u64 part = edges & lane_mask;
    if (part == 0) continue;
    if constexpr (lanes > 1 && lanes <= 8) {
      const auto places = hn::LoadU(hn::Rebind<u8, decltype(d)>(), place_of_ones.of[part]);
      hn::StoreU(hn::Add(hn::PromoteTo(d, places), hn::Set(d, x)), d, out);
    } else {
      hn::StoreU(hn::CompressBits(hn::Iota(d, x), reinterpret_cast<const u8*>(&part)), d, out);
    }
    out += count_ones(part);
  }
  return out;
}

u32 segment(const u8* pixels, i64 width, u32* rlc, u32*) {
  u32* out = rlc;
  u64 carry = 0;
  for (i64 x = 0; x <= width; x += 64) {  // one pixel past the last: a segment there ends
    u64 mask = 0;
    if (x + 64 <= width) {
      mask = mask_of_64(pixels + x);
    } else if (x < width) {
      u8 last[64] = {};
      std::memcpy(last, pixels + x, static_cast<std::size_t>(width - x));
      mask = mask_of_64(last);
    }
    out = store_edges(mask ^ (mask << 1 | carry), static_cast<u32>(x), out);
    carry = mask >> 63;
  }
  return static_cast<u32>(out - rlc);
}

}  // namespace skerry::published::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::published {
namespace {
HWY_EXPORT(segment);
}  // namespace

u64 lsl_simd(const task& work) {
  return run_lsl(work, {false, HWY_DYNAMIC_DISPATCH(segment), unify_by_walk, relabel_segments});
}

}  // namespace skerry::published
#endif

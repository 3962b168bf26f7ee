// SPDX-License-Identifier: Apache-2.0
// Sixteen numbers from places of their own, where an instruction set has that for lanes that a mask tells. Processors with AVX2 alone are left
// out: on some of them it takes longer than sixteen loads (docs/decisions/0139). Compiled once for each instruction set, in Highway's way:
// include this file after <hwy/highway.h>; it has no other guard.
#if defined(SKERRY_LABEL_CPU_LANES_GATHER) == defined(HWY_TARGET_TOGGLE)
#ifdef SKERRY_LABEL_CPU_LANES_GATHER
#undef SKERRY_LABEL_CPU_LANES_GATHER
#else
#define SKERRY_LABEL_CPU_LANES_GATHER
#endif

#include <hwy/highway.h>

#include "core/portable.hpp"

HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr u32 gathered_at_once = 16;

// As many lanes as are looked at at once, or the first `count`.
HWY_INLINE __mmask16 first_lanes(u64 count) {
  return static_cast<__mmask16>(count < gathered_at_once ? (1u << count) - 1 : 0xffff);
}

HWY_INLINE __m512i gathered(const u32* numbers, __m512i places, __mmask16 these) {
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), these, places, numbers, 4);
}
#endif

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// SPDX-License-Identifier: Apache-2.0
// Masked gathers of sixteen numbers of 32 bits, with AVX-512. AVX2 is left out: on some processors a gather takes longer than the loads
// (docs/decisions/0139). Compiled once for each instruction set, in Highway's way: include this file after <hwy/highway.h>; it has no
// other guard.
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

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
constexpr u32 gathered_at_once = 16;

HWY_INLINE __m512i all_numbers(u64 number) { return _mm512_set1_epi32(static_cast<int>(number)); }

// All lanes, or the first `count`.
HWY_INLINE __mmask16 first_lanes(u64 count) {
  return static_cast<__mmask16>(count < gathered_at_once ? (1u << count) - 1 : 0xffff);
}

// Places are below 2^31, as those of runs and components of a strip are.
HWY_INLINE __m512i gathered(const u32* numbers, __m512i places, __mmask16 these) {
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), these, places, numbers, 4);
}
#endif

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

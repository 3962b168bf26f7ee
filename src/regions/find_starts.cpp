// SPDX-License-Identifier: Apache-2.0
// Runs of equal labels: neighbours are compared 64 at a time, and what differs is listed bit by bit.
#include "regions/find_starts.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "regions/find_starts.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace skerry::regions::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bit i is set when label i differs from the one before it.
template <class Label>
HWY_INLINE u64 changes_of_64(const Label* row) {
  const hn::CappedTag<Label, 64> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  u64 bits = 0;
  for (std::size_t x = 0; x < 64; x += lanes) {
    u64 part = 0;
    hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, row + x), hn::LoadU(d, row + x - 1)), reinterpret_cast<u8*>(&part));
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
    // As in label/cpu/1_encode.cpp: g++ 12 can spill 4 bytes of a widened mask and load 8.
    if constexpr (lanes < 64) asm("" : "+r"(part));
#endif
    bits |= part << x;
  }
  return bits;
}

template <class Label>
HWY_INLINE std::size_t starts_of(const Label* row, std::size_t width, u32* starts) {
  std::size_t count = 0, x = 1;
  starts[count++] = 0;
  const auto list = [&](u64 changes, std::size_t from) {
    for (; changes != 0; changes &= changes - 1)
      starts[count++] = static_cast<u32>(from) + static_cast<u32>(std::countr_zero(changes));
  };
  for (; x + 64 <= width; x += 64) list(changes_of_64(row + x), x);
  if (width > 64) {  // the last 64 labels, without those that have been seen
    const std::size_t from = width - 64, seen = x - from;
    if (seen < 64) list(changes_of_64(row + from) >> seen << seen, from);
  } else {
    for (; x < width; ++x)
      if (row[x] != row[x - 1]) starts[count++] = static_cast<u32>(x);
  }
  starts[count] = static_cast<u32>(width);
  return count;
}

#define SKERRY_FIND_STARTS(Label)                                                     \
  std::size_t find_starts_##Label(const Label* row, std::size_t width, u32* starts) { \
    return starts_of(row, width, starts);                                             \
  }
SKERRY_FIND_STARTS(u8)
SKERRY_FIND_STARTS(u16)
SKERRY_FIND_STARTS(u32)
SKERRY_FIND_STARTS(u64)
#undef SKERRY_FIND_STARTS

}  // namespace skerry::regions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::regions {

HWY_EXPORT(find_starts_u8);
HWY_EXPORT(find_starts_u16);
HWY_EXPORT(find_starts_u32);
HWY_EXPORT(find_starts_u64);

std::size_t find_starts(const u8* row, std::size_t width, u32* starts) {
  return HWY_DYNAMIC_DISPATCH(find_starts_u8)(row, width, starts);
}
std::size_t find_starts(const u16* row, std::size_t width, u32* starts) {
  return HWY_DYNAMIC_DISPATCH(find_starts_u16)(row, width, starts);
}
std::size_t find_starts(const u32* row, std::size_t width, u32* starts) {
  return HWY_DYNAMIC_DISPATCH(find_starts_u32)(row, width, starts);
}
std::size_t find_starts(const u64* row, std::size_t width, u32* starts) {
  return HWY_DYNAMIC_DISPATCH(find_starts_u64)(row, width, starts);
}

}  // namespace skerry::regions
#endif

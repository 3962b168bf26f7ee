// SPDX-License-Identifier: Apache-2.0
// Method: as regions/find_starts.cpp, 64 pixels at a time.
#include "features/find_edges.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/find_edges.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace skerry::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using tag = hn::CappedTag<u32, 64>;

// Bit i is set where differing(x + i) has a lane that is not 0.
template <class Differing>
HWY_INLINE u64 edges_of_64(std::size_t x, Differing differing) {
  constexpr tag d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  u64 bits = 0;
  for (std::size_t i = 0; i < 64; i += lanes) {
    u64 part = 0;
    hn::StoreMaskBits(d, hn::Ne(differing(x + i), hn::Zero(d)), reinterpret_cast<u8*>(&part));
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
    // As in label/cpu/1_encode.cpp: g++ 12 can spill 4 bytes of a widened mask and load 8.
    asm("" : "+r"(part));
#endif
    bits |= part << i;
  }
  return bits;
}

template <class Differing, class DiffersAt>
HWY_INLINE std::size_t list_edges(std::size_t count, u32* places, Differing differing, DiffersAt differs_at) {
  std::size_t found = 0, x = 0;
  for (; x + 64 <= count; x += 64)
    for (u64 edges = edges_of_64(x, differing); edges != 0; edges &= edges - 1)
      places[found++] = static_cast<u32>(x) + static_cast<u32>(std::countr_zero(edges));
  for (; x < count; ++x)
    if (differs_at(x)) places[found++] = static_cast<u32>(x);
  return found;
}

std::size_t find_windows_of(const u32* above, const u32* below, std::size_t count, u32* places) {
  constexpr tag d;
  return list_edges(
      count, places,
      [&](std::size_t x) HWY_ATTR {
        const auto a = hn::LoadU(d, above + x), b = hn::LoadU(d, below + x);
        return hn::Or(hn::Xor(a, b),
                      hn::Or(hn::Xor(a, hn::LoadU(d, above + x - 1)), hn::Xor(b, hn::LoadU(d, below + x - 1))));
      },
      [&](std::size_t x) {
        return above[x] != below[x] || above[x] != *(above + x - 1) || below[x] != *(below + x - 1);
      });
}

std::size_t find_borders_of(const u32* const (&rows)[3], std::size_t count, u32* places) {
  constexpr tag d;
  const u32 *const above = rows[0], *const own = rows[1], *const below = rows[2];
  return list_edges(
      count, places,
      [&](std::size_t x) HWY_ATTR {
        const auto pixel = hn::LoadU(d, own + x);
        const auto other = [&](const u32* at) HWY_ATTR { return hn::Xor(pixel, hn::LoadU(d, at)); };
        return hn::Or(hn::Or(other(own + x - 1), other(own + x + 1)), hn::Or(other(above + x), other(below + x)));
      },
      [&](std::size_t x) {
        return own[x] != *(own + x - 1) || own[x] != own[x + 1] || own[x] != above[x] || own[x] != below[x];
      });
}

}  // namespace skerry::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::features {

HWY_EXPORT(find_windows_of);
HWY_EXPORT(find_borders_of);

std::size_t find_windows(const u32* above, const u32* below, std::size_t count, u32* places) {
  return HWY_DYNAMIC_DISPATCH(find_windows_of)(above, below, count, places);
}
std::size_t find_borders(const u32* const (&rows)[3], std::size_t count, u32* places) {
  return HWY_DYNAMIC_DISPATCH(find_borders_of)(rows, count, places);
}

}  // namespace skerry::features
#endif

// SPDX-License-Identifier: Apache-2.0
// What the files of stage 5 that make areas, boxes and sums in lanes share. Highway's way to compile it once for each instruction set:
// it is included after <hwy/highway.h>, and has no other guard.
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

// SPDX-License-Identifier: Apache-2.0
// Centroids of many rows.
//
//   vector  quotients of sums and areas, as many at once as the instruction set has
//   block   sums and areas of some rows, side by side
//
// Reads   rows of geometry
// Writes  their centroids along an axis, with the bits of centroid_along(): conversions and quotients are rounded once each
#include <algorithm>

#include "engine/cpu/instruction_set.hpp"
#include "label/columns/geometry_columns.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/columns/centroids.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// ---- vector -------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `count` is a multiple of the lanes of any instruction set, and the first two begin with a cache line.
void divide(const u64* sums, const u64* areas, std::size_t count, double* to) {
  const hn::CappedTag<double, 8> d;
  const hn::RebindToUnsigned<decltype(d)> whole;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(hn::Div(hn::ConvertTo(d, hn::Load(whole, sums + i)), hn::ConvertTo(d, hn::Load(whole, areas + i))), d,
               to + i);
}

}  // namespace skerry::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry {
namespace {

HWY_EXPORT(divide);

}  // namespace

// ---- block --------------------------------------------------------------------------------------------------------

void write_centroids(const feature_table& table, int place, std::size_t begin, std::size_t end, double* to) {
  constexpr std::size_t rows_of_block = 64, lanes = 8;
  alignas(64) u64 sums[rows_of_block], areas[rows_of_block];
  choose_instruction_set();
  for (std::size_t first = begin; first < end; first += rows_of_block, to += rows_of_block) {
    const std::size_t count = std::min(rows_of_block, end - first), in_vectors = count / lanes * lanes;
    write_coordinate_sums(table, place, first, first + count, sums);
    write_areas(table, 0, first, first + count, areas);
    HWY_DYNAMIC_DISPATCH(divide)(sums, areas, in_vectors, to);
    for (std::size_t row = in_vectors; row < count; ++row)
      to[row] = static_cast<double>(sums[row]) / static_cast<double>(areas[row]);
  }
}

}  // namespace skerry
#endif

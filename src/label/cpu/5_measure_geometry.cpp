// SPDX-License-Identifier: Apache-2.0
// Stage 5, CPU: areas, boxes and sums of coordinates.
//
//   vector  runs are sorted: those that begin a component, and those that come later; several rows at once
//   row     the first run of a component is its table row, written once; later ones are added
//
// Reads   edges and components of runs, label of each component
// Writes  table rows
//
// In noise most components have one run, and which run has a component that is new, no processor can foresee: nothing branches on it.
#include <algorithm>
#include <cstddef>

#include "core/feature.hpp"
#include "label/cpu/row_groups.hpp"
#include "label/cpu/stages.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/5_measure_geometry.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "label/cpu/lanes/compress.hpp"
#include "label/cpu/lanes/geometry.hpp"

// ---- vector -------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using lanes_u32 = hn::CappedTag<u32, 16>;

// So many runs of a row are done at once: their lists stay in the first-level cache.
constexpr u32 most_runs = 512, spare_runs = 16;  // spare ones are written, and mean nothing

struct run_list {
  u32 begin[most_runs + spare_runs], end[most_runs + spare_runs];
  u32 count = 0;
};

// Some runs of a row, sorted.
struct sorted_runs {
  run_list first, later;                  // of their component
  u32 component[most_runs + spare_runs];  // of the later ones
};

// Appends the runs at `mask`.
template <class Mask, class Numbers>
HWY_INLINE void append(run_list& list, Mask mask, Numbers begin, Numbers end) {
  const lanes_u32 d;
  hn::StoreU(compressed(d, begin, mask), d, list.begin + list.count);
  hn::StoreU(compressed(d, end, mask), d, list.end + list.count);
  list.count += static_cast<u32>(hn::CountTrue(d, mask));
}

// Which of the first `count` of some components are `next`, `next` + 1, …, each for the first time.
template <class Numbers>
HWY_INLINE auto new_among(Numbers component, const u32* components, u32 count, u32 next) {
  const lanes_u32 d;
  const auto unknown = hn::AndNot(hn::Lt(component, hn::Set(d, next)), hn::FirstN(d, count));
  const auto expected = hn::Add(hn::Iota(d, 0), hn::Set(d, next));
  const auto others = hn::FirstN(d, hn::CountTrue(d, unknown));
  if (HWY_LIKELY(hn::AllFalse(d, hn::And(hn::Ne(compressed(d, component, unknown), expected), others)))) return unknown;
  u64 bits = 0;  // one of them has several runs here
  for (u32 i = 0; i < count; ++i) {
    if (components[i] != next) continue;
    bits |= u64{1} << i;
    ++next;
  }
  return hn::LoadMaskBits(d, reinterpret_cast<const u8*>(&bits));
}

// Sorts `count` runs, when components before number `started` have begun. Reads up to 15 runs too many.
template <class Position>
HWY_INLINE void sort_runs(const Position* edges, const u32* component, u32 count, u32 started, sorted_runs& out) {
  const lanes_u32 d;
  const hn::Rebind<Position, lanes_u32> places;
  const auto lanes = static_cast<u32>(hn::Lanes(d));
  out.first.count = out.later.count = 0;
  for (u32 i = 0; i < count; i += lanes) {
    hn::Vec<decltype(places)> begins, ends;
    hn::LoadInterleaved2(places, edges + 2 * i, begins, ends);
    const auto components = hn::LoadU(d, component + i);
    const auto is_new = new_among(components, component + i, std::min(lanes, count - i), started + out.first.count);
    const auto is_later = hn::AndNot(is_new, hn::FirstN(d, count - i));
    const auto widened = [&](auto from) {
      if constexpr (sizeof(Position) < sizeof(u32)) return hn::PromoteTo(d, from);
      else return from;
    };
    append(out.first, is_new, widened(begins), widened(ends));
    hn::StoreU(compressed(d, components, is_later), d, out.component + out.later.count);
    append(out.later, is_later, widened(begins), widened(ends));
  }
}

// A row of the image; a plane has z = 0.
struct row_place {
  u64 z, y;
};

// What some runs of a row are, in lanes.
template <int Rank>
struct runs_in_lanes {
  numbers begin, last, area, sum_of_z, sum_of_y, sum_of_x;

  HWY_INLINE runs_in_lanes(const run_list& runs, u32 first, const row_place& at) {
    const lanes_u64 d;
    const hn::Rebind<u32, lanes_u64> half;
    begin = hn::PromoteTo(d, hn::LoadU(half, runs.begin + first));
    last = hn::Sub(hn::PromoteTo(d, hn::LoadU(half, runs.end + first)), hn::Set(d, 1));
    area = hn::Add(hn::Sub(last, begin), hn::Set(d, 1));
    if constexpr (Rank == 3) sum_of_z = product(area, hn::Set(d, at.z));
    else sum_of_z = hn::Zero(d);
    sum_of_y = product(area, hn::Set(d, at.y));
    sum_of_x = hn::ShiftRight<1>(product(area, hn::Add(begin, last)));
  }
};

constexpr u32 words_at_once = 4;

// Makes runs of a row table rows: four words, and four from the last of these on.
template <int Rank>
HWY_INLINE void begin_rows(const run_list& runs, const row_place& at, const u32* label, geometry* table) {
  const lanes_u64 d;
  const hn::CappedTag<u64, words_at_once> words;
  const auto lanes = static_cast<u32>(hn::Lanes(d));
  constexpr std::size_t words_ahead = 32 * sizeof(geometry) / sizeof(u64);
  alignas(64) u64 heads[words_at_once * most_lanes], tails[words_at_once * most_lanes];
  const auto of_y = hn::Set(d, at.y), least = hn::Set(d, at.z | at.y << 32), last_slice = hn::Set(d, at.z << 32);
  for (u32 k = 0; k < runs.count; k += lanes) {
    const runs_in_lanes<Rank> some(runs, k, at);
    hn::StoreInterleaved4(some.area, some.sum_of_z, some.sum_of_y, some.sum_of_x, d, heads);
    hn::StoreInterleaved4(some.sum_of_x, least, hn::Or(last_slice, some.begin),
                          hn::Or(hn::ShiftLeft<32>(some.last), of_y), d, tails);
    const u32 count = std::min(lanes, runs.count - k);  // a copy: for the compiler, rows may lie over runs.count
    for (u32 i = 0; i < count; ++i) {
      u64* const row = reinterpret_cast<u64*>(&table[label[k + i] - 1]);
      __builtin_prefetch(row + words_ahead, 1);  // caches do not see in time that rows of 56 bytes follow each other
      for (std::size_t word = 0; word < words_at_once; word += hn::Lanes(words)) {
        hn::StoreU(hn::LoadU(words, heads + words_at_once * i + word), words, row + word);
        hn::StoreU(hn::LoadU(words, tails + words_at_once * i + word), words, row + words_at_once - 1 + word);
      }
    }
  }
}

// ---- row ----------------------------------------------------------------------------------------------------------

// Runs come from the top of a plane down, and slice by slice: the last one of a component says where it ends.
template <int Rank>
HWY_INLINE void add_to_box(geometry& row, i64 z, i64 top, i64 bottom, u32 begin, u32 end) {
  if constexpr (Rank == 3) {
    row.max[0] = static_cast<i32>(z);
    row.min[1] = std::min(row.min[1], static_cast<i32>(top));
    row.max[1] = std::max(row.max[1], static_cast<i32>(bottom - 1));
  } else {
    row.max[1] = static_cast<i32>(bottom - 1);
  }
  row.min[2] = std::min(row.min[2], static_cast<i32>(begin));
  row.max[2] = std::max(row.max[2], static_cast<i32>(end - 1));
}

// Adds runs of a row to the table rows of their components. Where one component has many of them, its row is touched once for a vector:
// each touch waits for the one before.
template <int Rank>
HWY_INLINE void add_runs(const run_list& runs, const u32* component, const row_place& at, const u32* label,
                         geometry* table) {
  const lanes_u64 d;
  const hn::Rebind<u32, lanes_u64> half;
  const auto lanes = static_cast<u32>(hn::Lanes(d));
  const auto z = static_cast<i64>(at.z), y = static_cast<i64>(at.y);
  alignas(64) u64 sums[words_of_sums * most_lanes];
  for (u32 k = 0; k < runs.count; k += lanes) {
    const runs_in_lanes<Rank> some(runs, k, at);
    const auto components = hn::LoadU(half, component + k);
    if (k + lanes <= runs.count && hn::AllTrue(half, hn::Eq(components, hn::Set(half, component[k])))) {
      geometry& row = table[label[component[k]] - 1];
      row.area += sum_of(some.area);
      if constexpr (Rank == 3) row.sum[0] += sum_of(some.sum_of_z);
      row.sum[1] += sum_of(some.sum_of_y);
      row.sum[2] += sum_of(some.sum_of_x);
      add_to_box<Rank>(row, z, y, y + 1, runs.begin[k], runs.end[k + lanes - 1]);
      continue;
    }
    hn::StoreInterleaved4(some.area, some.sum_of_z, some.sum_of_y, some.sum_of_x, d, sums);
    const u32 count = std::min(lanes, runs.count - k);
    for (u32 i = 0; i < count; ++i) {
      geometry& row = table[label[component[k + i]] - 1];
      add_sums(row, sums + words_of_sums * i);
      add_to_box<Rank>(row, z, y, y + 1, runs.begin[k + i], runs.end[k + i]);
    }
  }
}

// The same for runs that rows share.
template <int Rank>
HWY_INLINE void add_later(geometry& row, const placed_run& run) {
  const geometry of_run = geometry_of(run);
  row.area += of_run.area;
  if constexpr (Rank == 3) row.sum[0] += of_run.sum[0];
  row.sum[1] += of_run.sum[1];
  row.sum[2] += of_run.sum[2];
  add_to_box<Rank>(row, run.z, run.top, run.bottom, static_cast<u32>(run.begin), static_cast<u32>(run.end));
}

template <int Rank, class Position>
void fill_rows(const strip& s, const extent& size, const Position* edges, const u32* label, geometry* table) {
  const u32* const component = s.component.data();
  sorted_runs runs;
  u32 started = 0;
  each_row_group(s, size, [&](const row_group& group) {
    const auto placed = [&](const run_list& list, u32 k) {
      return placed_run{group.z, group.top, group.bottom, list.begin[k], list.end[k]};
    };
    for (u32 i = group.runs.first; i < group.runs.end(); i += most_runs) {
      sort_runs(edges + 2 * u64{i}, component + i, std::min(most_runs, group.runs.end() - i), started, runs);
      if (group.bottom - group.top == 1) {
        const row_place at{static_cast<u64>(group.z), static_cast<u64>(group.top)};
        begin_rows<Rank>(runs.first, at, label + started, table);
        add_runs<Rank>(runs.later, runs.component, at, label, table);
      } else {
        for (u32 k = 0; k < runs.first.count; ++k) table[label[started + k] - 1] = geometry_of(placed(runs.first, k));
        for (u32 k = 0; k < runs.later.count; ++k)
          add_later<Rank>(table[label[runs.component[k]] - 1], placed(runs.later, k));
      }
      started += runs.first.count;
    }
  });
}

template <int Rank>
HWY_INLINE void fill_from_edges(const strip& s, const extent& size, const u32* label, geometry* table) {
  if (s.edges.kept == run_edges::form::short_form) fill_rows<Rank>(s, size, s.edges.short_edges.data(), label, table);
  else fill_rows<Rank>(s, size, s.edges.long_edges.data(), label, table);
}

void fill_of_plane(const strip& s, const extent& size, const u32* label, geometry* table) {
  fill_from_edges<2>(s, size, label, table);
}
void fill_of_volume(const strip& s, const extent& size, const u32* label, geometry* table) {
  fill_from_edges<3>(s, size, label, table);
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(fill_of_plane);
HWY_EXPORT(fill_of_volume);

}  // namespace

void measure_geometry(const strip& s, const extent& size, const u32* label, geometry* table) {
  label += s.first_component;
  if (size.rank == 3) HWY_DYNAMIC_DISPATCH(fill_of_volume)(s, size, label, table);
  else HWY_DYNAMIC_DISPATCH(fill_of_plane)(s, size, label, table);
}

}  // namespace skerry::label_stages
#endif

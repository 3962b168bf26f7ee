// SPDX-License-Identifier: Apache-2.0
// Stage 2, CPU, in bands: which runs of a strip are connected.
//
//   word    kinds of runs by carries of additions, pairs of touching runs by word logic
//   band    its runs are numbered, and united with those of the band above
//
// Reads   rows of bits of the strip, and of the band before
// Writes  runs of each band, component of each run
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/first_in_stretch.hpp"
#include "core/union_find.hpp"
#include "label/cpu/bands/bands.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/bands/2_local.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "label/cpu/lanes/compress.hpp"
#include "label/cpu/lanes/pairs.hpp"

HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {

// For each bit of `of`, from the lowest, whether `bits`, a subset, has it. Only with AVX-512 by pext: AMD processors before Zen 3 run it
// in microcode, and few runs of noise are lone (docs/decisions/0139).
HWY_INLINE u64 bits_among(u64 bits, u64 of) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return _pext_u64(bits, of);
#else
  u64 among = 0;
  for (; bits != 0; bits &= bits - 1) among |= u64{1} << count_ones(of & ((bits & (0 - bits)) - 1));
  return among;
#endif
}

// Marks which runs of a band are lone, from the left, from bit `first` on; bits before it are kept. Returns how many runs there are.
u64 mark_lone_runs(band_cursor band, i64 words, u64 first, u64* lone) {
  lone += first / 64;
  u64 filled = first % 64, marks = filled == 0 ? 0 : *lone & (~u64{0} >> (64 - filled)), runs = 0;
  for (i64 w = 0; w < words; ++w) {
    band.enter(w);
    const u64 known = band.first_uppers | band.lone_ends, next = bits_among(band.lone_ends, known);
    const u32 count = count_ones(known);
    marks |= next << filled;
    runs += count;
    if (filled + count >= 64) {
      *lone++ = marks;
      marks = filled == 0 ? 0 : next >> (64 - filled);
    }
    filled = (filled + count) % 64;
  }
  *lone = marks;
  return runs;
}

// The same for a band of two equal rows: none is lone.
u64 mark_no_runs(const u64* row, i64 words, u64 first, u64* lone) {
  twin_cursor band{{row, 0}};
  u64 runs = 0;
  for (i64 w = 0; w < words; ++w) {
    band.enter(w);
    runs += count_ones(band.starts);
  }
  if (first % 64 == 0) lone[first / 64] = 0;
  else lone[first / 64] &= ~u64{0} >> (64 - first % 64);
  for (u64 word = first / 64 + 1; word <= (first + runs) / 64; ++word) lone[word] = 0;
  return runs;
}

// Bits from `first` on, at least 57 of them.
HWY_INLINE u64 bits_from(const u64* bits, u64 first) {
  u64 some;
  std::memcpy(&some, reinterpret_cast<const u8*>(bits) + first / 8, sizeof(some));
  return some >> first % 8;
}

u32 count_marks(const u64* marks, u64 first, u64 end) {
  u32 count = 0;
  for (; first < end; first += 32) {
    const u64 left = end - first;
    count += count_ones(bits_from(marks, first) & (left >= 32 ? 0xffffffff : (u64{1} << left) - 1));
  }
  return count;
}

// Numbers `count` runs from the left, whose marks of lone runs begin at bit `first`.
void number_marked(const u64* lone, u64 first, u32 count, u32 number, u32* numbers) {
  u32 next_lone = number + count - count_marks(lone, first, first + count), next_upper = number;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<u32, 16> d;
  constexpr u32 lanes = hn::MaxLanes(d);
  alignas(64) static constexpr u32 lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (u32 k = 0; k < count; k += lanes) {
    const u64 mask = bits_from(lone, first + k) & ((u64{1} << lanes) - 1);
    const auto before = ones_up_to_lanes(d, static_cast<u32>(mask << 1));
    const auto of_lone = hn::Add(hn::Set(d, next_lone), before);
    const auto of_upper = hn::Sub(hn::Add(hn::Set(d, next_upper), hn::Load(d, lane)), before);
    hn::StoreU(hn::IfThenElse(hn::LoadMaskBits(d, reinterpret_cast<const u8*>(&mask)), of_lone, of_upper), d,
               numbers + k);
    next_lone += count_ones(mask);
    next_upper += lanes - count_ones(mask);
  }
#else
  for (u32 k = 0; k < count; ++k) numbers[k] = (bits_from(lone, first + k) & 1) != 0 ? next_lone++ : next_upper++;
#endif
}

// Unites the runs of a band with those of the band above.
template <class Band>
HWY_INLINE void unite_bands(Band above, const u32* numbers_above, Band own, u32 first_own, i64 words, u32* parent) {
  const union_find<u32, sharing::one_thread> sets(parent);
  many_pairs many(parent);
  first_in_stretch of_runs;
  const u32* left_above = numbers_above - 1;
  u32 left_own = first_own - 1;
  for (i64 w = 0; w < words; ++w) {
    above.enter(w);
    own.enter(w);
    u64 pairs = of_runs.of(touching_pairs<1>(above.lowest(), own.upper), above.starts | own.starts);
    if (many.are_many(pairs)) {
      many.take(above.starts, left_above + 1, own.first_uppers, left_own + 1, pairs);
      pairs = 0;
    }
    for (; pairs != 0; pairs &= pairs - 1) {
      const u64 up_to = up_to_lowest_one(pairs);
      sets.unite(left_above[count_ones(above.starts & up_to)], left_own + count_ones(own.first_uppers & up_to));
    }
    left_above += count_ones(above.starts);
    left_own += count_ones(own.first_uppers);
  }
  many.unite();
}

void unite_band(const band_cursor& above, const u32* numbers_above, const band_cursor& own, u32 first_own, i64 words,
                u32* parent) {
  unite_bands(above, numbers_above, own, first_own, words, parent);
}

void unite_twins(const u64* above, const u32* numbers_above, const u64* own, u32 first_own, i64 words, u32* parent) {
  unite_bands(twin_cursor{{above, 0}}, numbers_above, twin_cursor{{own, 0}}, first_own, words, parent);
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(mark_lone_runs);
HWY_EXPORT(number_marked);
HWY_EXPORT(unite_band);
HWY_EXPORT(unite_twins);
HWY_EXPORT(mark_no_runs);

bool same_rows(const strip& s, i64 a, i64 b) {
  return std::memcmp(s.bits.row(a), s.bits.row(b), static_cast<std::size_t>(s.bits.words_per_row()) * sizeof(u64)) == 0;
}

// Gives the band of row r runs of its own, each its own parent, and numbers them from the left.
void append_runs(strip& s, const band_cursor& band, i64 r) {
  const i64 words = s.bits.words_per_row();
  const u64 first = s.runs;
  s.lone.reserve_growing((first + static_cast<u64>(words) * 32) / 64 + 2);
  const u64 runs = s.twins ? HWY_DYNAMIC_DISPATCH(mark_no_runs)(band.upper.words, words, first, s.lone.data())
                           : HWY_DYNAMIC_DISPATCH(mark_lone_runs)(band, words, first, s.lone.data());
  s.component.reserve_growing(first + runs);
  std::iota(s.component.data() + first, s.component.data() + first + runs, static_cast<u32>(first));
  s.runs += runs;
  s.most_runs_of_row = std::max(s.most_runs_of_row, static_cast<u32>(runs));
  s.runs_of(r) = {static_cast<u32>(first), static_cast<u32>(runs)};
  s.numbers.reserve_growing(runs + spare_numbers_of_band);
  if (s.twins) std::iota(s.numbers.data(), s.numbers.data() + runs, static_cast<u32>(first));
  else HWY_DYNAMIC_DISPATCH(number_marked)
  (s.lone.data(), first, static_cast<u32>(runs), static_cast<u32>(first), s.numbers.data());
}

}  // namespace

void number_from_left(const strip& s, const row_runs& runs, u32* numbers) {
  HWY_DYNAMIC_DISPATCH(number_marked)(s.lone.data(), runs.first, runs.count, 0, numbers);
}

void local_bands(strip& s, i64 rows, i64 row_begin, i64 row_end) {
  const i64 words = s.bits.words_per_row();
  for (i64 r = row_begin; r < row_end; r += rows_of_band) {
    const bool is_first = r == s.row_begin;
    const bool twins = r + 1 < rows && same_rows(s, r, r + 1);
    const bool twins_above = std::exchange(s.twins, twins);
    const bool repeats = !is_first && twins && twins_above && same_rows(s, r - 1, r);
    if (repeats) {
      s.runs_of(r) = s.runs_of(r - 1);
      continue;
    }
    std::swap(s.numbers, s.numbers_above);
    const band_cursor own = cursor_of_band(s.bits, r, rows);
    append_runs(s, own, r);
    if (is_first || s.runs_of(r).count == 0 || s.runs_of(r - 1).count == 0) continue;
    const u32 first_own = s.runs_of(r).first;
    if (twins && twins_above) HWY_DYNAMIC_DISPATCH(unite_twins)
    (s.bits.row(r - 1), s.numbers_above.data(), own.upper.words, first_own, words, s.component.data());
    else HWY_DYNAMIC_DISPATCH(unite_band)(cursor_of_band(s.bits, r - rows_of_band, rows), s.numbers_above.data(), own,
                                          first_own, words, s.component.data());
  }
}

}  // namespace skerry::label_stages
#endif

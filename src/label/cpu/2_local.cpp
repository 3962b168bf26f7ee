// SPDX-License-Identifier: Apache-2.0
// Stage 2, CPU: unites the runs of one strip, row by row, on the bits alone.
//
//   word    64 pixels of a row and of its earlier rows: the pairs of touching runs, one bit each; popcounts number them, for one pair
//           or for all pixels at once (lanes/pairs.hpp)
//   row     shares the runs of a row that it repeats, or counts its own, each its own parent; unites the pairs; notes
//           where runs begin and end if anyone asks
//   strip   parents become components 0, 1, … in raster order
//
// Reads   rows of bits of the strip
// Writes  runs of each row, component and edges of each run
// Needs   the rows before, as far as the neighbourhood looks: one in 2D, height + 1 in 3D
// Method  run-based labelling [Lacassagne2011] on bit rows; the pairs are found by word logic, docs/journey.md
//
// Compiled once per instruction set: it lives on popcount, trailing zeros and bit masks (docs/decisions/0002).
#include <algorithm>
#include <cstring>

#include "core/neighbourhood.hpp"
#include "core/union_find.hpp"
#include "label/cpu/stages.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/2_local.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "label/cpu/lanes/compress.hpp"
#include "label/cpu/lanes/gather.hpp"
#include "label/cpu/lanes/pairs.hpp"

// ---- word ---------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {

u64 count_runs(const u64* words, i64 count) {
  row_cursor row{words, 0};
  for (i64 w = 0; w < count; ++w) {
    row.enter(w);
    row.leave();
  }
  return row.runs_before;
}

// Unites the runs of `row` with those of the earlier rows. `is_new`: its runs have no parents yet.
template <class Near>
HWY_INLINE void unite_row(earlier_rows rows, row_cursor row, i64 count, bool is_new, u32* parent) {
  const union_find<u32, sharing::one_thread> sets(parent);
  many_pairs many(parent);
  for (i64 w = 0; w < count; ++w) {
    row.enter(w);
    rows.above.enter(w);
    if constexpr (Near::rank == 3) {
      rows.back_above.enter(w);
      rows.back.enter(w);
      rows.back_below.enter(w);
    }
    const auto unite = [&](const row_cursor& earlier, u64 pairs) {
      for (; pairs != 0; pairs &= pairs - 1) {
        const u64 up_to = up_to_lowest_one(pairs);
        sets.unite(earlier.run_at(up_to), row.run_at(up_to));
      }
    };
    // All pairs first: g++ does not inline a function of this instruction set into code of neighbourhood, which is for all of them.
    const earlier_pairs pairs = Near::pairs_of(rows, row);
    if (many.are_many(pairs)) {
      many.take<Near::rank>(rows, row, pairs, is_new);
    } else {
      if constexpr (Near::rank == 3) unite(rows.back, pairs.back);
      unite(rows.above, pairs.above);
      if constexpr (Near::rank == 3) {
        unite(rows.back_above, pairs.back_above);
        unite(rows.back_below, pairs.back_below);
      }
    }
    row.leave();
    rows.above.leave();
    if constexpr (Near::rank == 3) {
      rows.back_above.leave();
      rows.back.leave();
      rows.back_below.leave();
    }
  }
  many.unite();
}

void unite_row_4(const earlier_rows& rows, const row_cursor& row, i64 count, bool is_new, u32* parent) {
  unite_row<near_4>(rows, row, count, is_new, parent);
}
void unite_row_8(const earlier_rows& rows, const row_cursor& row, i64 count, bool is_new, u32* parent) {
  unite_row<near_8>(rows, row, count, is_new, parent);
}
void unite_row_6(const earlier_rows& rows, const row_cursor& row, i64 count, bool is_new, u32* parent) {
  unite_row<near_6>(rows, row, count, is_new, parent);
}
void unite_row_18(const earlier_rows& rows, const row_cursor& row, i64 count, bool is_new, u32* parent) {
  unite_row<near_18>(rows, row, count, is_new, parent);
}
void unite_row_26(const earlier_rows& rows, const row_cursor& row, i64 count, bool is_new, u32* parent) {
  unite_row<near_26>(rows, row, count, is_new, parent);
}

// Writes begin and end of each run of a row. Writes up to 8 positions too many.
template <class Position>
void write_edges(const u64* words, i64 count, Position* out) {
  u64 carry = 0;
  for (i64 w = 0; w < count; ++w) {
    const u64 now = words[w];
    u64 borders = now ^ (now << 1 | carry);  // a run begins or ends at each
    carry = now >> 63;
    const auto left = static_cast<Position>(w * 64);
    Position* const next = out + count_ones(borders);
    while (borders != 0) {  // eight at a time: the number of rounds is easier to foresee than that of borders
      for (int k = 0; k < 8; ++k) {
        out[k] = static_cast<Position>(left + std::countr_zero(borders));
        borders &= borders - 1;
      }
      out += 8;
    }
    out = next;
  }
}

// The same by vectors. Writes up to 32 positions too many.
void write_short_edges(const u64* words, i64 count, u16* out) {
  u64 carry = 0;
  for (i64 w = 0; w < count; ++w) {
    const u64 now = words[w];
    out = write_places(now ^ (now << 1 | carry), static_cast<u32>(w * 64), out);
    carry = now >> 63;
  }
}
void write_long_edges(const u64* words, i64 count, u32* out) { write_edges(words, count, out); }

// ---- strip --------------------------------------------------------------------------------------------------------

// Parents become components 0, 1, … in the order of their first runs; returns how many there are.
u32 number_components(u64 runs, u32* parent) {
  u32 components = 0;
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (u64 i = 0; i < runs; i += gathered_at_once) {
    const __mmask16 these = first_lanes(runs - i);
    const __m512i above = _mm512_maskz_loadu_epi32(these, parent + i);
    const __mmask16 are_roots = _mm512_mask_cmpeq_epi32_mask(these, above, _mm512_add_epi32(all_numbers(i), lanes));
    const __mmask16 have_component = _mm512_mask_cmplt_epu32_mask(these, above, all_numbers(i));
    const __m512i of_roots = _mm512_maskz_expand_epi32(are_roots, _mm512_add_epi32(all_numbers(components), lanes));
    _mm512_mask_storeu_epi32(parent + i, these,
                             _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(above, are_roots, of_roots), have_component,
                                                   gathered(parent, above, have_component)));
    // The parents of the others are among these runs.
    for (u32 others = these & ~(u32{are_roots} | have_component); others != 0; others &= others - 1) {
      u32& own = parent[i + static_cast<u32>(std::countr_zero(others))];
      own = parent[own];
    }
    components += count_ones(u32{are_roots});
  }
#else
  for (u64 i = 0; i < runs; ++i) {
    const u32 above = parent[i];
    parent[i] = components;
    // A root reads what was just written; any other run what its parent has, which comes before it. A branch would be mispredicted in noise.
    parent[i] = parent[above];
    components += above == i ? 1 : 0;
  }
#endif
  return components;
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(count_runs);
HWY_EXPORT(number_components);
HWY_EXPORT(unite_row_4);
HWY_EXPORT(unite_row_8);
HWY_EXPORT(unite_row_6);
HWY_EXPORT(unite_row_18);
HWY_EXPORT(unite_row_26);
HWY_EXPORT(write_short_edges);
HWY_EXPORT(write_long_edges);

// ---- row ----------------------------------------------------------------------------------------------------------

using unite_function = void (*)(const earlier_rows&, const row_cursor&, i64, bool, u32*);

unite_function unite_function_for(int connectivity) {
  switch (connectivity) {
    case 4: return HWY_DYNAMIC_DISPATCH(unite_row_4);
    case 8: return HWY_DYNAMIC_DISPATCH(unite_row_8);
    case 6: return HWY_DYNAMIC_DISPATCH(unite_row_6);
    case 18: return HWY_DYNAMIC_DISPATCH(unite_row_18);
    default: return HWY_DYNAMIC_DISPATCH(unite_row_26);
  }
}

// A row of the strip with its bits and runs; an empty one where there is none.
struct strip_row {
  const u64* words;
  row_runs runs;
  bool exists;

  [[nodiscard]] row_cursor cursor() const { return {words, runs.first}; }
};

// Row r and the rows before it that its pixels can touch, within the strip and the image.
struct strip_rows {
  const strip& s;
  strip_row none, above, back_above, back, back_below;

  strip_rows(const strip& home, const extent& size, i64 r) : s(home), none{home.bits.no_row(), {}, false} {
    const i64 y = r % size.height;
    const bool behind = r >= size.height;
    above = row_if(y > 0, r - 1);
    back_above = row_if(behind && y > 0, r - size.height - 1);
    back = row_if(behind, r - size.height);
    back_below = row_if(behind && y + 1 < size.height, r - size.height + 1);
  }

 private:
  [[nodiscard]] strip_row row_if(bool exists, i64 r) const {
    return exists && r >= s.row_begin ? strip_row{s.bits.row(r), s.runs_of(r), true} : none;
  }
};

bool same_bits(const u64* a, const u64* b, i64 count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * 8) == 0;
}

template <class Element>
Element* appended(buffer<Element>& list, u64 first, u64 count) {
  list.reserve_growing(first + count + spare_of_runs);
  return list.data() + first;
}

void append_edges(strip& s, const u64* words, u64 first, u64 runs) {
  const i64 count = s.bits.words_per_row();
  if (s.edges.kept == run_edges::form::short_form)
    HWY_DYNAMIC_DISPATCH(write_short_edges)(words, count, appended(s.edges.short_edges, 2 * first, 2 * runs));
  if (s.edges.kept == run_edges::form::long_form)
    HWY_DYNAMIC_DISPATCH(write_long_edges)(words, count, appended(s.edges.long_edges, 2 * first, 2 * runs));
}

// Gives row r runs of its own, each its own parent.
row_runs append_runs(strip& s, const u64* words) {
  const i64 count = s.bits.words_per_row();
  const u64 first = s.runs, runs = HWY_DYNAMIC_DISPATCH(count_runs)(words, count);
  u32* own = appended(s.component, first, runs);
  for (u64 i = 0; i < runs; ++i) own[i] = static_cast<u32>(first + i);
  append_edges(s, words, first, runs);
  s.runs += runs;
  s.most_runs_of_row = std::max(s.most_runs_of_row, static_cast<u32>(runs));
  return {static_cast<u32>(first), static_cast<u32>(runs)};
}

// A row that repeats the one above touches what that one touches: the rows behind are done if they repeat each other too.
bool all_united_above(const strip_rows& rows) {
  return rows.back.runs == rows.back_above.runs && (!rows.back_below.exists || rows.back_below.runs == rows.back.runs);
}

// A row that repeats the one behind touches what that one touches, and the row above, unless that repeats too.
bool all_united_behind(const strip_rows& rows) { return rows.above.runs == rows.back_above.runs; }

}  // namespace

void local(strip& s, const extent& size, int connectivity, i64 row_begin, i64 row_end) {
  const unite_function unite = unite_function_for(connectivity);
  const i64 count = s.bits.words_per_row();
  for (i64 r = row_begin; r < row_end; ++r) {
    const u64* words = s.bits.row(r);
    strip_rows rows(s, size, r);
    row_runs& own = s.runs_of(r);
    bool is_new = false;
    const bool repeats_back = rows.back.exists && same_bits(words, rows.back.words, count);
    if (repeats_back && all_united_behind(rows)) {
      own = rows.back.runs;
      continue;
    }
    if (rows.above.exists && same_bits(words, rows.above.words, count)) {
      own = rows.above.runs;
      if (own.count == 0 || all_united_above(rows)) continue;
      rows.above = rows.none;
    } else if (repeats_back) {
      own = rows.back.runs;
      rows.back_above = rows.back = rows.back_below = rows.none;
    } else {
      own = append_runs(s, words);
      is_new = true;
    }
    if (own.count == 0) continue;
    unite({rows.above.cursor(), rows.back_above.cursor(), rows.back.cursor(), rows.back_below.cursor()},
          {words, own.first}, count, is_new, s.component.data());
  }
}

// ---- strip --------------------------------------------------------------------------------------------------------

void close_strip(strip& s) {
  s.components = HWY_DYNAMIC_DISPATCH(number_components)(s.runs, s.component.data());
  s.component.give_back_spare();
  s.lone.give_back_spare();
  s.numbers.give_back_spare();
  s.numbers_above.give_back_spare();
  s.edges.short_edges.give_back_spare();
  s.edges.long_edges.give_back_spare();
}

}  // namespace skerry::label_stages
#endif

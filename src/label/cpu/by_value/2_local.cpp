// SPDX-License-Identifier: Apache-2.0
// Stage 2, CPU, where pixels join by value: unites the runs of one strip along the pairs that stage 1 found.
//
//   word    64 pixels of a row and of an earlier one: the pairs that others do not imply
//   row     shares the runs of a row whose pixels it repeats, or counts its own, each its own parent; unites the pairs
//
// Reads   rows of bits: foreground, first pixels of runs, pairs
// Writes  runs of each row, component and edges of each run
// Method  as ../2_local.cpp, which has the same rules for rows that repeat; docs/decisions/0038
#include <algorithm>

#include "core/union_find.hpp"
#include "label/cpu/by_value/joins.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/by_value/2_local.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// ---- word ---------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {

u64 count_starts(const u64* starts, i64 words) {
  u64 runs = 0;
  for (i64 w = 0; w < words; ++w) runs += count_ones(starts[w]);
  return runs;
}

// Calls unite(run of the earlier row, run of the row) for pairs that are joined.
template <class Unite>
HWY_INLINE void each_joined_pair(const joined_row& of_row, const joined_row& of_earlier, const joined_pairs& pairs,
                                 i64 words, Unite unite) {
  broken_cursor row = of_row.runs, earlier = of_earlier.runs;
  u64 straight_carry = 0;
  for (i64 w = 0; w < words; ++w) {
    row.enter(w);
    earlier.enter(w);
    const u64 straight = pairs.straight[w], straight_before = straight << 1 | straight_carry;
    straight_carry = straight >> 63;
    const u64 row_goes_on = row.joined_left(), earlier_goes_on = earlier.joined_left();
    for (u64 open = straight & ~(straight_before & row_goes_on & earlier_goes_on); open != 0; open &= open - 1) {
      const u64 up_to = up_to_lowest_one(open);
      unite(earlier.run_at(up_to), row.run_at(up_to));
    }
    if (pairs.left != nullptr) {
      const u64 implied = (straight & earlier_goes_on) | (straight_before & row_goes_on);
      for (u64 open = pairs.left[w] & ~implied; open != 0; open &= open - 1) {
        const u64 up_to = up_to_lowest_one(open);
        unite(earlier.run_at(up_to >> 1), row.run_at(up_to));
      }
    }
    if (pairs.right != nullptr) {
      const u64 implied = (straight & row_goes_on) | (straight_before & earlier_goes_on);
      for (u64 open = pairs.right[w] & ~implied; open != 0; open &= open - 1) {
        const u64 up_to = up_to_lowest_one(open);
        unite(earlier.run_at(up_to), row.run_at(up_to >> 1));
      }
    }
    row.leave();
    earlier.leave();
  }
}

void unite_joined_runs(const joined_row& own, const joined_row& earlier, const joined_pairs& pairs, i64 words,
                       u32* parent) {
  const union_find<u32, sharing::one_thread> sets(parent);
  each_joined_pair(own, earlier, pairs, words, [&](u32 a, u32 b) { sets.unite(a, b); });
}

void unite_joined_components(const joined_row& own, const border_row& of_own, const joined_row& earlier,
                             const border_row& of_earlier, const joined_pairs& pairs, i64 words, u32* parent) {
  const union_find<u32, sharing::device> sets(parent);
  each_joined_pair(own, earlier, pairs, words,
                   [&](u32 a, u32 b) { sets.unite(of_earlier.component_of(a), of_own.component_of(b)); });
}

// Writes begin and end of each run of a row.
template <class Position>
void write_broken_edges(const u64* pixels, const u64* starts, i64 words, Position* out) {
  Position* begins = out;
  Position* ends = out + 1;
  u64 carry = 0;
  for (i64 w = 0; w < words; ++w) {
    const auto left = static_cast<Position>(w * 64);
    const u64 begun = starts[w], ended = (pixels[w] << 1 | carry) & (begun | ~pixels[w]);
    carry = pixels[w] >> 63;
    for (u64 open = begun; open != 0; open &= open - 1, begins += 2)
      *begins = static_cast<Position>(left + std::countr_zero(open));
    for (u64 open = ended; open != 0; open &= open - 1, ends += 2)
      *ends = static_cast<Position>(left + std::countr_zero(open));
  }
}

void write_broken_edges_u16(const u64* pixels, const u64* starts, i64 words, u16* out) {
  write_broken_edges(pixels, starts, words, out);
}
void write_broken_edges_u32(const u64* pixels, const u64* starts, i64 words, u32* out) {
  write_broken_edges(pixels, starts, words, out);
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(count_starts);
HWY_EXPORT(unite_joined_runs);
HWY_EXPORT(unite_joined_components);
HWY_EXPORT(write_broken_edges_u16);
HWY_EXPORT(write_broken_edges_u32);

// ---- row ----------------------------------------------------------------------------------------------------------

// Gives row r runs of its own, each its own parent.
row_runs append_broken_runs(strip& s, i64 r) {
  const i64 words = s.bits.words_per_row();
  const u64 *const pixels = s.bits.row(r), *const starts = s.starts.row(r);
  const u64 first = s.runs, runs = HWY_DYNAMIC_DISPATCH(count_starts)(starts, words);
  if (runs == 0) return {static_cast<u32>(first), 0};
  s.component.reserve_growing(first + runs + spare_of_runs);
  for (u64 i = first; i < first + runs; ++i) s.component[i] = static_cast<u32>(i);
  if (s.edges.kept == run_edges::form::short_form) {
    s.edges.short_edges.reserve_growing(2 * (first + runs) + spare_of_runs);
    HWY_DYNAMIC_DISPATCH(write_broken_edges_u16)(pixels, starts, words, s.edges.short_edges.data() + 2 * first);
  }
  if (s.edges.kept == run_edges::form::long_form) {
    s.edges.long_edges.reserve_growing(2 * (first + runs) + spare_of_runs);
    HWY_DYNAMIC_DISPATCH(write_broken_edges_u32)(pixels, starts, words, s.edges.long_edges.data() + 2 * first);
  }
  s.runs += runs;
  s.most_runs_of_row = std::max(s.most_runs_of_row, static_cast<u32>(runs));
  return {static_cast<u32>(first), static_cast<u32>(runs)};
}

// An earlier row of the strip.
struct known_row {
  i64 row = 0;
  bool exists = false;
  row_runs runs;
};

// One row and those before it that its pixels can touch, within the strip and the image.
class row_in_strip {
 public:
  // Rows from `row_begin` on were encoded together.
  row_in_strip(strip& s, const pixel_joins& joins, const extent& size, int connectivity, i64 r, i64 row_begin)
      : s_(s), joins_(joins), connectivity_(connectivity), row_(r), row_begin_(row_begin),
        pixels_(joins.pixels(r, s.joins.own)) {
    const i64 y = r % size.height;
    const bool behind = r >= size.height;
    above_ = row_if(y > 0, r - 1);
    back_above_ = row_if(behind && y > 0, r - size.height - 1);
    back_ = row_if(behind, r - size.height);
    back_below_ = row_if(behind && y + 1 < size.height, r - size.height + 1);
  }

  // Rows that repeat follow the rules of ../2_local.cpp.
  void add() {
    row_runs& own = s_.runs_of(row_);
    if (repeats_above()) {
      own = above_.runs;
      const bool united = back_.runs == back_above_.runs && (!back_below_.exists || back_below_.runs == back_.runs);
      if (own.count == 0 || united) return;
      above_.exists = false;
    } else if (repeats(back_)) {
      own = back_.runs;
      if (own.count == 0 || above_.runs == back_above_.runs) return;
      back_above_.exists = back_.exists = back_below_.exists = false;
    } else {
      own = append_broken_runs(s_, row_);
      if (own.count == 0) return;
    }
    unite_all(own);
  }

 private:
  [[nodiscard]] known_row row_if(bool exists, i64 r) const {
    return exists && r >= s_.row_begin ? known_row{r, true, s_.runs_of(r)} : known_row{};
  }
  [[nodiscard]] bool repeats_above() const {
    if (row_ == row_begin_) return repeats(above_);
    return above_.exists && s_.joins.repeats[static_cast<std::size_t>(row_ - row_begin_)];
  }
  [[nodiscard]] bool repeats(const known_row& earlier) const {
    return earlier.exists && joins_.same_pixels(pixels_, joins_.pixels(earlier.row, s_.joins.earlier));
  }

  // Where joining is transitive, a pixel that joins the one straight behind it joins by that what both of them touch.
  void unite_all(const row_runs& own) {
    const i64 words = s_.bits.words_per_row();
    const joined_row row{pixels_, {s_.bits.row(row_), s_.starts.row(row_), own.first}};
    const u64* const all = row.runs.words;
    u64* const rest = s_.joins.masks.data() + 4 * words;
    const u64* open = all;
    if (const u64* const straight = unite(row, back_, 1, all); straight != nullptr && joins_.transitive()) {
      for (i64 w = 0; w < words; ++w) rest[w] = all[w] & ~straight[w];
      open = rest;
    }
    unite(row, above_, 1, connectivity_ == 26 ? open : all);
    unite(row, back_above_, 2, open);
    unite(row, back_below_, 2, open);
  }

  // Returns the pairs of pixels straight behind each other, if there are any.
  const u64* unite(const joined_row& row, const known_row& earlier, int moved, const u64* open) {
    const int reach = reach_of(axes_of(connectivity_), moved);
    if (!earlier.exists || reach < 0 || earlier.runs.count == 0) return nullptr;
    const joined_row other{joins_.pixels(earlier.row, s_.joins.earlier),
                           {s_.bits.row(earlier.row), s_.starts.row(earlier.row), earlier.runs.first}};
    const joined_pairs pairs = joins_.pairs(row, other, reach, open, s_.joins);
    if (pairs.straight != nullptr)
      HWY_DYNAMIC_DISPATCH(unite_joined_runs)(row, other, pairs, s_.bits.words_per_row(), s_.component.data());
    return pairs.straight;
  }

  strip& s_;
  const pixel_joins& joins_;
  int connectivity_;
  i64 row_, row_begin_;
  const std::byte* pixels_;
  known_row above_, back_above_, back_, back_below_;
};

}  // namespace

void local_joined(strip& s, const pixel_joins& joins, const extent& size, int connectivity, i64 row_begin,
                  i64 row_end) {
  for (i64 r = row_begin; r < row_end; ++r) row_in_strip(s, joins, size, connectivity, r, row_begin).add();
}

void unite_components(const joined_row& own, const border_row& of_own, const joined_row& earlier,
                      const border_row& of_earlier, const joined_pairs& pairs, i64 words, u32* parent) {
  if (pairs.straight == nullptr) return;
  HWY_DYNAMIC_DISPATCH(unite_joined_components)(own, of_own, earlier, of_earlier, pairs, words, parent);
}

}  // namespace skerry::label_stages
#endif

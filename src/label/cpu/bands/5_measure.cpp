// SPDX-License-Identifier: Apache-2.0
// Stage 5, CPU, in bands: one row of features for each label, of images that need areas, boxes and sums of coordinates alone.
//
//   word    pieces of runs within 64 columns: sums of several at once, by counting bits
//   band    its pieces join the table rows of their labels
//
// Reads   rows of bits, component of each run, label of each component
// Writes  table rows, as measure() does
//
// A column of a run has a pixel in the upper row of its band, in the lower, or in both. So sums over the pixels are those over an
// interval of columns, and those over the columns that have both.
#include <algorithm>
#include <cstddef>

#include "core/feature.hpp"
#include "label/cpu/bands/bands.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/bands/5_measure.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "label/cpu/lanes/compress.hpp"
#include "label/cpu/lanes/geometry.hpp"

// ---- word ---------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// So many words of a band are done at once: what is known of their pieces stays in the first-level cache.
constexpr i64 words_at_once = 16;
constexpr std::size_t most_pieces = words_at_once * 32, spare_pieces = 64;  // spare ones are written, and mean nothing

// The pieces of runs in some words, from the left. `first` and `last`: columns, counted from the first of these words. `run`: 1 is the
// first run that begins in these words, 0 one that goes on from the words before. `upper`, `lower`: the word of each row that the piece
// lies in.
struct piece_list {
  template <class Number>
  using of_each = Number[most_pieces + spare_pieces];
  of_each<u16> first, last, run;
  alignas(64) of_each<u64> upper, lower;
  u32 count;
};

alignas(64) constexpr u16 lane_numbers[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// Writes 32 consecutive numbers.
HWY_INLINE void list_numbers(u32 first, u16* numbers) {
  const hn::CappedTag<u16, 32> d;
  for (std::size_t i = 0; i < 32; i += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::Load(d, lane_numbers + i), hn::Set(d, static_cast<u16>(first))), d, numbers + i);
}

// Words of two rows, from column x of the image on; the upper row is row y.
struct band_words {
  const u64 *upper, *lower;
  i64 x, y;
};

// Writes a number at least `count` times: whole vectors.
HWY_INLINE void repeat(u64 number, u32 count, u64* out) {
  const lanes_u64 d;
  for (u32 k = 0; k < count; k += static_cast<u32>(hn::Lanes(d))) hn::StoreU(hn::Set(d, number), d, out + k);
}

// Some pieces in lanes: what they add to the rows of their components, and which have pixels in the upper row, and in the lower.
struct pieces_in_lanes {
  numbers area, below, sum_of_x;
  u8 in_upper, in_lower;

  HWY_INLINE pieces_in_lanes(const band_words& words, const piece_list& pieces, u32 k) {
    const lanes_u64 d;
    const hn::Rebind<u16, lanes_u64> columns;
    const hn::Rebind<u32, lanes_u64> half;
    const numbers none = hn::Zero(d), one = hn::Set(d, 1), top_bit = hn::Set(d, 63);
    const auto widened = [&](const u16* from) {
      return hn::PromoteTo(d, hn::PromoteTo(half, hn::LoadU(columns, from)));
    };
    const numbers first = widened(pieces.first + k), further = hn::Sub(widened(pieces.last + k), first);
    const numbers piece = hn::Shr(hn::Set(d, ~u64{0}), hn::And(hn::Sub(top_bit, further), top_bit));
    const auto part = [&](const u64* row) {
      return hn::And(hn::Shr(hn::LoadU(d, row + k), hn::And(first, top_bit)), piece);
    };
    const numbers above = part(pieces.upper), under = part(pieces.lower);
    const auto [of_both, places_of_both] = count_and_place(hn::And(above, under));
    const numbers width = hn::Add(further, one), x = hn::Add(hn::Set(d, static_cast<u64>(words.x)), first);
    const numbers of_interval = hn::ShiftRight<1>(product(further, width));
    area = hn::Add(width, of_both);
    below = count_in_lanes(under);
    sum_of_x = hn::Add(product(area, x), hn::Add(of_interval, places_of_both));
    hn::StoreMaskBits(d, hn::Ne(above, none), &in_upper);
    hn::StoreMaskBits(d, hn::Ne(under, none), &in_lower);
  }
};

// ---- band ---------------------------------------------------------------------------------------------------------

constexpr u32 pieces_at_once = most_lanes;

HWY_INLINE void add_to_box(geometry& row, const band_words& words, bool in_upper, bool in_lower, u32 first, u32 last) {
  row.min[1] = std::min(row.min[1], static_cast<i32>(words.y + (in_upper ? 0 : 1)));
  row.max[1] = std::max(row.max[1], static_cast<i32>(words.y + (in_lower ? 1 : 0)));
  row.min[2] = std::min(row.min[2], static_cast<i32>(words.x + first));
  row.max[2] = std::max(row.max[2], static_cast<i32>(words.x + last));
}

// Adds eight pieces of one component to its row. Pieces come from the left: the first has the least column, the last the greatest.
HWY_INLINE void add_together(const band_words& words, const piece_list& pieces, u32 first, geometry& row) {
  const lanes_u64 d;
  pieces_in_lanes all(words, pieces, first);
  u32 in_upper = all.in_upper, in_lower = all.in_lower;
  for (u32 k = static_cast<u32>(hn::Lanes(d)); k < pieces_at_once; k += static_cast<u32>(hn::Lanes(d))) {
    const pieces_in_lanes some(words, pieces, first + k);
    all.area = hn::Add(all.area, some.area);
    all.below = hn::Add(all.below, some.below);
    all.sum_of_x = hn::Add(all.sum_of_x, some.sum_of_x);
    in_upper |= some.in_upper;
    in_lower |= some.in_lower;
  }
  const u64 area = sum_of(all.area);
  row.area += area;
  row.sum[1] += area * static_cast<u64>(words.y) + sum_of(all.below);
  row.sum[2] += sum_of(all.sum_of_x);
  add_to_box(row, words, in_upper != 0, in_lower != 0, pieces.first[first], pieces.last[first + pieces_at_once - 1]);
}

// Adds each of `count` pieces, at most eight, to the row of its label.
template <class LabelOf>
HWY_INLINE void add_one_by_one(const band_words& words, const piece_list& pieces, u32 first, u32 count,
                               const LabelOf& label, geometry* table) {
  const lanes_u64 d;
  alignas(64) u64 sums[words_of_sums * pieces_at_once];
  u32 in_upper = 0, in_lower = 0;
  for (u32 k = 0; k < count; k += static_cast<u32>(hn::Lanes(d))) {
    const pieces_in_lanes some(words, pieces, first + k);
    const numbers sum_of_y = hn::Add(product(some.area, hn::Set(d, static_cast<u64>(words.y))), some.below);
    hn::StoreInterleaved4(some.area, hn::Zero(d), sum_of_y, some.sum_of_x, d, sums + words_of_sums * k);
    in_upper |= u32{some.in_upper} << k;
    in_lower |= u32{some.in_lower} << k;
  }
  for (u32 k = 0; k < count; ++k) {
    geometry& row = table[label(first + k) - 1];
    add_sums(row, sums + words_of_sums * k);
    add_to_box(row, words, in_upper >> k & 1, in_lower >> k & 1, pieces.first[first + k], pieces.last[first + k]);
  }
}

// Lists the pieces of some words. `before` is 1 where a run goes on from the words before. Returns how many runs begin in these.
HWY_INLINE u32 list_pieces(const band_words& words, i64 count, u64& before, piece_list& out) {
  u32 runs = 0, listed = 0;
  for (i64 w = 0; w < count; ++w) {
    const u64 columns = words.upper[w] | words.lower[w], firsts = columns & ~(columns << 1);
    const auto base = static_cast<u32>(64 * w), pieces = static_cast<u32>(hwy::PopCount(firsts));
    const u32 goes_on = static_cast<u32>(columns & before);  // the first piece is of that run
    write_places(firsts, base, out.first + listed);
    write_places(columns & ~(columns >> 1), base, out.last + listed);
    list_numbers(runs + 1 - goes_on, out.run + listed);
    repeat(words.upper[w], pieces, out.upper + listed);
    repeat(words.lower[w], pieces, out.lower + listed);
    runs += pieces - goes_on;
    listed += pieces;
    before = columns >> 63;
  }
  out.count = listed;
  return runs;
}

// Adds the pieces of runs, whose labels are `labels` from the left. In large components many successive ones have the same label.
HWY_INLINE void add_pieces(const band_words& words, const piece_list& pieces, const u32* labels, geometry* table) {
  const auto label = [&](u32 piece) { return labels[i64{pieces.run[piece]} - 1]; };
  const auto all_same = [&](u32 first) {
    u32 others = 0;
    for (u32 k = 1; k < pieces_at_once; ++k) others |= label(first + k) ^ label(first);
    return others == 0;
  };
  for (u32 first = 0; first < pieces.count; first += pieces_at_once) {
    const u32 count = std::min(pieces_at_once, pieces.count - first);
    if (count == pieces_at_once && all_same(first)) add_together(words, pieces, first, table[label(first) - 1]);
    else add_one_by_one(words, pieces, first, count, label, table);
  }
}

// Joins the runs of two unlike rows, of which the upper one is row y. `labels` are those of the runs from the left.
void add_band(const u64* const (&rows)[2], i64 words, i64 y, const u32* labels, geometry* table) {
  piece_list pieces;
  u64 before = 0;
  for (i64 w = 0; w < words; w += words_at_once) {
    const band_words some{rows[0] + w, rows[1] + w, 64 * w, y};
    const u32 runs = list_pieces(some, std::min(words_at_once, words - w), before, pieces);
    add_pieces(some, pieces, labels, table);
    labels += runs;
  }
}

// The same for the equal rows `of`.
void add_twins(const u64* bits, i64 words, const band_rows& of, const u32* labels, geometry* table) {
  const auto rows = static_cast<u64>(of.end - of.begin);
  const u64 sum_of_y = rows * static_cast<u64>(of.begin + of.end - 1) / 2;
  u64 before = 0;
  for (i64 w = 0; w < words; ++w) {
    const u64 columns = bits[w];
    labels -= columns & before;
    u64 ends = columns & ~(columns >> 1);
    for (u64 begins = columns & ~(columns << 1); begins != 0; begins &= begins - 1, ends &= ends - 1) {
      const i64 first = std::countr_zero(begins), last = std::countr_zero(ends);
      const auto width = static_cast<u64>(last - first + 1);
      geometry& row = table[*labels++ - 1];
      row.area += width * rows;
      row.sum[1] += width * sum_of_y;
      row.sum[2] += rows * (width * static_cast<u64>(128 * w + first + last) / 2);
      row.min[1] = std::min(row.min[1], static_cast<i32>(of.begin));
      row.max[1] = static_cast<i32>(of.end - 1);
      row.min[2] = std::min(row.min[2], static_cast<i32>(64 * w + first));
      row.max[2] = std::max(row.max[2], static_cast<i32>(64 * w + last));
    }
    before = columns >> 63;
  }
}

u32 largest_of(const u32* numbers, u32 count) {
  const hn::CappedTag<u32, 16> d;
  const auto lanes = static_cast<u32>(hn::Lanes(d));
  auto most = hn::Zero(d);
  u32 k = 0, largest = 0;
  for (; k + lanes <= count; k += lanes) most = hn::Max(most, hn::LoadU(d, numbers + k));
  for (; k < count; ++k) largest = std::max(largest, numbers[k]);
  return std::max(largest, hn::GetLane(hn::MaxOfLanes(d, most)));
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(add_band);
HWY_EXPORT(add_twins);
HWY_EXPORT(largest_of);

}  // namespace

void measure_bands(const strip& s, const band_rows& of, i64 image_rows, const band_table& to, u32& started) {
  const i64 words = s.bits.words_per_row();
  const u32* const label = to.label + s.first_component;
  for (i64 r = of.begin, next; r < of.end; r = next) {
    const row_runs runs = s.runs_of(r);
    for (next = r + rows_of_band; next < of.end && s.runs_of(next) == runs;) next += rows_of_band;
    if (runs.count == 0) continue;
    const u32 last = HWY_DYNAMIC_DISPATCH(largest_of)(s.component.data() + runs.first, runs.count);
    for (const geometry none = empty_geometry(2); started <= last; ++started) to.rows[label[started] - 1] = none;
    const u64* const other = other_row_of_band(s, image_rows, r);
    u32* const labels = to.row_labels.data() + room_of_labels / 2;
    labels_from_left(s, r, other != nullptr, label, labels, labels);
    if (other != nullptr) HWY_DYNAMIC_DISPATCH(add_band)({s.bits.row(r), other}, words, r, labels, to.rows);
    else HWY_DYNAMIC_DISPATCH(add_twins)
    (s.bits.row(r), words, {r, std::min(next, image_rows)}, labels, to.rows);
  }
}

}  // namespace skerry::label_stages
#endif

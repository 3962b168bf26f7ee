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
#include <cstring>

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

// First and last columns of the pieces of runs, from the left, counted from the first of those words; and the run of each piece: 1 is the
// first that begins in these words, 0 one that goes on from the words before.
struct piece_list {
  u16 first[most_pieces + spare_pieces], last[most_pieces + spare_pieces], run[most_pieces + spare_pieces];
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

// What pieces add to the rows of their components: area, 0, sums of y and x; least 0, y, x, and 0; most y, x.
struct piece_sums {
  alignas(64) u64 sums[(most_pieces + spare_pieces) * words_of_sums];
  alignas(64) i32 least[(most_pieces + spare_pieces) * 4];
  alignas(64) i32 most[(most_pieces + spare_pieces) * 2];
};

// Sum of the places of ones, in each lane.
HWY_INLINE numbers sum_of_places(numbers bits) {
  const lanes_u64 d;
  const auto some = [&](u64 which) { return hn::PopulationCount(hn::And(bits, hn::Set(d, which))); };
  numbers sum = hn::PopulationCount(hn::ShiftRight<32>(bits));
  sum = hn::Add(hn::Add(sum, sum), some(0xffff0000ffff0000));
  sum = hn::Add(hn::Add(sum, sum), some(0xff00ff00ff00ff00));
  sum = hn::Add(hn::Add(sum, sum), some(0xf0f0f0f0f0f0f0f0));
  sum = hn::Add(hn::Add(sum, sum), some(0xcccccccccccccccc));
  return hn::Add(hn::Add(sum, sum), some(0xaaaaaaaaaaaaaaaa));
}

// Words of two rows, from column x of the image on; the upper row is row y.
struct band_words {
  const u64 *upper, *lower;
  i64 x, y;
};

HWY_INLINE void sum_pieces(const band_words& words, const piece_list& pieces, piece_sums& out) {
  const lanes_u64 d;
  const hn::RebindToSigned<lanes_u64> places;
  const hn::Rebind<u16, lanes_u64> columns;
  const hn::Rebind<u32, lanes_u64> half;
  const hn::Rebind<i32, lanes_u64> narrow;
  const numbers none = hn::Zero(d), y = hn::Set(d, static_cast<u64>(words.y)), one = hn::Set(d, 1),
                top_bit = hn::Set(d, 63);
  const auto narrowed = [&](numbers from) { return hn::BitCast(narrow, hn::TruncateTo(half, from)); };
  const auto widened = [&](const u16* from) { return hn::PromoteTo(d, hn::PromoteTo(half, hn::LoadU(columns, from))); };
  for (u32 k = 0; k < pieces.count; k += static_cast<u32>(hn::Lanes(d))) {
    const numbers first = widened(pieces.first + k), further = hn::Sub(widened(pieces.last + k), first);
    const numbers piece = hn::Shr(hn::Set(d, ~u64{0}), hn::And(hn::Sub(top_bit, further), top_bit));
    const auto word = hn::BitCast(places, hn::And(hn::ShiftRight<6>(first), hn::Set(d, words_at_once - 1)));
    const auto part = [&](const u64* row) {
      return hn::And(hn::Shr(hn::GatherIndex(d, row, word), hn::And(first, top_bit)), piece);
    };
    const numbers above = part(words.upper), below = part(words.lower), twice = hn::And(above, below);
    const numbers width = hn::Add(further, one), area = hn::Add(width, hn::PopulationCount(twice));
    const numbers x = hn::Add(hn::Set(d, static_cast<u64>(words.x)), first);
    const numbers of_interval = hn::ShiftRight<1>(product(further, width));
    hn::StoreInterleaved4(area, none, hn::Add(product(area, y), hn::PopulationCount(below)),
                          hn::Add(product(area, x), hn::Add(of_interval, sum_of_places(twice))), d,
                          out.sums + words_of_sums * k);
    const numbers top = hn::Add(y, hn::IfThenElseZero(hn::Eq(above, none), one));
    const numbers bottom = hn::Add(y, hn::IfThenZeroElse(hn::Eq(below, none), one));
    const auto zero = hn::Zero(narrow);
    hn::StoreInterleaved4(zero, narrowed(top), narrowed(x), zero, narrow, out.least + 4 * k);
    hn::StoreInterleaved2(narrowed(bottom), narrowed(hn::Add(x, further)), narrow, out.most + 2 * k);
  }
}

// ---- band ---------------------------------------------------------------------------------------------------------

// Joins the words of so many pieces, and then them to those at `to`: additions to the same row wait for each other.
template <u32 pieces, class D, class Number, class With>
HWY_INLINE void join_words(D d, std::size_t words, const Number* from, Number* to, With with) {
  for (std::size_t i = 0; i < words; i += hn::Lanes(d)) {
    auto all = hn::LoadU(d, from + i);
    for (u32 k = 1; k < pieces; ++k) all = with(all, hn::LoadU(d, from + words * k + i));
    hn::StoreU(with(hn::LoadU(d, to + i), all), d, to + i);
  }
}

// Joins so many successive pieces of one component to its row, from piece `first` on.
template <u32 pieces>
HWY_INLINE void join_pieces(geometry& row, const piece_sums& from, u32 first) {
  const auto sum = [](auto a, auto b) { return hn::Add(a, b); };
  const auto least = [](auto a, auto b) { return hn::Min(a, b); };
  const auto most = [](auto a, auto b) { return hn::Max(a, b); };
  join_words<pieces>(hn::CappedTag<u64, 4>(), 4, from.sums + 4 * first, &row.area, sum);
  join_words<pieces>(hn::CappedTag<i32, 4>(), 4, from.least + 4 * first, row.min, least);
  join_words<pieces>(hn::CappedTag<i32, 2>(), 2, from.most + 2 * first, row.max + 1, most);
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
    runs += pieces - goes_on;
    listed += pieces;
    before = columns >> 63;
  }
  std::memset(out.first + listed, 0, most_lanes * sizeof(u16));  // spare ones are looked up, too
  out.count = listed;
  return runs;
}

// Joins the pieces of runs, whose labels are `labels` from the left. In large components many successive ones have the same label.
HWY_INLINE void join_all(const piece_list& pieces, const piece_sums& sums, const u32* labels, geometry* table) {
  constexpr u32 together = 8;
  const auto label = [&](u32 piece) { return labels[i64{pieces.run[piece]} - 1]; };
  const auto all_same = [&](u32 first) {
    u32 others = 0;
    for (u32 k = 1; k < together; ++k) others |= label(first + k) ^ label(first);
    return others == 0;
  };
  for (u32 first = 0; first < pieces.count; first += together) {
    const u32 end = std::min(first + together, pieces.count);
    if (end == first + together && all_same(first)) join_pieces<together>(table[label(first) - 1], sums, first);
    else
      for (u32 k = first; k < end; ++k) join_pieces<1>(table[label(k) - 1], sums, k);
  }
}

// Joins the runs of two unlike rows, of which the upper one is row y. `labels` are those of the runs from the left.
void add_band(const u64* const (&rows)[2], i64 words, i64 y, const u32* labels, geometry* table) {
  piece_list pieces;
  piece_sums sums;
  u64 before = 0;
  for (i64 w = 0; w < words; w += words_at_once) {
    const band_words some{rows[0] + w, rows[1] + w, 64 * w, y};
    const u32 runs = list_pieces(some, std::min(words_at_once, words - w), before, pieces);
    sum_pieces(some, pieces, sums);
    join_all(pieces, sums, labels, table);
    labels += runs;
  }
}

// The same for `height` equal rows from row y on.
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
    const u32* const labels = labels_from_left(s, r, other != nullptr, label, to.row_labels);
    if (other != nullptr) HWY_DYNAMIC_DISPATCH(add_band)({s.bits.row(r), other}, words, r, labels, to.rows);
    else HWY_DYNAMIC_DISPATCH(add_twins)
    (s.bits.row(r), words, {r, std::min(next, image_rows)}, labels, to.rows);
  }
}

}  // namespace skerry::label_stages
#endif

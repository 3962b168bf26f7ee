// SPDX-License-Identifier: Apache-2.0
// Method: logic on words of 64 pixels, and counts of ones in the runs of regions. Euler number: with a closed pixel come a face and
// two edges, one more for each side where its region ends, and those of its corners that no earlier pixel has; what is left of
// the sum are pixels that begin the region (nothing of it to the left, above, or across that corner), less those that join it
// from above across the right corner alone. Lines enter a region as often as they leave it.
#include "features/pattern_words.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/pattern_words.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace skerry::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using tag = hn::CappedTag<u64, bit_words::after>;
using words = hn::Vec<tag>;

HWY_INLINE words load(const bit_words& of, std::size_t word) { return hn::LoadU(tag(), of.data() + word); }

// For each pixel the bit of the one before it, or after it.
HWY_INLINE words from_left(words of, words before) { return hn::Or(hn::Add(of, of), hn::ShiftRight<63>(before)); }
HWY_INLINE words from_right(words of, words after) { return hn::Or(hn::ShiftRight<1>(of), hn::ShiftLeft<63>(after)); }
HWY_INLINE words left_of(const bit_words& of, std::size_t word) {
  return from_left(load(of, word), hn::LoadU(tag(), of.data() + word - 1));
}
HWY_INLINE words right_of(const bit_words& of, std::size_t word) {
  return from_right(load(of, word), load(of, word + 1));
}

void find_border_of(const pairs_around& pairs, i64 width, bit_words& to) {
  const std::size_t count = bit_words::count_of(width);
  for (std::size_t w = 0; w < count; w += hn::Lanes(tag())) {
    const words beside = hn::And(load(pairs.own->left, w), right_of(pairs.own->left, w));
    const words over = hn::And(load(pairs.own->above, w), load(pairs.below->above, w));
    hn::StoreU(hn::Not(hn::And(beside, over)), tag(), to.data() + w);
  }
}

void find_euler_parts_of(const row_pairs& pairs, i64 width, pattern_words& to) {
  const std::size_t count = bit_words::count_of(width);
  for (std::size_t w = 0; w < count; w += hn::Lanes(tag())) {
    const words above = load(pairs.above, w);
    const words before = hn::Or(hn::Or(load(pairs.left, w), above), load(pairs.falling, w));
    hn::StoreU(hn::Not(before), tag(), to.begins.data() + w);
    hn::StoreU(hn::AndNot(above, load(pairs.rising, w)), tag(), to.joins.data() + w);
  }
}

// How many of four bits are set.
struct count_of_four {
  words ones, twos, fours;
  HWY_INLINE count_of_four(words a, words b, words c, words d) {
    const words first = hn::Xor(a, b), then = hn::Xor(c, d), two_first = hn::And(a, b), two_then = hn::And(c, d);
    ones = hn::Xor(first, then);
    twos = hn::Xor(hn::Xor(two_first, two_then), hn::And(first, then));
    fours = hn::And(two_first, two_then);
  }
  [[nodiscard]] HWY_INLINE words is_0() const { return hn::Not(hn::Or(hn::Or(ones, twos), fours)); }
  [[nodiscard]] HWY_INLINE words is_1() const { return hn::AndNot(twos, ones); }
  [[nodiscard]] HWY_INLINE words is_2() const { return hn::AndNot(ones, twos); }
  [[nodiscard]] HWY_INLINE words is_3() const { return hn::And(ones, twos); }
};

void find_lengths_of(const pairs_around& pairs, const bit_words* const (&borders)[3], i64 width, pattern_words& to) {
  const std::size_t count = bit_words::count_of(width);
  const bit_words &up = *borders[0], &own = *borders[1], &down = *borders[2];
  const row_pairs &row = *pairs.own, &below = *pairs.below;
  for (std::size_t w = 0; w < count; w += hn::Lanes(tag())) {
    const count_of_four beside(hn::And(load(row.left, w), left_of(own, w)),
                               hn::And(right_of(row.left, w), right_of(own, w)),
                               hn::And(load(row.above, w), load(up, w)), hn::And(load(below.above, w), load(down, w)));
    const count_of_four across(
        hn::And(load(row.falling, w), left_of(up, w)), hn::And(load(row.rising, w), right_of(up, w)),
        hn::And(right_of(below.falling, w), right_of(down, w)), hn::And(left_of(below.rising, w), left_of(down, w)));
    const words border = load(own, w);
    const words straight = hn::AndNot(hn::Or(across.is_3(), across.fours), beside.twos);
    const words slanted = hn::Or(hn::And(beside.is_0(), across.is_2()), hn::And(beside.is_1(), across.is_3()));
    const words both = hn::And(beside.is_1(), hn::Or(across.is_1(), across.is_2()));
    hn::StoreU(hn::And(border, straight), tag(), to.side.data() + w);
    hn::StoreU(hn::And(border, slanted), tag(), to.diagonal.data() + w);
    hn::StoreU(hn::And(border, both), tag(), to.mixed.data() + w);
  }
}

HWY_INLINE i64 ones(u64 bits) { return static_cast<i64>(count_ones(bits)); }

// Calls add(word, mask) for the words of a run.
template <class Add>
HWY_INLINE void each_word(const region_run& run, Add add) {
  const auto begin = static_cast<std::size_t>(run.begin), last = static_cast<std::size_t>(run.end - 1);
  const u64 up_to_last = ~u64{0} >> (63 - last % 64);
  u64 mask = ~u64{0} << (begin % 64);
  for (std::size_t word = begin / 64; word <= last / 64; ++word, mask = ~u64{0})
    add(word, word == last / 64 ? mask & up_to_last : mask);
}

template <bool Euler, bool Lines, bool Lengths>
HWY_INLINE void add_runs(const pattern_row& row, pattern_counts* counts) {
  const u64 *const left = row.pairs.left.data(), *const above = row.pairs.above.data(),
                   *const falling = row.pairs.falling.data(), *const rising = row.pairs.rising.data();
  const u64 *const begins = row.words.begins.data(), *const joins = row.words.joins.data();
  const u64 *const side = row.words.side.data(), *const diagonal = row.words.diagonal.data(),
                   *const mixed = row.words.mixed.data();
  const i64 times = row.times;
  for (const region_run& run : row.runs) {
    pattern_counts& to = counts[run.region];
    each_word(run, [&](std::size_t w, u64 mask) HWY_ATTR {
      if constexpr (Euler) to.windows[0] += times * (ones(mask & begins[w]) - ones(mask & joins[w]));
      if constexpr (Lines) {
        to.windows[1] += times * (ones(mask & ~left[w]) + ones(mask & ~above[w]));
        to.windows[2] += times * (ones(mask & ~falling[w]) + ones(mask & ~rising[w]));
      }
      if constexpr (Lengths) {
        to.lengths[0] += times * ones(mask & side[w]);
        to.lengths[1] += times * ones(mask & diagonal[w]);
        to.lengths[2] += times * ones(mask & mixed[w]);
      }
    });
  }
}

void add_patterns_of(const pattern_row& row, unsigned wanted, pattern_counts* counts) {
  const bool euler = (wanted & uses_euler) != 0, lines = (wanted & uses_lines) != 0,
             lengths = (wanted & uses_lengths) != 0;
  if (lines) return lengths ? add_runs<true, true, true>(row, counts) : add_runs<true, true, false>(row, counts);
  if (!euler) return add_runs<false, false, true>(row, counts);
  return lengths ? add_runs<true, false, true>(row, counts) : add_runs<true, false, false>(row, counts);
}

}  // namespace skerry::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::features {

HWY_EXPORT(find_border_of);
HWY_EXPORT(find_euler_parts_of);
HWY_EXPORT(find_lengths_of);
HWY_EXPORT(add_patterns_of);

void find_border(const pairs_around& pairs, i64 width, bit_words& to) {
  HWY_DYNAMIC_DISPATCH(find_border_of)(pairs, width, to);
}
void find_euler_parts(const row_pairs& pairs, i64 width, pattern_words& to) {
  HWY_DYNAMIC_DISPATCH(find_euler_parts_of)(pairs, width, to);
}
void find_lengths(const pairs_around& pairs, const bit_words* const (&borders)[3], i64 width, pattern_words& to) {
  HWY_DYNAMIC_DISPATCH(find_lengths_of)(pairs, borders, width, to);
}
void add_patterns(const pattern_row& row, unsigned wanted, pattern_counts* counts) {
  HWY_DYNAMIC_DISPATCH(add_patterns_of)(row, wanted, counts);
}

}  // namespace skerry::features
#endif

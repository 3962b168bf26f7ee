// SPDX-License-Identifier: Apache-2.0
// Unites pairs of touching runs sixteen at a time, where a word has many of them (docs/decisions/0144). In noise most new runs get their
// first parent without a search for roots, and most other pairs are of one set already. Compiled once for each instruction set, in
// Highway's way: include this file after <hwy/highway.h>; it has no other guard.
#if defined(SKERRY_LABEL_CPU_LANES_PAIRS) == defined(HWY_TARGET_TOGGLE)
#ifdef SKERRY_LABEL_CPU_LANES_PAIRS
#undef SKERRY_LABEL_CPU_LANES_PAIRS
#else
#define SKERRY_LABEL_CPU_LANES_PAIRS
#endif

#include <hwy/highway.h>

#include "core/first_in_stretch.hpp"
#include "core/neighbourhood.hpp"
#include "core/union_find.hpp"
#include "label/cpu/lanes/gather.hpp"

HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3_DL
// A byte for each pixel of a word: the run that holds it, or else the last one before it. Runs are counted from the first that starts in
// the word; the one before that is -1.
HWY_INLINE __m512i runs_at_pixels(u64 starts) {
  const auto bytes_of = [](u64 word) {  // each of them at its eight pixels
    const __m512i byte_of_pixel =
        _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                         0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    return _mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<i64>(word)), byte_of_pixel);
  };
  const __m512i up_to_pixel = _mm512_set1_epi64(static_cast<i64>(0xff7f3f1f0f070301));
  const __m128i ones_of_bytes = _mm_popcnt_epi8(_mm_cvtsi64_si128(static_cast<i64>(starts)));
  const u64 ones_before = static_cast<u64>(_mm_cvtsi128_si64(ones_of_bytes)) * 0x0101010101010100;
  const __m512i ones = _mm512_popcnt_epi8(_mm512_and_si512(bytes_of(starts), up_to_pixel));
  return _mm512_add_epi8(bytes_of(ones_before), _mm512_sub_epi8(ones, _mm512_set1_epi8(1)));
}

// The runs of a row at pixels of a word.
class runs_of_row {
 public:
  HWY_INLINE runs_of_row(u64 starts, u32 first) : at_(runs_at_pixels(starts)), first_(all_numbers(first)) {}

  // Puts the runs at `pixels` side by side.
  HWY_INLINE void keep(u64 pixels) { at_ = _mm512_maskz_compress_epi8(pixels, at_); }
  // Puts those that lie side by side at `places`.
  HWY_INLINE void spread(u64 places) { at_ = _mm512_maskz_expand_epi8(places, at_); }
  // The numbers of the next sixteen runs.
  HWY_INLINE __m512i numbers() const {
    return _mm512_add_epi32(first_, _mm512_cvtepi8_epi32(_mm512_castsi512_si128(at_)));
  }
  // Goes on to the sixteen after them.
  HWY_INLINE void go_on() { at_ = _mm512_alignr_epi64(at_, at_, 2); }

 private:
  __m512i at_, first_;
};

// The same for the earlier rows of a volume: at each pixel, the run of a row that has a pair there.
class runs_of_earlier_rows {
 public:
  HWY_INLINE runs_of_earlier_rows(const earlier_rows& rows, const earlier_pairs& pairs)
      : at_(runs_at_pixels(rows.back.starts)), row_(_mm512_setzero_si512()),
        first_(_mm512_setr_epi32(static_cast<int>(rows.back.runs_before), static_cast<int>(rows.above.runs_before),
                                 static_cast<int>(rows.back_above.runs_before),
                                 static_cast<int>(rows.back_below.runs_before), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) {
    const auto put = [&](const row_cursor& row, u64 pixels, char number) {
      at_ = _mm512_mask_mov_epi8(at_, pixels, runs_at_pixels(row.starts));
      row_ = _mm512_mask_mov_epi8(row_, pixels, _mm512_set1_epi8(number));
    };
    put(rows.above, pairs.above, 1);
    put(rows.back_above, pairs.back_above, 2);
    put(rows.back_below, pairs.back_below, 3);
  }

  HWY_INLINE void keep(u64 pixels) {
    at_ = _mm512_maskz_compress_epi8(pixels, at_);
    row_ = _mm512_maskz_compress_epi8(pixels, row_);
  }
  HWY_INLINE void spread(u64 places) {
    at_ = _mm512_maskz_expand_epi8(places, at_);
    row_ = _mm512_maskz_expand_epi8(places, row_);
  }
  HWY_INLINE __m512i numbers() const {
    const __m512i row = _mm512_cvtepi8_epi32(_mm512_castsi512_si128(row_));
    return _mm512_add_epi32(_mm512_permutexvar_epi32(row, first_), _mm512_cvtepi8_epi32(_mm512_castsi512_si128(at_)));
  }
  HWY_INLINE void go_on() {
    at_ = _mm512_alignr_epi64(at_, at_, 2);
    row_ = _mm512_alignr_epi64(row_, row_, 2);
  }

 private:
  __m512i at_, row_, first_;
};

// The runs of a band whose numbers, from the left, are in a list.
class runs_of_band {
 public:
  HWY_INLINE runs_of_band(u64 starts, const u32* numbers) : at_(starts, 0), numbers_(numbers) {}

  HWY_INLINE void keep(u64 pixels) { at_.keep(pixels); }
  HWY_INLINE void spread(u64 places) { at_.spread(places); }
  HWY_INLINE __m512i numbers() const { return _mm512_i32gather_epi32(at_.numbers(), numbers_, 4); }
  HWY_INLINE void go_on() { at_.go_on(); }

 private:
  runs_of_row at_;
  const u32* numbers_;
};

// Pairs that wait until there are many of them, of one word or of several.
class many_pairs {
 public:
  explicit HWY_INLINE many_pairs(u32* parent) : parent_(parent) {}

  // Whether pairs of a word are so many that they are better taken than united one by one.
  static HWY_INLINE bool are_many(u64 pairs) { return count_ones(pairs) >= worth_taking; }
  static HWY_INLINE bool are_many(const earlier_pairs& pairs) {
    return count_ones(pairs.above) + count_ones(pairs.back_above) + count_ones(pairs.back) +
               count_ones(pairs.back_below) >=
           worth_taking;
  }

  // `is_new`: the runs of the row that start in this word have no parents yet.
  template <int Rank>
  HWY_INLINE void take(const earlier_rows& rows, const row_cursor& row, earlier_pairs pairs, bool is_new) {
    const own_runs own{row.starts, row.runs_before};
    if constexpr (Rank == 2) {
      const u64 first = is_new ? first_in_stretch().of(pairs.above, row.starts) : 0;
      add(runs_of_row(rows.above.starts, rows.above.runs_before), own, first, pairs.above & ~first);
    } else {
      u64 all = pairs.back | pairs.above | pairs.back_above | pairs.back_below;
      u64 first = is_new ? first_in_stretch().of(all, row.starts) : 0;
      do {
        // Of each pixel the pair with one row, until none is left.
        const earlier_pairs some = {.above = pairs.above & ~pairs.back,
                                    .back_above = pairs.back_above & ~(pairs.back | pairs.above),
                                    .back = pairs.back,
                                    .back_below = pairs.back_below & ~(pairs.back | pairs.above | pairs.back_above)};
        add(runs_of_earlier_rows(rows, some), own, first, all & ~first);
        pairs = {.above = pairs.above & ~some.above,
                 .back_above = pairs.back_above & ~some.back_above,
                 .back_below = pairs.back_below & ~some.back_below};
        all = pairs.above | pairs.back_above | pairs.back_below;
        first = 0;
      } while (all != 0);
    }
  }

  // Of bands: the runs above begin at `starts_above` and have `numbers`; the band's own begin at `starts`, are counted from `first_own` on,
  // and have no parents yet.
  HWY_INLINE void take(u64 starts_above, const u32* numbers, u64 starts, u32 first_own, u64 pairs) {
    const u64 first = first_in_stretch().of(pairs, starts);
    add(runs_of_band(starts_above, numbers), {starts, first_own}, first, pairs & ~first);
  }

  // Unites all that wait.
  HWY_INLINE void unite() {
    const union_find<u32, sharing::one_thread> sets(parent_);
    for (u32 k = 0; k < waiting_; k += gathered_at_once) {
      const __mmask16 these = first_lanes(waiting_ - k);
      const __m512i a = gathered(parent_, _mm512_load_si512(earlier_ + k), these),
                    b = gathered(parent_, _mm512_load_si512(own_ + k), these);
      for (u32 unlike = _mm512_mask_cmpneq_epi32_mask(these, a, b); unlike != 0; unlike &= unlike - 1) {
        const u32 pair = k + static_cast<u32>(std::countr_zero(unlike));
        sets.unite(earlier_[pair], own_[pair]);
      }
    }
    waiting_ = 0;
  }

 private:
  static constexpr u32 worth_taking = 4, room = 512, most_of_word = 64;

  struct own_runs {
    u64 starts;
    u32 first;
  };

  template <class Earlier>
  HWY_INLINE void add(const Earlier& earlier, const own_runs& own, u64 first, u64 others) {
    if (first != 0) join(earlier, own, first);
    if (others != 0) append(earlier, own, others);
  }

  // Each run with a first pair gets the parent that the earlier run of that pair has.
  template <class Earlier>
  HWY_INLINE void join(Earlier earlier, const own_runs& own, u64 first) {
    // The bits of starts and first pairs, side by side: a run has a first pair where it starts, or else next to that.
    const u64 either = own.starts | first, begins = _pext_u64(own.starts, either), meets = _pext_u64(first, either);
    u64 runs = _pext_u64(begins & (meets | (meets & ~begins) >> 1), begins);
    earlier.keep(first);
    earlier.spread(runs);
    for (u32* parent = parent_ + own.first; runs != 0; runs >>= gathered_at_once, parent += gathered_at_once) {
      const auto these = static_cast<__mmask16>(runs);
      _mm512_mask_storeu_epi32(parent, these, gathered(parent_, earlier.numbers(), these));
      earlier.go_on();
    }
  }

  template <class Earlier>
  HWY_INLINE void append(Earlier earlier, const own_runs& of, u64 pairs) {
    runs_of_row own(of.starts, of.first);
    earlier.keep(pairs);
    own.keep(pairs);
    const u32 end = waiting_ + count_ones(pairs);
    for (; waiting_ < end; waiting_ += gathered_at_once) {
      _mm512_storeu_si512(earlier_ + waiting_, earlier.numbers());
      _mm512_storeu_si512(own_ + waiting_, own.numbers());
      earlier.go_on();
      own.go_on();
    }
    waiting_ = end;
    if (waiting_ > room - most_of_word) unite();
  }

  u32* parent_;
  u32 waiting_ = 0;
  alignas(64) u32 earlier_[room];
  alignas(64) u32 own_[room];
};
#else
// Pairs are better united one by one.
struct many_pairs {
  explicit many_pairs(u32*) {}
  static bool are_many(u64) { return false; }
  static bool are_many(const earlier_pairs&) { return false; }
  template <int Rank>
  void take(const earlier_rows&, const row_cursor&, const earlier_pairs&, bool) {}
  void take(u64, const u32*, u64, u32, u64) {}
  void unite() {}
};
#endif

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

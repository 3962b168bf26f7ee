// SPDX-License-Identifier: Apache-2.0
// A row of pixels as bits: bit x % 64 of word x / 64 is pixel x. Bits past the width are 0, and at least one such bit
// follows the last pixel, so that every run has an end.
#pragma once
#include "core/portable.hpp"

namespace skerry {

SKERRY_BOTH constexpr i64 words_for(i64 width) { return width / 64 + 1; }

// Walks along a row word by word and knows the number of each run. Runs are counted on from `runs_before`.
struct row_cursor {
  const u64* words;
  u32 runs_before;  // of the first run that starts in the current word
  u64 now = 0;      // pixels of the current word
  u64 before = 0;   // the pixel left of each: now << 1 with the carry of the word before
  u64 starts = 0;   // pixels that start a run

  SKERRY_BOTH void enter(i64 word) {
    const u64 carry = now >> 63;
    now = words[word];
    before = now << 1 | carry;
    starts = now & ~before;
  }
  SKERRY_BOTH void leave() { runs_before += count_ones(starts); }

  // The run that holds the highest pixel of the mask `up_to` (ones from bit 0), or the last run before it.
  SKERRY_BOTH u32 run_at(u64 up_to) const { return runs_before + count_ones(starts & up_to) - 1; }
};

// One bit for each pair of touching runs of two neighbouring rows, where the two first meet: at pixel p the pair is
// (upper.run_at(p), lower.run_at(p)). Two runs overlap in one interval, so its start stands for the pair; runs that touch
// only by a corner meet at the start of the later one, and do not overlap anywhere.
template <int Reach>
SKERRY_BOTH u64 touching_pairs(const row_cursor& upper, const row_cursor& lower) {
  const u64 overlap_starts = upper.now & lower.now & ~(upper.before & lower.before);
  if constexpr (Reach == 0) return overlap_starts;
  const u64 upper_ends = upper.before & ~upper.now, lower_ends = lower.before & ~lower.now;
  return overlap_starts | (upper_ends & lower.starts) | (upper.starts & lower_ends);
}

}  // namespace skerry

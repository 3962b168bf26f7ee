// SPDX-License-Identifier: Apache-2.0
// Stage 3, CPU, in bands: joins the components of the first band of a strip with those of the band before.
//
// Reads   both bands: their bits, as stage 1 made them, and the components of their runs
// Writes  parent of each component at a border, shared by all threads
#include "core/first_in_stretch.hpp"
#include "core/union_find.hpp"
#include "label/cpu/bands/bands.hpp"

namespace skerry::label_stages {
void merge_bands(std::vector<strip>& strips, std::size_t k, i64 rows, u32* parent) {
  strip& s = strips[k];
  const strip& before = strips[k - 1];
  const i64 r = s.row_begin, words = s.bits.words_per_row();
  const row_runs runs_above = before.runs_of(r - 1);
  band_cursor own = cursor_of_band(s.bits_at(r), r, rows),
              above = cursor_of_band(before.bits_at(r - rows_of_band), r - rows_of_band, rows);
  s.numbers.reserve(runs_above.count + spare_numbers_of_band);
  number_from_left(before, runs_above, s.numbers.data());

  const union_find<u32, sharing::device> sets(parent);
  const border_row own_band = s.at_border(r), band_above = before.at_border(r - rows_of_band);
  first_in_stretch of_pair;
  u32 left_above = 0, left_own = 0;
  for (i64 w = 0; w < words; ++w) {
    above.enter(w);
    own.enter(w);
    u64 pairs = of_pair.of(touching_pairs<1>(above.lower, own.upper), above.starts | own.starts);
    for (; pairs != 0; pairs &= pairs - 1) {
      const u64 up_to = up_to_lowest_one(pairs);
      sets.unite(band_above.component_of(s.numbers[left_above + count_ones(above.starts & up_to) - 1]),
                 own_band.component_of(left_own + count_ones(own.first_uppers & up_to) - 1));
    }
    left_above += count_ones(above.starts);
    left_own += count_ones(own.first_uppers);
  }
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
// What each pixel of a row of a plane adds to the counts of its region, as bits, whatever its label; as on a device
// (regions/cuda/patterns.cuh).
#pragma once
#include <array>
#include <span>

#include "features/group.hpp"
#include "features/pair_rows.hpp"

namespace skerry::features {

// How a border pixel counts, whose weight is 1, sqrt 2 or (1 + sqrt 2) / 2.
enum length_class : u8 { side, diagonal, mixed };

using three_counts = std::array<i64, 3>;

struct pattern_counts {
  three_counts windows{};  // Euler number; for Crofton straight and slanted crossings
  three_counts lengths{};  // of the perimeter: pixels by length_class
  three_counts faces{};    // of pixels, to what is outside, across z, y, x
};

// The rows of pairs of a row and of the one below.
struct pairs_around {
  const row_pairs *own, *below;
};

// Pixels that have a neighbour beside them of another label.
void find_border(const pairs_around& pairs, i64 width, bit_words& to);

// Pixels of a row that add to the Euler number and that take off from it; and border pixels by the length that they stand for.
struct pattern_words {
  pattern_words() = default;
  explicit pattern_words(i64 width) : begins(width), joins(width), side(width), diagonal(width), mixed(width) {}
  bit_words begins, joins, side, diagonal, mixed;
};
void find_euler_parts(const row_pairs& pairs, i64 width, pattern_words& to);
void find_lengths(const pairs_around& pairs, const bit_words* const (&borders)[3], i64 width, pattern_words& to);

// Rows that have the same bits: as many as `times`.
struct pattern_row {
  std::span<const region_run> runs;
  const row_pairs& pairs;
  const pattern_words& words;
  i64 times;
};

// Adds to windows and lengths of each region; to those that `wanted` asks for.
void add_patterns(const pattern_row& row, unsigned wanted, pattern_counts* counts);

}  // namespace skerry::features

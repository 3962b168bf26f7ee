// SPDX-License-Identifier: Apache-2.0
// Whether a table is made of bands or of rows. A run of a band takes 1.6 times as long as one of a row, so bands are for images whose rows have
// more than 1.6 times as many runs: dense noise, and blobs. Images with rows that repeat, or with few pixels, stay with rows.
#include <algorithm>
#include <bit>
#include <cstring>

#include "label/cpu/bands/bands.hpp"

namespace skerry::label_stages {
namespace {

struct run_counts {
  u64 of_rows = 0, of_bands = 0;
};

u64 count_starts(const u64* a, const u64* b, i64 words) {
  u64 runs = 0, before = 0;
  for (i64 w = 0; w < words; ++w) {
    const u64 pixels = a[w] | b[w];
    runs += count_ones(pixels & ~(pixels << 1 | before));
    before = pixels >> 63;
  }
  return runs;
}

// Adds those of the band of row r. A row that repeats the one above has no runs of its own, nor has a band where all rows from the band
// above on are the same.
void count_band(const bit_window& bits, i64 r, run_counts& counts) {
  const i64 words = bits.words_per_row();
  const auto repeats = [&](i64 row) {
    return std::memcmp(bits.row(row), bits.row(row - 1), static_cast<std::size_t>(words) * sizeof(u64)) == 0;
  };
  const bool upper_repeats = repeats(r), lower_repeats = repeats(r + 1);
  if (!upper_repeats) counts.of_rows += count_starts(bits.row(r), bits.row(r), words);
  if (!lower_repeats) counts.of_rows += count_starts(bits.row(r + 1), bits.row(r + 1), words);
  if (!upper_repeats || !lower_repeats || !repeats(r - 1))
    counts.of_bands += count_starts(bits.row(r), bits.row(r + 1), words);
}

}  // namespace

bool has_few_runs_in_bands(const pixel_source& source, bit_window& bits) {
  constexpr i64 least_rows = 16, rows_for_each = 32, least_bands = 4, most_bands = 16, step = 5;
  constexpr u64 enough_runs = 512;  // of rows, to decide
  const i64 rows = source.image.size.rows();
  if (rows < least_rows) return false;
  // Of a power of two, odd steps meet each band once, and the first few already lie all over the image.
  const auto some = static_cast<u64>(std::clamp(rows / rows_for_each, i64{1}, most_bands));
  const auto bands = static_cast<i64>(std::bit_floor(some));
  bits.shape(source.image.size.width, 2 * rows_of_band);
  run_counts counts;
  for (i64 k = 0; k < bands && (k < least_bands || counts.of_rows < enough_runs); ++k) {
    const i64 r = rows * (2 * (step * k % bands) + 1) / (2 * bands) / rows_of_band * rows_of_band;
    encode(source, r - rows_of_band, r + rows_of_band, bits);
    count_band(bits, r, counts);
  }
  return 5 * counts.of_rows > 8 * counts.of_bands;
}

}  // namespace skerry::label_stages

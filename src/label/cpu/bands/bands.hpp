// SPDX-License-Identifier: Apache-2.0
// Bands: two successive rows of an image, solved as one. With 8 neighbours a pixel of a band touches every pixel of it in the
// same column and in those beside, so columns that have a pixel follow each other in runs, as pixels of a row do, and all
// pixels of such a run are connected. Noise has half as many of them as of runs of rows, or fewer.
//
// Labels are in the order of first pixels, and a band has two rows: its runs with pixels in the upper row are numbered first, in the
// order of the first of those; after them the others, which are *lone* in the lower row. So the smallest run of a component
// is the one that holds its first pixel.
#pragma once
#include <cstring>

#include "core/bit_row.hpp"
#include "label/cpu/stages.hpp"

namespace skerry::label_stages {

inline constexpr i64 rows_of_band = 2;

// The rows of a band, and what its runs are, word by word. No row below the last one: an empty one.
struct band_cursor {
  row_cursor upper, lower;
  u64 columns = 0;
  u64 starts = 0;        // first columns of runs
  u64 first_uppers = 0;  // first pixels in the upper row of the runs that have one
  u64 lone_ends = 0;     // columns after the runs that have none
  u64 carry = 0;

  void enter(i64 word) {
    upper.enter(word);
    lower.enter(word);
    const u64 left = columns >> 63;
    columns = upper.now | lower.now;
    starts = columns & ~(columns << 1 | left);
    // Adding the start of a run carries a bit over its columns that are not in the upper row, up to the first that is, or out of
    // the run.
    const u64 not_upper = columns & ~upper.now, started = not_upper + starts, sum = started + carry;
    carry = (started < not_upper ? 1 : 0) | (sum < started ? 1 : 0);
    first_uppers = sum & upper.now;
    lone_ends = sum & ~columns;
  }
  [[nodiscard]] const row_cursor& lowest() const { return lower; }
};

// The same where both rows are equal: no run is lone.
struct twin_cursor {
  row_cursor upper;
  u64 starts = 0, first_uppers = 0;

  void enter(i64 word) {
    upper.enter(word);
    starts = first_uppers = upper.starts;
  }
  [[nodiscard]] const row_cursor& lowest() const { return upper; }
};

inline band_cursor cursor_of_band(const bit_window& bits, i64 row, i64 rows) {
  return {.upper = {bits.row(row), 0}, .lower = {row + 1 < rows ? bits.row(row + 1) : bits.no_row(), 0}};
}

// The other row of the band of row r; null where it says no more of the runs than row r does.
inline const u64* other_row_of_band(const strip& s, i64 rows, i64 r) {
  if (!s.in_bands) return nullptr;
  const u64* const other = (r ^ 1) < rows ? s.bits.row(r ^ 1) : s.bits.no_row();
  const auto bytes = static_cast<std::size_t>(s.bits.words_per_row()) * sizeof(u64);
  return std::memcmp(s.bits.row(r), other, bytes) != 0 ? other : nullptr;
}

// As local(), for bands: `row_begin` is even. `rows` are those of the image.
void local_bands(strip& s, i64 rows, i64 row_begin, i64 row_end);

inline constexpr u64 spare_numbers_of_band = 16;  // that vectors write past the end

// The numbers of the runs of a band, from the left, counted from its first; and spare ones.
void number_from_left(const strip& s, const row_runs& runs, u32* numbers);

// Labels of the runs of row r, from the left; the one before the first is 0, and some past the last can be read. `in_band`: the runs are
// those of a band of two unlike rows. `numbers` and `labels` point half of room_of_labels into their buffers, and may be equal.
inline constexpr u32 room_of_labels = 64;
void labels_from_left(const strip& s, i64 r, bool in_band, const u32* label_in_strip, u32* numbers, u8* labels);
void labels_from_left(const strip& s, i64 r, bool in_band, const u32* label_in_strip, u32* numbers, u16* labels);
void labels_from_left(const strip& s, i64 r, bool in_band, const u32* label_in_strip, u32* numbers, u32* labels);

// Whether runs of bands are so much fewer than those of rows that a table is sooner made of them: by a look at a few bands. `bits` is room
// for their rows.
[[nodiscard]] bool has_few_runs_in_bands(const pixel_source& source, bit_window& bits);

// Rows [begin, end) of the image, from an even one on.
struct band_rows {
  i64 begin, end;
};

// Where components have their table rows.
struct band_table {
  const u32* label;  // of each component of all strips
  geometry* rows;
  const buffer<u32>& row_labels;  // room for those of the runs of a row
};

// As measure(), for bands: adds what is in some rows of a strip, which follow those of the call before and whose bits are there. The
// rows of its first `started` components have been set up; it sets up those of others that it meets.
void measure_bands(const strip& s, const band_rows& of, i64 image_rows, const band_table& to, u32& started);

// As merge(), for bands.
void merge_bands(std::vector<strip>& strips, std::size_t k, i64 rows, u32* parent);

}  // namespace skerry::label_stages

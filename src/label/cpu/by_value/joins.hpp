// SPDX-License-Identifier: Apache-2.0
// Joining by value: rows of bits say which pixels of the foreground join, where stages 2 and 3 otherwise take all that touch.
// A run ends where a pixel does not join the one left of it, so runs can lie side by side: a second row of bits has
// their first pixels.
#pragma once
#include "core/bit_row.hpp"
#include "core/neighbourhood.hpp"
#include "label/cpu/stages.hpp"

namespace skerry::label_stages {

// Walks along a row word by word, as row_cursor does, where runs can lie side by side.
struct broken_cursor {
  const u64* words;
  const u64* start_words;
  u32 runs_before;
  u64 now = 0, starts = 0;

  void enter(i64 word) {
    now = words[word];
    starts = start_words[word];
  }
  void leave() { runs_before += count_ones(starts); }
  [[nodiscard]] u32 run_at(u64 up_to) const { return runs_before + count_ones(starts & up_to) - 1; }
  [[nodiscard]] u64 joined_left() const { return now & ~starts; }
};

// A row to be written: its foreground; where its runs begin, if they can lie side by side, else null; the other row, if its runs are
// those of a band, else null.
struct row_bits {
  const u64* pixels;
  const u64* starts;
  const u64* other;
};

// A row of the image.
struct joined_row {
  const std::byte* pixels;  // side by side
  broken_cursor runs;
};

// Which pixels of a row join those of an earlier one: bit x of `straight` is both pixels x, of `left` pixel x of the row and
// x - 1 of the earlier one, of `right` pixel x - 1 of the row and x of the earlier one. Null: none do.
struct joined_pairs {
  const u64* straight = nullptr;
  const u64* left = nullptr;
  const u64* right = nullptr;
};

// Where differences end that join.
struct difference_limit {
  u64 whole = 0;  // of integers
  u64 sign = 0;   // the sign bit of signed ones
  double real = 0;
};

// ---- 1 encode: values to bits. After this stage the values are gone -------------------------------------------------

class pixel_joins {
 public:
  explicit pixel_joins(const pixel_source& source);

  // True when joining is transitive, as equality is.
  [[nodiscard]] bool transitive() const { return transitive_; }

  // Pixels of row r, where they lie if they lie side by side, else in `room`.
  [[nodiscard]] const std::byte* pixels(i64 r, buffer<std::byte>& room) const;
  // The same of a row at the border of a strip.
  [[nodiscard]] joined_row row(i64 r, const border_row& of, buffer<std::byte>& room) const {
    return {pixels(r, room), {of.bits, of.starts, 0}};
  }
  [[nodiscard]] bool same_pixels(const std::byte* a, const std::byte* b) const;

  // Marks where the runs of rows begin, of which `bits` has the foreground, and which rows repeat the one before.
  void encode_starts(i64 row_begin, i64 row_end, const bit_window& bits, const bit_window& starts,
                     join_scratch& scratch) const;

  // Pairs of joined pixels of `open`, a part of a row's foreground, and of an earlier row, where pixels touch that differ
  // by at most `reach` columns. Pairs may be left out that others imply. They are in the scratch until the next call.
  [[nodiscard]] joined_pairs pairs(const joined_row& own, const joined_row& earlier, int reach, const u64* open,
                                   join_scratch& scratch) const;

  // Whether two pixels of the foreground join.
  [[nodiscard]] bool join(i64 row_a, i64 x_a, i64 row_b, i64 x_b) const;

  using compare_function = void (*)(const std::byte* a, const std::byte* b, i64 count, const u64* wanted, i64 words,
                                    u64* joined, const difference_limit& limit);

 private:
  void choose_equal(dtype kept);
  void choose_within(dtype kept, double delta);
  void gather(i64 r, i64 x, i64 count, std::byte* out) const;
  // Bit x of `joined`: bit x of `wanted`, and pixels a[x] and b[x] join, for x < count.
  void compare(const std::byte* a, const std::byte* b, i64 count, const u64* wanted, i64 words, u64* joined) const;

  image_view image_;
  i64 pixel_bytes_ = 1;
  bool converted_ = false;  // from the image's type to one that is compared
  bool transitive_ = true;
  compare_function compare_ = nullptr;  // null: all join
  difference_limit limit_;
};

// ---- 2 local ---------------------------------------------------------------------------------------------------------

// As local(), with `bits` and `starts` of rows that were encoded together just before.
void local_joined(strip& s, const pixel_joins& joins, const extent& size, int connectivity, i64 row_begin, i64 row_end);

// Unites the components of joined runs, which other threads may do, too. Runs are counted from the left.
void unite_components(const joined_row& own, const border_row& of_own, const joined_row& earlier,
                      const border_row& of_earlier, const joined_pairs& pairs, i64 words, u32* parent);

// ---- 3 merge ---------------------------------------------------------------------------------------------------------

// As merge().
void merge_joined(const std::vector<strip>& strips, std::size_t k, const pixel_joins& joins, const extent& size,
                  int connectivity, join_scratch& scratch, u32* parent);

// Joins components of strips[k] with those that they touch across the borders of periodic axes. Rows have edges where x is
// one of them.
void merge_around(const std::vector<strip>& strips, std::size_t k, const pixel_source& source, const pixel_joins& joins,
                  int connectivity, join_scratch& scratch, u32* parent);

}  // namespace skerry::label_stages

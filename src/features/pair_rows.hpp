// SPDX-License-Identifier: Apache-2.0
// Which pixels of a plane have the label of a pixel before them, as bits of rows: all that features of neighbours need to know.
#pragma once
#include <cstddef>
#include <vector>

#include "core/portable.hpp"

namespace skerry::features {

// A bit for each pixel of a row, with words that are 0 before and after them, so that vectors may reach over the ends.
class bit_words {
 public:
  static constexpr std::size_t before = 1, after = 8;

  bit_words() = default;
  explicit bit_words(i64 width) : words_(before + count_of(width) + after) {}

  [[nodiscard]] static std::size_t count_of(i64 width) { return static_cast<std::size_t>((width + 63) / 64); }
  [[nodiscard]] u64* data() { return words_.data() + before; }
  [[nodiscard]] const u64* data() const { return words_.data() + before; }

 private:
  std::vector<u64> words_;
};

// Bits of pixels that have the label of the one to the left, above, above to the left, and above to the right.
struct row_pairs {
  row_pairs() = default;
  explicit row_pairs(i64 width) : left(width), above(width), falling(width), rising(width) {}

  bit_words left, above, falling, rising;
  bool repeats = false;  // all labels are those of the row above
};

// Labels of a row, without their sign, and of the row above, which the first row of an image does not have.
template <class Label>
struct two_rows {
  const Label *row, *above;
  i64 width;
};

// `last` are the pairs of the row above, or null where they are not known.
template <class Label>
void find_pairs(const two_rows<Label>& rows, const row_pairs* last, row_pairs& to);

// Keeps the pairs of the last rows that were read. A row outside of the image has none.
class pair_rows {
 public:
  static constexpr i64 kept = 6;

  pair_rows(i64 width, i64 height) : width_(width), height_(height), none_(width), rows_(kept, row_pairs(width)) {}

  [[nodiscard]] i64 width() const { return width_; }
  [[nodiscard]] const row_pairs& of(i64 y) const {
    return y < 0 || y >= height_ ? none_ : rows_[static_cast<std::size_t>(y % kept)];
  }
  [[nodiscard]] row_pairs& place(i64 y) { return rows_[static_cast<std::size_t>(y % kept)]; }

 private:
  i64 width_, height_;
  row_pairs none_;
  std::vector<row_pairs> rows_;
};

}  // namespace skerry::features

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "label/cpu/stages.hpp"

namespace skerry::label_stages {

inline i64 parts_of(i64 whole, i64 parts) { return (whole + parts - 1) / parts; }

// Few enough that 31 bits number their runs, however the image looks: vectors gather with signed places.
inline i64 most_rows_of_strip(const pixel_source& source) {
  const i64 width = source.image.size.width, runs_per_row = source.joins_by_value() ? width + 1 : width / 2 + 1;
  constexpr i64 most_runs = (i64{1} << 31) - 64;
  return std::max<i64>(1, most_runs / runs_per_row);
}

// How an image is split: in parts of rows, one for each thread that is worth it, and these in strips. Strips of a part become
// smaller, so that all threads come to their end at about the same time, however late they began and however unlike the
// strips are; parts have as many strips each, or one more, and for_each_in_parallel() gives a thread those of the same part
// every time.
class row_parts {
 public:
  row_parts(const engine::state& on, const pixel_source& source)
      : rows_(source.image.size.rows()), most_(most_rows_of_strip(source)) {
    if (on.threads == 1) return;
    const extent& size = source.image.size;
    constexpr i64 least_share = 32;  // of all rows, for each thread
    least_ = std::max({i64{border_rows(size)}, parts_of(on.least_pixels_per_strip, std::max<i64>(1, size.width)),
                       parts_of(rows_, least_share * i64{on.threads})});
    count_ = std::clamp<i64>(rows_ / least_, 1, on.threads);
  }

  // Where the strip that begins at a row ends.
  [[nodiscard]] i64 end_of_strip(i64 row) const {
    constexpr i64 first_share = 3;  // of the rows that are left of a part
    i64 part_end = rows_;
    for (i64 part = count_ - 1; part > 0 && rows_ * part / count_ > row; --part) part_end = rows_ * part / count_;
    const i64 left = part_end - row, wanted = std::max(least_, parts_of(left, first_share));
    return row + std::min(most_, left - wanted < least_ / 2 ? left : wanted);
  }

 private:
  i64 rows_, most_;
  i64 least_ = rows_, count_ = 1;
};

}  // namespace skerry::label_stages

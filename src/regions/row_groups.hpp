// SPDX-License-Identifier: Apache-2.0
// A label image as groups of equal rows, each with its runs of equal labels.
#pragma once
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/feature.hpp"
#include "engine/stop.hpp"
#include "regions/find_starts.hpp"
#include "regions/label_rows.hpp"

namespace skerry::regions {

// Rows [top, bottom) of slice z, which are all equal.
template <class Label>
struct row_group {
  i64 z, top, bottom;
  const Label* row;
  const u32* starts;  // of its runs, and then the width
  std::size_t count;  // of runs

  [[nodiscard]] Label label_of(std::size_t run) const { return row[starts[run]]; }
  [[nodiscard]] placed_run place_of(std::size_t run) const {
    return {z, top, bottom, i64{starts[run]}, i64{starts[run + 1]}};
  }
};

// Calls visit(group) for rows [row_begin, row_end) of an image that has pixels, in order.
template <class Label, class Visit>
void each_row_group(const image_view& labels, i64 row_begin, i64 row_end, Visit visit) {
  const i64 height = labels.size.height;
  const auto width = static_cast<std::size_t>(labels.size.width);
  label_row_reader<Label> reader(labels, 2);
  std::vector<u32> starts(width + 1);
  const Label* row = reader.row(row_begin);
  for (i64 r = row_begin; r < row_end;) {
    stop_point();
    const i64 z = r / height, slice_end = std::min(row_end, (z + 1) * height);
    const Label* next = nullptr;
    i64 end = r;
    while (++end < row_end) {
      next = reader.row(end);
      if (end == slice_end || std::memcmp(row, next, width * sizeof(Label)) != 0) break;
      row = next;
    }
    const std::size_t count =
        find_starts(reinterpret_cast<const std::make_unsigned_t<Label>*>(row), width, starts.data());
    visit(row_group<Label>{z, r - z * height, end - z * height, row, starts.data(), count});
    row = next;
    r = end;
  }
}

}  // namespace skerry::regions

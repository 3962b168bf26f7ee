// SPDX-License-Identifier: Apache-2.0
// Which sections of simplified arcs are near others: a grid of cells, each with the sections that pass it.
#pragma once
#include <algorithm>
#include <vector>

#include "core/portable.hpp"
#include "skerry/outline.hpp"

namespace skerry::regions {

/// The corners (x, y) with left <= x <= right and top <= y <= bottom.
struct corner_box {
  i32 left, top, right, bottom;

  [[nodiscard]] bool holds(const corner& p) const { return left <= p.x && p.x <= right && top <= p.y && p.y <= bottom; }
  [[nodiscard]] bool meets(const corner_box& other) const {
    return left <= other.right && other.left <= right && top <= other.bottom && other.top <= bottom;
  }
};

/// Square cells over corners (0, 0) to (width, height).
class section_grid {
 public:
  /// Cells are so large that there are about two for each section at most.
  section_grid(i64 width, i64 height, u64 sections);

  [[nodiscard]] u64 cells() const { return static_cast<u64>(columns_ * rows_); }

  /// Calls visit(cell) for all cells that have a point of the line from a to b; and some more.
  template <class Visit>
  void each_cell(const corner& a, const corner& b, Visit visit) const {
    each_cell_near(a, b, 0, {std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)}, visit);
  }

  /// The same for the points that are at most `margin` from the line, of those in a box.
  template <class Visit>
  void each_cell_near(const corner& a, const corner& b, double margin, const corner_box& box, Visit visit) const {
    const double reach = margin + 0.25;  // what the quotient below is wrong by is far less
    const corner &top = a.y < b.y ? a : b, &bottom = a.y < b.y ? b : a;
    const double slope = top.y == bottom.y ? 0 : (double{1} * bottom.x - top.x) / (double{1} * bottom.y - top.y);
    const double left = std::min(a.x, b.x), right = std::max(a.x, b.x);
    const i64 last_row = cell_row(std::min<double>(bottom.y + reach, box.bottom));
    for (i64 row = cell_row(std::max<double>(top.y - reach, box.top)); row <= last_row; ++row) {
      double from = left, to = right;
      if (top.y != bottom.y) {
        const double at_first = top.x + slope * (static_cast<double>(row << shift_) - reach - top.y);
        const double at_last = top.x + slope * (static_cast<double>((row + 1) << shift_) + reach - top.y);
        from = std::max(left, std::min(at_first, at_last));
        to = std::min(right, std::max(at_first, at_last));
      }
      const i64 last = cell_column(std::min<double>(to + reach, box.right));
      for (i64 column = cell_column(std::max<double>(from - reach, box.left)); column <= last; ++column)
        visit(static_cast<u64>(row * columns_ + column));
    }
  }

 private:
  [[nodiscard]] i64 cell_row(double y) const { return cell(y, rows_); }
  [[nodiscard]] i64 cell_column(double x) const { return cell(x, columns_); }
  [[nodiscard]] i64 cell(double place, i64 count) const {
    const double most = static_cast<double>(count << shift_) - 1;
    return static_cast<i64>(std::clamp(place, 0.0, most)) >> shift_;
  }

  int shift_ = 1;
  i64 columns_ = 1, rows_ = 1;
};

}  // namespace skerry::regions

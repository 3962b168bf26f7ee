// SPDX-License-Identifier: Apache-2.0
// Blocks as boxes of the whole image, and which neighbours of a run of pixels they cover.
#pragma once
#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/adjacency.hpp"
#include "core/portable.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"

namespace skerry::blocks {

/// Pixels from `begin` to before `end` on each axis: z, y, x.
struct box {
  i64 begin[3], end[3];

  [[nodiscard]] u64 pixels() const;
  [[nodiscard]] bool overlaps(const box& other) const;
  friend bool operator==(const box&, const box&) = default;
  /// By the first pixel.
  friend bool operator<(const box& a, const box& b) {
    return std::lexicographical_compare(a.begin, a.begin + 3, b.begin, b.begin + 3);
  }
};

/// Pixels [begin, end) of row y of slice z.
struct stretch {
  i64 z, y, begin, end;
};

/// The neighbourhood within an image, whose axes may wrap around. A pixel may be a neighbour of another several times, over
/// both ends of a short axis; it is counted as often wherever neighbours are counted.
class neighbours {
 public:
  neighbours(const extent& whole, int connectivity, const periodic_axes& periodic);

  /// Calls visit(dz, dy, reach) for each row with neighbours, the row itself among them.
  template <class Visit>
  void each_row(Visit visit) const {
    each_row_of_neighbours(whole_.rank, axes_, visit);
  }
  /// Calls visit(stretch) for the neighbours of a run, and the run itself, row by row.
  template <class Visit>
  void each_stretch(const stretch& run, Visit visit) const {
    each_row([&](i64 dz, i64 dy, i64 by) {
      const i64 row = row_at(run.z + dz, run.y + dy), width = whole_.width;
      if (row < 0) return;
      const i64 z = row / whole_.height, y = row % whole_.height;
      visit(stretch{z, y, std::max<i64>(run.begin - by, 0), std::min(run.end + by, width)});
      if (periodic_.x && run.begin < by) visit(stretch{z, y, width + run.begin - by, width});
      if (periodic_.x && run.end + by > width) visit(stretch{z, y, 0, run.end + by - width});
    });
  }
  /// The number of a row, z · height + y, after wrapping around; below 0 where there is none.
  [[nodiscard]] i64 row_at(i64 z, i64 y) const {
    const auto wrapped = [](i64 at, i64 side, bool periodic) {
      if (0 <= at && at < side) return at;
      return periodic ? (at < 0 ? at + side : at - side) : -1;
    };
    const i64 in_z = wrapped(z, whole_.depth, periodic_.z), in_y = wrapped(y, whole_.height, periodic_.y);
    return in_z < 0 || in_y < 0 ? -1 : in_z * whole_.height + in_y;
  }
  [[nodiscard]] const periodic_axes& periodic() const { return periodic_; }
  [[nodiscard]] const extent& whole() const { return whole_; }

 private:
  extent whole_;
  periodic_axes periodic_;
  int axes_;  // as in core/adjacency.hpp
};

/// Boxes that can be asked for those near a place. They do not overlap.
class box_index {
 public:
  /// Keeps a reference.
  explicit box_index(const std::vector<box>& boxes);

  /// Whether one of the boxes overlaps this one.
  [[nodiscard]] bool overlaps(const box& other) const;
  /// The boxes that may overlap what lies in the cells of a place, and these cells.
  [[nodiscard]] std::vector<box> near(const box& place, box& cells) const;
  /// A box around all of them.
  [[nodiscard]] const box& around() const { return around_; }

 private:
  template <class Visit>
  void each_near(const box& place, Visit visit) const;

  const std::vector<box>* boxes_;
  box around_{{0, 0, 0}, {0, 0, 0}};
  i64 cell_[3] = {1, 1, 1};                                    // as large as the largest box
  std::unordered_map<u64, std::vector<std::size_t>> in_cell_;  // boxes by the cell of their first pixel
};

/// Counts pixels that are in boxes. It is fast where one place follows another, as borders do: it keeps the boxes near the last.
class box_coverage {
 public:
  /// Keeps a reference.
  explicit box_coverage(const std::vector<box>& boxes) : index_(boxes) {}

  /// Pixels of a stretch that are in boxes.
  [[nodiscard]] u64 covered(const stretch& pixels);

 private:
  box_index index_;
  box cells_{{0, 0, 0}, {0, 0, 0}};  // for which near_ are the boxes
  std::vector<box> near_;
};

/// The blocks of two pieces, by first pixel. Throws invalid_argument where they overlap.
[[nodiscard]] std::vector<box> joined_boxes(const std::vector<box>& a, const std::vector<box>& b);

/// Pixels of boxes that do not overlap.
[[nodiscard]] u64 pixels_of(const std::vector<box>& boxes);

}  // namespace skerry::blocks

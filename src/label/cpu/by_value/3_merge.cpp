// SPDX-License-Identifier: Apache-2.0
// Stage 3, CPU, where pixels join by value or axes are periodic: joins the components of a strip with those of others.
//
//   strip   rows that can touch the strip before, with the pairs that stage 1 finds
//   around  the first rows and slices of periodic axes with the last ones, as rows before them; along x the first pixel of
//           each row with the last ones of rows near it
//
// Reads   the rows at the border: their bits, as stage 1 made them, and the components of their runs; pixels; edges of runs.
//         Around, rows lie anywhere in strips, and their bits are made again
// Writes  parent of each component at a border, shared by all threads
#include <algorithm>

#include "core/union_find.hpp"
#include "label/cpu/by_value/joins.hpp"

namespace skerry::label_stages {
namespace {

const strip& strip_of(const std::vector<strip>& strips, i64 row) {
  return *std::prev(std::upper_bound(strips.begin(), strips.end(), row,
                                     [](i64 wanted, const strip& s) { return wanted < s.row_begin; }));
}

// The rows around a row, with axes that wrap around.
class wrapped_rows {
 public:
  wrapped_rows(const extent& size, const periodic_axes& periodic) : size_(size), periodic_(periodic) {}

  // Calls visit(row, moved axes) for the row dz slices and dy rows away, if there is one.
  template <class Visit>
  void with_row(i64 r, int dz, int dy, Visit visit) const {
    const i64 z = placed(r / size_.height + dz, size_.depth, periodic_.z);
    const i64 y = placed(r % size_.height + dy, size_.height, periodic_.y);
    if (z >= 0 && y >= 0) visit(z * size_.height + y, (dz != 0 ? 1 : 0) + (dy != 0 ? 1 : 0));
  }

  // The same for each row before row r that touches it only across a border.
  template <class Visit>
  void each_across(i64 r, Visit visit) const {
    const bool first_row = periodic_.y && r % size_.height == 0, first_slice = periodic_.z && r < size_.height;
    for (int other = -1; other <= 1; ++other) {
      if (first_row) with_row(r, other, -1, visit);
      // Rows that are across a border of y, too, have been met above, or will be from the other side.
      const i64 y = r % size_.height + other;
      if (first_slice && y >= 0 && y < size_.height) with_row(r, -1, other, visit);
    }
  }

 private:
  static i64 placed(i64 at, i64 side, bool wraps) {
    if (at >= 0 && at < side) return at;
    return wraps ? (at + side) % side : -1;
  }

  extent size_;
  periodic_axes periodic_;
};

class around_borders {
 public:
  around_borders(const std::vector<strip>& strips, const pixel_source& source, const pixel_joins& joins,
                 int connectivity, join_scratch& scratch, u32* parent)
      : strips_(strips), source_(source), joins_(joins), rows_(source.image.size, source.periodic),
        connectivity_(connectivity), scratch_(scratch), parent_(parent) {}

  void join_rows(const strip& s, i64 r) {
    if (s.runs_of(r).count == 0) return;
    bool encoded = false;
    rows_.each_across(r, [&](i64 earlier, int moved) {
      const strip& home = strip_of(strips_, earlier);
      const int reach = reach_of(axes_of(connectivity_), moved);
      if (reach < 0 || home.runs_of(earlier).count == 0) return;
      if (!encoded) encode_row(r, 0);
      encoded = true;
      encode_row(earlier, 1);
      const border_row of_own = row_of(s, r, 0), of_earlier = row_of(home, earlier, 1);
      const joined_row own = joins_.row(r, of_own, scratch_.own),
                       other = joins_.row(earlier, of_earlier, scratch_.earlier);
      unite_components(own, of_own, other, of_earlier, joins_.pairs(own, other, reach, own.runs.words, scratch_),
                       words_for(source_.image.size.width), parent_);
    });
  }

  void join_ends(const strip& s, i64 r) {
    const row_runs own = s.runs_of(r);
    if (own.count == 0 || s.edges.at(2 * u64{own.first}) != 0) return;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        rows_.with_row(r, dz, dy, [&](i64 other, int moved) {
          if (reach_of(axes_of(connectivity_), moved) == 1) join_end(s, r, other);
        });
  }

 private:
  // The first pixel of row r, which is foreground, with the last of another.
  void join_end(const strip& s, i64 r, i64 other) {
    const i64 width = source_.image.size.width;
    const strip& home = strip_of(strips_, other);
    const row_runs runs = home.runs_of(other);
    if (runs.count == 0 || home.edges.at(2 * u64{runs.end()} - 1) != static_cast<u64>(width)) return;
    if (!joins_.join(r, 0, other, width - 1)) return;
    union_find<u32, sharing::device>(parent_).unite(s.component_of(s.runs_of(r).first),
                                                    home.component_of(runs.end() - 1));
  }

  void encode_row(i64 r, int which) {
    encode(source_, r, r + 1, scratch_.bits[which]);
    joins_.encode_starts(r, r + 1, scratch_.bits[which], scratch_.starts[which], scratch_);
  }

  [[nodiscard]] border_row row_of(const strip& s, i64 r, int which) const {
    return {scratch_.bits[which].row(r), scratch_.starts[which].row(r), s.component.data() + s.runs_of(r).first,
            s.first_component};
  }

  const std::vector<strip>& strips_;
  const pixel_source& source_;
  const pixel_joins& joins_;
  wrapped_rows rows_;
  int connectivity_;
  join_scratch& scratch_;
  u32* parent_;
};

}  // namespace

void join_scratch::shape(i64 width) {
  masks.reserve(static_cast<std::size_t>(5 * words_for(width)));
  for (const int which : {0, 1}) {
    bits[which].shape(width, 1);
    starts[which].shape(width, 1);
  }
}

std::size_t join_scratch::bytes() const {
  std::size_t sum = own.bytes() + earlier.bytes() + masks.bytes() + repeats.bytes();
  for (const int which : {0, 1}) sum += bits[which].bytes() + starts[which].bytes();
  return sum;
}

void merge_joined(const std::vector<strip>& strips, std::size_t k, const pixel_joins& joins, const extent& size,
                  int connectivity, join_scratch& scratch, u32* parent) {
  const strip& s = strips[k];
  const i64 words = s.bits.words_per_row();
  for (i64 r = s.row_begin; r < std::min(s.row_end, s.row_begin + border_rows(size)); ++r) {
    if (s.runs_of(r).count == 0) continue;
    const border_row of_own = s.at_border(r);
    const joined_row own = joins.row(r, of_own, scratch.own);
    for (int dz = -1; dz <= 0; ++dz)
      for (int dy = -1; dy <= (dz == 0 ? -1 : 1); ++dy)
        wrapped_rows(size, {}).with_row(r, dz, dy, [&](i64 earlier, int moved) {
          const int reach = reach_of(axes_of(connectivity), moved);
          if (earlier >= s.row_begin || reach < 0) return;
          const strip& home = strip_of(strips, earlier);
          const border_row of_earlier = home.at_border(earlier);
          const joined_row other = joins.row(earlier, of_earlier, scratch.earlier);
          unite_components(own, of_own, other, of_earlier, joins.pairs(own, other, reach, own.runs.words, scratch),
                           words, parent);
        });
  }
}

void merge_around(const std::vector<strip>& strips, std::size_t k, const pixel_source& source, const pixel_joins& joins,
                  int connectivity, join_scratch& scratch, u32* parent) {
  const strip& s = strips[k];
  const periodic_axes& periodic = source.periodic;
  around_borders borders(strips, source, joins, connectivity, scratch, parent);
  for (i64 r = s.row_begin; r < s.row_end; ++r) {
    if (periodic.y || periodic.z) borders.join_rows(s, r);
    if (periodic.x) borders.join_ends(s, r);
  }
}

}  // namespace skerry::label_stages

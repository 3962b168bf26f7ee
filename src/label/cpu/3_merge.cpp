// SPDX-License-Identifier: Apache-2.0
// Stage 3, CPU: joins the components of a strip with those of the strips before.
//
//   row     pairs of touching runs, as in stage 2; each unites the two components
//   strip   only the rows that can touch the strip before, and the components that touch them: one row in 2D, a slice
//           and a row in 3D
//
// Reads   the rows at the border: their bits, as stage 1 made them, and the components of their runs
// Writes  parent of each component at a border, shared by all threads
// Method  lock-free union-find with the smallest member as root [Jaiganesh2018]
#include <algorithm>
#include <span>

#include "core/neighbourhood.hpp"
#include "core/union_find.hpp"
#include "label/cpu/stages.hpp"

namespace skerry::label_stages {
namespace {

const strip& home_of(const std::vector<strip>& strips, std::size_t k, i64 row) {
  while (row < strips[k].row_begin) --k;
  return strips[k];
}

// A row on the way from word to word.
struct border_cursor {
  border_row of;
  row_cursor cursor;

  [[nodiscard]] u32 component_at(u64 up_to) const { return of.component_of(cursor.run_at(up_to)); }
};

template <class Near>
void unite_row(const std::vector<strip>& strips, std::size_t k, const extent& size, i64 r, u32* parent) {
  const bit_window& bits = strips[k].bits;
  const union_find<u32, sharing::device> sets(parent);
  border_row known_rows[4] = {};
  const auto cursor = [&](int which, bool exists, i64 row) {
    if (!exists) return row_cursor{bits.no_row(), 0};
    known_rows[which] = home_of(strips, k, row).at_border(row);
    return row_cursor{known_rows[which].bits, 0};
  };
  const i64 y = r % size.height;
  const bool back = Near::rank == 3 && r >= size.height;
  earlier_rows rows{cursor(0, y > 0, r - 1), cursor(1, back && y > 0, r - size.height - 1),
                    cursor(2, back, r - size.height), cursor(3, back && y + 1 < size.height, r - size.height + 1)};
  const border_row own_row = strips[k].at_border(r);
  border_cursor own{own_row, {own_row.bits, 0}};
  row_cursor* const known[4] = {&rows.above, &rows.back_above, &rows.back, &rows.back_below};
  const std::span each(known, Near::rank == 3 ? 4 : 1);
  for (i64 w = 0; w < bits.words_per_row(); ++w) {
    own.cursor.enter(w);
    for (row_cursor* row : each) row->enter(w);
    const earlier_pairs found = Near::pairs_of(rows, own.cursor);
    const u64 pairs_of_rows[4] = {found.above, found.back_above, found.back, found.back_below};
    for (std::size_t which = 0; which < each.size(); ++which) {
      const border_cursor other{known_rows[which], *each[which]};
      for (u64 pairs = pairs_of_rows[which]; pairs != 0; pairs &= pairs - 1) {
        const u64 up_to = up_to_lowest_one(pairs);
        sets.unite(other.component_at(up_to), own.component_at(up_to));
      }
    }
    own.cursor.leave();
    for (row_cursor* row : each) row->leave();
  }
}

}  // namespace

i64 border_rows(const extent& size) { return size.rank == 3 ? size.height + 1 : 1; }

void open_border(const strip& s, i64 reach, u32* parent) {
  each_border_component(s, reach, [&](u32 component) {
    const u64 c = s.first_component + component;
    parent[c] = static_cast<u32>(c);
  });
}

void merge(const std::vector<strip>& strips, std::size_t k, const extent& size, int connectivity, u32* parent) {
  const i64 row_end = std::min(strips[k].row_end, strips[k].row_begin + border_rows(size));
  with_neighbourhood(connectivity, [&]<class Near>() {
    for (i64 r = strips[k].row_begin; r < row_end; ++r) unite_row<Near>(strips, k, size, r, parent);
  });
}

}  // namespace skerry::label_stages

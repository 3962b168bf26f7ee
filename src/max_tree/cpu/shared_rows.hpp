// SPDX-License-Identifier: Apache-2.0
// A row of sums for each node, joined pixel by pixel and then towards the root, by the threads of all strips (node_strips.hpp).
#pragma once
#include <algorithm>
#include <vector>

#include "core/feature.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/node_strips.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {

inline constexpr std::size_t nodes_ahead = 64;  // nodes, to fetch what belongs to their parents

// Calls visit(node, run) for each run of pixels of one node in some rows.
template <class Visit>
void each_run(const max_tree& tree, row_range rows, Visit visit) {
  const i64 width = tree.size().width;
  for (i64 r = rows.begin; r < rows.end; ++r) {
    stop_point();
    const u32* const row = tree.node_of_pixel().data() + r * width;
    const i64 z = r / tree.size().height, y = r % tree.size().height;
    for (i64 begin = 0, end = 0; begin < width; begin = end) {
      const u32 node = row[begin];
      for (end = begin + 1; end < width && row[end] == node;) ++end;
      visit(node, placed_run{z, y, y + 1, begin, end});
    }
  }
}

// Asks for a row that will be joined to: parents lie anywhere.
template <class Row>
void fetch_row(Row& row) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < sizeof row; at += line) __builtin_prefetch(reinterpret_cast<char*>(&row) + at, 1);
  __builtin_prefetch(reinterpret_cast<char*>(&row + 1) - 1, 1);
}

// The rows of all nodes. The thread of a strip joins what it finds to rows of nodes at home there, and to its own rows of guests.
template <class Row>
class shared_rows {
 public:
  // Strips have been prepared.
  shared_rows(const max_tree& tree, const node_strips& strips, measure_scratch& scratch, std::vector<Row>& rows)
      : tree_(tree), strips_(strips), rows_(rows) {
    if (strips.count() == 1) return;
    std::size_t guests = 0;
    begin_.reserve(strips.count());
    for (std::size_t strip = 0; strip < strips.count(); ++strip) {
      begin_.push_back(guests);
      guests += strips.guests(strip).count;
    }
    scratch.guest_rows.reserve(guests * sizeof(Row) / sizeof(u64));
    of_guests_ = static_cast<Row*>(static_cast<void*>(scratch.guest_rows.data()));
  }

  // Sums of a row value(node) for each node, and of what add(rows, join) joins for some rows of the image by join(node, row), in each
  // node and all above it.
  template <class Value, class Add>
  void sum(engine::state& on, const Row& none, Value value, Add add) const {
    if (strips_.count() == 1)
      return sum_strip(0, {}, nullptr, value, add, [this](u32 node) -> Row& { return rows_[node]; });
    for_each_in_parallel(on, strips_.count(), [&](std::size_t strip) {
      const guests_of_strip& guests = strips_.guests(strip);
      Row* const of_guests = of_guests_ + begin_[strip];
      std::fill_n(of_guests, guests.count, none);
      sum_strip(strip, guests.list(), of_guests, value, add, [&, this](u32 node) -> Row& {
        return guests.set.has(node) ? of_guests[guests.place(node)] : rows_[node];
      });
    });
    for_each_in_parallel(on, strips_.guest_shares(), [&](std::size_t number) {
      strips_.each_guest_in_share(number, [&](std::size_t strip, node_range places) {
        const u32* const guests = strips_.guests(strip).nodes.data();
        for (std::size_t k = places.begin; k < places.end; ++k)
          join(rows_[guests[k]], of_guests_[begin_[strip] + k], join_alone());
      });
    });
  }

 private:
  template <class Value, class Add, class RowOf>
  void sum_strip(std::size_t strip, std::span<const u32> guests, const Row* of_guests, Value value, Add add,
                 RowOf row_of) const {
    strips_.each_range_from_last(strip, [&](u32 begin, u32 end) {
      for (u32 node = begin; node < end; ++node) rows_[node] = value(node);
    });
    add(strips_.rows(strip), [&](u32 node, const Row& more) { join(row_of(node), more, join_alone()); });
    const u32* const parent = tree_.parent().data();
    std::size_t k = 0;
    const auto carry_guests = [&](u32 end) {
      for (; k < guests.size() && guests[k] >= end; ++k) join(row_of(parent[guests[k]]), of_guests[k], join_alone());
    };
    strips_.each_range_from_last(strip, [&](u32 begin, u32 end) {
      carry_guests(end);
      for (u32 node = end; node-- > std::max(begin, u32{1});) {
        if (node >= begin + nodes_ahead) fetch_row(rows_[parent[node - nodes_ahead]]);
        join(row_of(parent[node]), rows_[node], join_alone());
      }
    });
    carry_guests(1);
  }

  const max_tree& tree_;
  const node_strips& strips_;
  std::vector<Row>& rows_;
  std::vector<std::size_t> begin_;  // of each strip's rows of guests
  Row* of_guests_ = nullptr;
};

}  // namespace skerry::tree_stages

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

// The rows of all nodes, to which the threads of strips join what they find: nodes of the trunk have a row for each strip.
template <class Row>
class shared_rows {
 public:
  shared_rows(const max_tree& tree, const node_strips& strips, measure_scratch& scratch, std::vector<Row>& rows)
      : tree_(tree), strips_(strips), rows_(rows) {
    if (strips.count() == 1) return;
    std::size_t rows_of_trunk = 0;
    begin_.reserve(strips.count());
    for (std::size_t strip = 0; strip < strips.count(); ++strip) {
      begin_.push_back(rows_of_trunk);
      rows_of_trunk += strips.trunk(strip).list().size();
    }
    scratch.trunk_rows.reserve(rows_of_trunk * sizeof(Row) / sizeof(u64));
    trunk_ = static_cast<Row*>(static_cast<void*>(scratch.trunk_rows.data()));
  }

  // Joins the pixels of all runs: of_run(run).
  template <class OfRun>
  void add_pixels(engine::state& on, const Row& none, OfRun of_run) const {
    if (strips_.count() == 1)
      return each_run(tree_, strips_.rows(0),
                      [&](u32 node, const placed_run& run) { join(rows_[node], of_run(run), join_alone()); });
    for_each_in_parallel(on, strips_.count(), [&](std::size_t strip) {
      clear_trunk(strip, none);
      each_run(tree_, strips_.rows(strip),
               [&](u32 node, const placed_run& run) { join(row(strip, node), of_run(run), join_alone()); });
    });
  }
  void clear_trunk(engine::state& on, const Row& none) const {
    if (strips_.count() > 1)
      for_each_in_parallel(on, strips_.count(), [&](std::size_t strip) { clear_trunk(strip, none); });
  }

  void carry_towards_root(engine::state& on) const {
    const u32* const parent = tree_.parent().data();
    if (strips_.count() == 1) {
      for (std::size_t node = rows_.size(); node-- > 1; stop_point(node)) {
        if (node > nodes_ahead) fetch_row(rows_[parent[node - nodes_ahead]]);
        join(rows_[parent[node]], rows_[node], join_alone());
      }
      return;
    }
    for_each_in_parallel(on, strips_.count(), [&](std::size_t strip) {
      const trunk_of_strip& trunk = strips_.trunk(strip);
      strips_.each_range_from_last(strip, [&](u32 begin, u32 end) {
        stop_point();
        for (u32 node = end; node-- > begin;) {
          if (node >= begin + nodes_ahead) fetch_row(rows_[parent[node - nodes_ahead]]);
          if (!trunk.has(node)) join(row(strip, parent[node]), rows_[node], join_alone());
        }
      });
    });
    for_each_in_parallel(on, strips_.count(), [&](std::size_t number) {
      strips_.each_trunk_in_share(number, [&](std::size_t strip, std::span<const u32> nodes) {
        for (const u32 node : nodes) join(rows_[node], row(strip, node), join_alone());
      });
    });
    for (const u32 node : strips_.trunk())
      if (node != 0) join(rows_[parent[node]], rows_[node], join_alone());
  }

 private:
  void clear_trunk(std::size_t strip, const Row& none) const {
    std::fill_n(trunk_ + begin_[strip], strips_.trunk(strip).list().size(), none);
  }
  [[nodiscard]] Row& row(std::size_t strip, u32 node) const {
    const trunk_of_strip& trunk = strips_.trunk(strip);
    return trunk.has(node) ? trunk_[begin_[strip] + trunk.rank(node)] : rows_[node];
  }

  const max_tree& tree_;
  const node_strips& strips_;
  std::vector<Row>& rows_;
  std::vector<std::size_t> begin_;  // of each strip's rows of the trunk
  Row* trunk_ = nullptr;
};

}  // namespace skerry::tree_stages

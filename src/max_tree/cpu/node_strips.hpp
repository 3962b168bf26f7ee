// SPDX-License-Identifier: Apache-2.0
// Nodes dealt to strips of the image, so that threads carry sums along branches without waiting for each other.
//
// A node is *at home* in the strip that has its first pixel. In each level these are a range of nodes, since nodes are
// numbered by level and first pixel. The *guests* of a strip are nodes at home in others whose components reach into it: its
// thread meets no nodes but those at home and guests. Parents of guests are guests or at home. The *trunk* are all nodes that
// are guests anywhere: it is short, since its components cross the borders of strips.
#pragma once
#include <algorithm>
#include <span>

#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {

class node_strips {
 public:
  // Nodes that levels must have on average for strips to be worth it: with fewer the trunk is hardly shorter than the rest, and
  // areas alone are added up by one loop nearly as fast as memory allows.
  static constexpr std::size_t least_nodes_of_level = 32, least_nodes_for_areas = 512;

  // Chooses the strips. There is one if the image is too small for several threads, if nobody knows whether the nodes of the
  // tree are connected, or if levels have fewer nodes than `least_nodes`.
  node_strips(engine::state& on, const max_tree& tree, strip_scratch& scratch,
              std::size_t least_nodes = least_nodes_of_level);
  // Finds what is at home in one of several strips, and its guests. A thread may go on with its strip when others are not prepared.
  void prepare(std::size_t strip) const;

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] u32 parent(u32 node) const { return parent_[node]; }
  [[nodiscard]] row_range rows(std::size_t strip) const { return blocks_[strip]; }
  struct range {
    std::size_t begin, end;
  };
  // An equal share of some things, as many as there are strips.
  [[nodiscard]] range share(std::size_t of, std::size_t number) const {
    return {of * number / count_, of * (number + 1) / count_};
  }

  [[nodiscard]] const guests_of_strip& guests(std::size_t strip) const { return scratch_.guests[strip]; }
  // Shares of all nodes in which guests are added up: many, since most guests are near the root.
  [[nodiscard]] std::size_t guest_shares() const { return 4 * count_; }
  // Calls visit(strip, places) for each strip, with the places in its list of those guests that are in a share.
  template <class Visit>
  void each_guest_in_share(std::size_t number, Visit visit) const {
    for (std::size_t strip = 0; strip < count_; ++strip) {
      const u32* const end = guests(strip).shares.data() + (guest_shares() - number);
      visit(strip, node_range{end[-1], end[0]});
    }
  }

  // Calls visit(begin, end) with ranges of nodes at home in a strip, from the last to the first or the other way.
  template <class Visit>
  void each_range_from_last(std::size_t strip, Visit visit) const {
    const node_range* const ranges = ranges_of(strip);
    for (std::size_t level = levels_; level-- > 0;) {
      if (level > 0) fetch_parents(ranges[level - 1]);
      in_stretches_down(ranges[level].begin, ranges[level].end, visit_nodes(visit));
    }
  }
  template <class Visit>
  void each_range_from_first(std::size_t strip, Visit visit) const {
    const node_range* const ranges = ranges_of(strip);
    for (std::size_t level = 0; level < levels_; ++level)
      in_stretches(ranges[level].begin, ranges[level].end, visit_nodes(visit));
  }

 private:
  template <class Visit>
  static auto visit_nodes(Visit& visit) {
    return [&visit](std::size_t begin, std::size_t end) { visit(static_cast<u32>(begin), static_cast<u32>(end)); };
  }
  [[nodiscard]] const node_range* ranges_of(std::size_t strip) const {
    return count_ == 1 ? &whole_ : scratch_.ranges.data() + strip * levels_;
  }
  // Ranges are short, and those of the next level are elsewhere.
  void fetch_parents(node_range range) const {
    constexpr u32 most = 32 * words_of_line;
    for (u32 node = range.end; node > range.begin && range.end - node < most;) {
      node -= std::min<u32>(node - range.begin, words_of_line);
      __builtin_prefetch(parent_ + node);
    }
  }
  bool find_levels(engine::state& on, std::span<const double> level, std::size_t most);
  void find_homes(std::size_t strip) const;
  void find_trunk_of(std::size_t strip) const;
  std::size_t mark_pairs(row_range rows, row_range others, guests_of_strip& trunk, std::size_t count) const;
  void keep_guests(std::size_t strip) const;

  const max_tree& tree_;
  std::size_t nodes_, count_, levels_ = 0;
  row_blocks blocks_;
  node_range whole_{};  // the tree, where there is one strip
  const u32* parent_;
  strip_scratch& scratch_;
};

// Strips prepared, and the trunk of all of them.
class node_trunk {
 public:
  node_trunk(engine::state& on, const node_strips& strips, strip_scratch& scratch);
  [[nodiscard]] const node_strips& strips() const { return strips_; }
  [[nodiscard]] bool has(u32 node) const { return set_.has(node); }
  // The last first, which is the root.
  [[nodiscard]] std::span<const u32> list() const { return list_; }

 private:
  const node_strips& strips_;
  node_set& set_;
  std::span<const u32> list_;
};

// Calls visit(node) for all nodes but the root, after the call for its parent.
template <class Visit>
void each_from_root(engine::state& on, const node_trunk& trunk, Visit visit) {
  const node_strips& strips = trunk.strips();
  if (strips.count() == 1) {
    in_stretches(1, strips.nodes(), [&](std::size_t first, std::size_t last) {
      for (std::size_t node = first; node < last; ++node) visit(static_cast<u32>(node));
    });
    return;
  }
  for (std::size_t k = trunk.list().size() - 1; k-- > 0;) visit(trunk.list()[k]);
  for_each_in_parallel(on, strips.count(), [&](std::size_t strip) {
    strips.each_range_from_first(strip, [&](u32 begin, u32 end) {
      for (u32 node = begin; node < end; ++node)
        if (!trunk.has(node)) visit(node);
    });
  });
}

// Calls visit(node, shared) for all nodes but the root, after the calls for its children. `shared`: other threads may be at its
// parent at the same time.
template <class Visit>
void each_towards_root(engine::state& on, const node_trunk& trunk, Visit visit) {
  const node_strips& strips = trunk.strips();
  if (strips.count() == 1) {
    in_stretches_down(1, strips.nodes(), [&](std::size_t first, std::size_t last) {
      for (std::size_t node = last; node-- > first;) visit(static_cast<u32>(node), false);
    });
    return;
  }
  for_each_in_parallel(on, strips.count(), [&](std::size_t strip) {
    strips.each_range_from_last(strip, [&](u32 begin, u32 end) {
      for (u32 node = end; node-- > begin;)
        if (!trunk.has(node)) visit(node, trunk.has(strips.parent(node)));
    });
  });
  for (const u32 node : trunk.list().first(trunk.list().size() - 1)) visit(node, false);
}

}  // namespace skerry::tree_stages

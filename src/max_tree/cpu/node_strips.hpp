// SPDX-License-Identifier: Apache-2.0
// Nodes dealt to strips of the image, so that threads carry sums along branches without waiting for each other.
//
// The *trunk* are the nodes whose components lie in several strips; parents of such nodes are such nodes. All other nodes are
// *at home* in one strip, together with all that is above them: only that strip's thread has anything to do with them.
// The trunk is short, since its components cross the borders of strips.
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

  // Finds the trunk, and what is at home where. There is one strip if the image is too small for several threads, if nobody
  // knows whether the nodes of the tree are connected, or if levels have fewer nodes than `least_nodes`.
  node_strips(engine::state& on, const max_tree& tree, strip_scratch& scratch,
              std::size_t least_nodes = least_nodes_of_level);

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

  // Nodes of the trunk, the last first, which is the root.
  [[nodiscard]] std::span<const u32> trunk() const { return scratch_.trunks[count_].list(); }
  // Those whose components reach into a strip; its thread meets no others.
  [[nodiscard]] const trunk_of_strip& trunk(std::size_t strip) const { return scratch_.trunks[strip]; }
  // Calls visit(strip, nodes) with the part of each strip's trunk that is in a share of all nodes.
  template <class Visit>
  void each_trunk_in_share(std::size_t number, Visit visit) const {
    const auto [begin, end] = share(nodes_, number);
    for (std::size_t strip = 0; strip < count_; ++strip) {
      const std::span<const u32> list = trunk(strip).list();
      const auto first = std::partition_point(list.begin(), list.end(), [&, e = end](u32 node) { return node >= e; });
      const auto last = std::partition_point(first, list.end(), [&, b = begin](u32 node) { return node >= b; });
      visit(strip, std::span<const u32>(first, last));
    }
  }

  // Calls visit(begin, end) with ranges of nodes whose first pixel is in a strip, from the last to the first or the other way:
  // those at home there, and some of the trunk.
  template <class Visit>
  void each_range_from_last(std::size_t strip, Visit visit) const {
    for (std::size_t level = levels_; level-- > 0;) visit_range(level, strip, visit);
  }
  template <class Visit>
  void each_range_from_first(std::size_t strip, Visit visit) const {
    for (std::size_t level = 0; level < levels_; ++level) visit_range(level, strip, visit);
  }

 private:
  template <class Visit>
  void visit_range(std::size_t level, std::size_t strip, Visit& visit) const {
    const u32* const bound = scratch_.bounds.data() + level * (count_ + 1) + strip;
    if (bound[0] < bound[1]) visit(bound[0], bound[1]);
  }
  void find_trunk(const max_tree& tree, std::size_t strip) const;
  void mark_pairs(const max_tree& tree, row_range rows, row_range others, trunk_of_strip& trunk) const;
  void unite_trunks(engine::state& on) const;
  bool find_levels(std::span<const double> level, std::size_t most);
  void find_bounds(engine::state& on, std::span<const u32> first_pixel) const;

  std::size_t nodes_, count_, levels_ = 0;
  row_blocks blocks_;
  i64 width_;
  const u32* parent_;
  strip_scratch& scratch_;
};

// Calls visit(node) for all nodes but the root, after the call for its parent.
template <class Visit>
void each_from_root(engine::state& on, const node_strips& strips, Visit visit) {
  if (strips.count() == 1) {
    in_stretches(1, strips.nodes(), [&](std::size_t first, std::size_t last) {
      for (std::size_t node = first; node < last; ++node) visit(static_cast<u32>(node));
    });
    return;
  }
  const std::span<const u32> trunk = strips.trunk();
  for (std::size_t k = trunk.size() - 1; k-- > 0;) visit(trunk[k]);
  for_each_in_parallel(on, strips.count(), [&](std::size_t strip) {
    const trunk_of_strip& seen = strips.trunk(strip);
    strips.each_range_from_first(strip, [&](u32 begin, u32 end) {
      stop_point();
      for (u32 node = begin; node < end; ++node)
        if (!seen.has(node)) visit(node);
    });
  });
}

// Calls visit(node, shared) for all nodes but the root, after the calls for its children. `shared`: other threads may be at its
// parent at the same time.
template <class Visit>
void each_towards_root(engine::state& on, const node_strips& strips, Visit visit) {
  if (strips.count() == 1) {
    in_stretches_down(1, strips.nodes(), [&](std::size_t first, std::size_t last) {
      for (std::size_t node = last; node-- > first;) visit(static_cast<u32>(node), false);
    });
    return;
  }
  for_each_in_parallel(on, strips.count(), [&](std::size_t strip) {
    const trunk_of_strip& seen = strips.trunk(strip);
    strips.each_range_from_last(strip, [&](u32 begin, u32 end) {
      stop_point();
      for (u32 node = end; node-- > begin;)
        if (!seen.has(node)) visit(node, seen.has(strips.parent(node)));
    });
  });
  const std::span<const u32> trunk = strips.trunk();
  for (const u32 node : trunk.first(trunk.size() - 1)) visit(node, false);
}

}  // namespace skerry::tree_stages

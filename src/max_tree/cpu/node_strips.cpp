// SPDX-License-Identifier: Apache-2.0
#include "max_tree/cpu/node_strips.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/cpu/parallel.hpp"
#include "max_tree/tree_door.hpp"

namespace skerry::tree_stages {
namespace {

std::size_t strips_for(const engine::state& on, const max_tree& tree) {
  constexpr i64 most = 64;  // what a strip keeps of its guests costs more than further threads gain
  if (!tree_door::is_connected(tree)) return 1;
  return static_cast<std::size_t>(
      std::clamp<i64>(tree.size().pixels() / block_pixels(on), 1, std::min<i64>(on.threads, most)));
}

// The nodes after `first`, up to `last`, whose level is not that of the node before them, in order; some of them if there are more
// than `most`. All searches go on together, so that they wait for memory at the same time.
std::vector<u32> changes_of_level(std::span<const double> level, std::size_t first, std::size_t last,
                                  std::size_t most) {
  struct gap {
    u32 low, high;  // nodes of different levels
    [[nodiscard]] u32 middle() const { return low + (high - low) / 2; }
  };
  std::vector<gap> gaps, halves;
  if (level[first] != level[last]) gaps.push_back({static_cast<u32>(first), static_cast<u32>(last)});
  for (bool some = true; some && gaps.size() <= most;) {
    stop_point();
    some = false;
    halves.clear();
    for (const gap& each : gaps) __builtin_prefetch(&level[each.middle()]);
    for (const gap& each : gaps) {
      const u32 middle = each.middle();
      if (middle > each.low) some = true;
      if (middle > each.low && level[each.low] != level[middle]) halves.push_back({each.low, middle});
      if (level[middle] != level[each.high]) halves.push_back({middle, each.high});
    }
    gaps.swap(halves);
  }
  std::vector<u32> changes;
  changes.reserve(gaps.size());
  for (const gap& each : gaps) changes.push_back(each.high);
  return changes;
}

}  // namespace

node_strips::node_strips(engine::state& on, const max_tree& tree, strip_scratch& scratch, std::size_t least_nodes)
    : tree_(tree), nodes_(tree.nodes()), count_(strips_for(on, tree)),
      blocks_(tree.size(), (tree.size().pixels() + static_cast<i64>(count_) - 1) / static_cast<i64>(count_)),
      parent_(tree.parent().data()), scratch_(scratch) {
  // Of a block; where tests have smaller ones, levels may have fewer nodes.
  constexpr std::size_t usual_pixels = 1 << 16;
  count_ = blocks_.count();
  if (count_ > 1 && !find_levels(on, tree.level(),
                                 nodes_ * usual_pixels / (least_nodes * static_cast<std::size_t>(block_pixels(on))))) {
    count_ = 1;
    blocks_ = row_blocks(tree.size(), tree.size().pixels());
  }
  if (count_ == 1) {
    levels_ = 1;
    whole_ = {0, static_cast<u32>(nodes_)};
    return;
  }
  if (scratch.guests.size() < count_) scratch.guests.resize(count_);
  scratch.ranges.reserve(count_ * levels_);
}

void node_strips::prepare(std::size_t strip) const {
  find_homes(strip);
  find_trunk_of(strip);
  keep_guests(strip);
}

// ---- homes --------------------------------------------------------------------------------------------------------------

// Finds where levels begin, each thread in a share of the nodes; false if there are too many.
bool node_strips::find_levels(engine::state& on, std::span<const double> level, std::size_t most) {
  std::vector<std::vector<u32>> begins(count_);
  for_each_in_parallel(on, count_, [&](std::size_t number) {
    const auto [begin, end] = share(nodes_, number);
    if (begin < end) begins[number] = changes_of_level(level, std::max<std::size_t>(begin, 1) - 1, end - 1, most);
  });
  levels_ = 1;
  for (const std::vector<u32>& each : begins) levels_ += each.size();
  if (levels_ > most) return false;
  scratch_.level_begin.reserve(levels_ + 1);
  u32* to = scratch_.level_begin.data();
  *to++ = 0;
  for (const std::vector<u32>& each : begins) to = std::copy(each.begin(), each.end(), to);
  *to = static_cast<u32>(nodes_);
  return true;
}

// Within a level, nodes are in the order of their first pixels. Some levels at once, as above.
void node_strips::find_homes(std::size_t strip) const {
  constexpr std::size_t at_once = 32;
  struct search {
    u32 at, nodes;
  };
  std::array<search, at_once> searches;
  const u32* const first_pixel = tree_.first_pixel().data();
  const auto find = [&](std::size_t count, i64 row) {
    const auto pixel = static_cast<u32>(row * tree_.size().width);
    for (bool some = true; some;) {
      some = false;
      for (std::size_t k = 0; k < count; ++k) {
        search& each = searches[k];
        if (each.nodes == 0) continue;
        const u32 half = each.nodes / 2;
        const bool is_before = first_pixel[each.at + half] < pixel;
        each.at += is_before ? half + 1 : 0;
        each.nodes = is_before ? each.nodes - half - 1 : half;
        __builtin_prefetch(first_pixel + each.at + each.nodes / 2);
        some = some || each.nodes != 0;
      }
    }
  };
  const row_range rows = blocks_[strip];
  const u32* const bounds = scratch_.level_begin.data();
  for (std::size_t level = 0; level < levels_; level += at_once) {
    const std::size_t count = std::min(at_once, levels_ - level);
    node_range* const ranges = scratch_.ranges.data() + strip * levels_ + level;
    for (std::size_t k = 0; k < count; ++k)
      searches[k] = {bounds[level + k], bounds[level + k + 1] - bounds[level + k]};
    find(count, rows.begin);
    for (std::size_t k = 0; k < count; ++k) {
      ranges[k].begin = searches[k].at;
      searches[k].nodes = bounds[level + k + 1] - searches[k].at;
    }
    if (strip + 1 < count_) find(count, rows.end);
    for (std::size_t k = 0; k < count; ++k) ranges[k].end = strip + 1 < count_ ? searches[k].at : bounds[level + k + 1];
  }
}

// ---- guests -------------------------------------------------------------------------------------------------------------

void node_set::clear(std::size_t nodes) {
  for (std::size_t group = 0; group < used_.capacity(); ++group)
    for (u64& words = used_[group]; words != 0; words &= words - 1)
      bits_[64 * group + static_cast<std::size_t>(std::countr_zero(words))] = 0;
  groups_ = (nodes + 4095) / 4096;
  const std::size_t groups_before = used_.capacity();
  if (groups_ <= groups_before) return;
  bits_.reserve(64 * groups_);
  std::fill(bits_.data() + 64 * groups_before, bits_.data() + 64 * groups_, u64{0});
  used_.reserve(groups_);
  std::fill(used_.data() + groups_before, used_.data() + groups_, u64{0});
}

void node_set::unite(const node_set& other, std::size_t begin, std::size_t end) {
  for (std::size_t group = begin; group < end; ++group) {
    used_[group] |= other.used_[group];
    for (u64 words = other.used_[group]; words != 0; words &= words - 1) {
      const std::size_t word = 64 * group + static_cast<std::size_t>(std::countr_zero(words));
      bits_[word] |= other.bits_[word];
    }
  }
}

// All pairs of neighbours, one in `rows`, one in earlier rows `others`. A component that has pixels in both has such a pair, and is
// that of the lower of the two, or below it. Lists the new ones behind `count` others; returns how many there are then.
std::size_t node_strips::mark_pairs(row_range rows, row_range others, guests_of_strip& trunk, std::size_t count) const {
  const extent& size = tree_.size();
  const u32* const nodes = tree_.node_of_pixel().data();
  for (i64 r = rows.begin; r < rows.end; ++r)
    for (const neighbour_row& near : neighbourhood_rows(size.rank, tree_.connectivity())) {
      const i64 z = r / size.height + near.dz, y = r % size.height + near.dy, other = z * size.height + y;
      if (z < 0 || y < 0 || y >= size.height || other < others.begin || other >= others.end) continue;
      const u32* const ours = nodes + r * size.width;
      const u32* const theirs = nodes + other * size.width;
      trunk.nodes.reserve_growing(count + static_cast<std::size_t>(size.width * (2 * near.reach + 1)));
      for (i64 x = 0; x < size.width; ++x)
        for (i64 at = std::max<i64>(0, x - near.reach); at <= std::min(size.width - 1, x + near.reach); ++at) {
          const u32 node = std::min(ours[x], theirs[at]);
          if (!trunk.set.add(node)) continue;
          __builtin_prefetch(parent_ + node);
          trunk.nodes[count++] = node;
        }
    }
  return count;
}

// The nodes whose components lie in this strip and in others. Parents of such nodes are such nodes: they are listed as well, in
// the order in which they are found, so that many of them are asked for at the same time.
void node_strips::find_trunk_of(std::size_t strip) const {
  const extent& size = tree_.size();
  const i64 all = size.depth * size.height, reach = size.rank == 2 ? 1 : size.height + 1;
  const auto [begin, end] = blocks_[strip];
  guests_of_strip& trunk = scratch_.guests[strip];
  trunk.set.clear(nodes_);
  trunk.set.add(0);
  trunk.nodes.reserve_growing(1);
  trunk.nodes[0] = 0;
  std::size_t count = 1;
  if (begin > 0) count = mark_pairs({begin, std::min(end, begin + reach)}, {0, begin}, trunk, count);
  if (end < all) count = mark_pairs({end, std::min(all, end + reach)}, {begin, end}, trunk, count);
  for (std::size_t k = 0; k < count; ++k) {
    stop_point(k);
    const u32 parent = parent_[trunk.nodes[k]];
    if (!trunk.set.add(parent)) continue;
    __builtin_prefetch(parent_ + parent);
    trunk.nodes.reserve_growing(count + 1);
    trunk.nodes[count++] = parent;
  }
}

// Leaves those of the trunk that are not at home, in order, and finds them by word and by share.
void node_strips::keep_guests(std::size_t strip) const {
  guests_of_strip& guests = scratch_.guests[strip];
  const node_range* const ranges = ranges_of(strip);
  guests.before_of_word.reserve(64 * guests.set.groups());
  std::size_t level = levels_ - 1, word = static_cast<std::size_t>(-1);
  u32 count = 0;
  guests.set.filter_from_last([&](u32 node) {
    while (level > 0 && node < ranges[level].begin) --level;
    if (node >= ranges[level].begin && node < ranges[level].end) return false;
    if (node / 64 != word) guests.before_of_word[word = node / 64] = count;
    guests.nodes[count++] = node;
    return true;
  });
  guests.count = count;
  const std::size_t shares = guest_shares();
  guests.shares.reserve(shares + 1);
  const std::span<const u32> list = guests.list();
  auto at = list.begin();
  for (std::size_t number = shares; number > 0; --number) {
    guests.shares[shares - number] = static_cast<u32>(at - list.begin());
    const std::size_t begin = nodes_ * (number - 1) / shares;
    at = std::partition_point(at, list.end(), [begin](u32 node) { return node >= begin; });
  }
  guests.shares[shares] = count;
}

// ---- the trunk ----------------------------------------------------------------------------------------------------------

node_trunk::node_trunk(engine::state& on, const node_strips& strips, strip_scratch& scratch)
    : strips_(strips), set_(scratch.trunk) {
  if (strips.count() == 1) return;
  for_each_in_parallel(on, strips.count(), [&](std::size_t strip) { strips.prepare(strip); });
  set_.clear(strips.nodes());
  std::size_t most = 0, count = 0;
  for (std::size_t strip = 0; strip < strips.count(); ++strip) most += strips.guests(strip).count;
  for_each_in_parallel(on, strips.count(), [&](std::size_t number) {
    const auto [begin, end] = strips.share(set_.groups(), number);
    for (std::size_t strip = 0; strip < strips.count(); ++strip) set_.unite(strips.guests(strip).set, begin, end);
  });
  scratch.trunk_list.reserve(most);
  set_.filter_from_last([&](u32 node) {
    scratch.trunk_list[count++] = node;
    return true;
  });
  list_ = {scratch.trunk_list.data(), count};
}

}  // namespace skerry::tree_stages

// SPDX-License-Identifier: Apache-2.0
// Stage 3, merge: joins the trees of tiles of 16- or 32-bit keys.
//
// Reads   which gates are connected, and from which rank down; of each rank, tile by tile, its link or a gate
// Writes  the link of each rank
// Method  Chains of wide keys may be as long as the image, and are not walked. The gates alone have a tree: joined from the
//         highest rank down, the smaller of two sets ends as a branch of the other. A pixel that has a gate is in one of the
//         branches below it, and the next lower pixel of that branch is its link: a sweep over the ranks in order, in
//         which each thread takes a part, and the ends of parts are tied together at last.
#include <algorithm>
#include <array>
#include <utility>

#include "core/union_find.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr u32 no_rank = ~u32{0};

class rank_merger {
 public:
  rank_merger(engine::state& on, const tiling& tiles, i64 pixels, ranked_scratch& scratch, u32* link)
      : on_(on), tiles_(tiles), pixels_(pixels), scratch_(scratch), link_(link),
        gates_(scratch.at_borders.first_gate[tiles.tiles()]), parts_(scratch.parts) {
    scratch.branches.reserve(gates_);
    scratch.sets.reserve(gates_);
    scratch.weights.reserve(gates_);
    scratch.branch_parts.reserve(parts_ * gates_);
  }

  void join_gates();
  void link_part(std::size_t part);
  void tie_parts();

 private:
  static constexpr i64 ranks_at_once = 64;

  u32 set_of(u32 gate);
  void link_ranks(i64 begin, i64 end, u32* next, ranked_scratch::branch_part* here);

  engine::state& on_;
  const tiling& tiles_;
  i64 pixels_;
  ranked_scratch& scratch_;
  u32* link_;
  std::size_t gates_, parts_;
};

u32 rank_merger::set_of(u32 gate) {
  return find_root<shortening::halving>(array_words<u32, sharing::one_thread>{scratch_.sets.data()}, gate);
}

void rank_merger::join_gates() {
  gates& at = scratch_.at_borders;
  const std::size_t pairs = gates_ / 2, joints = gates_ + pairs;
  for (std::size_t i = 0; i < pairs; ++i) {
    const u32 one = at.gate_of[2 * i], other = at.gate_of[2 * i + 1];
    at.joints[gates_ + i] = {std::min(at.ranks[one], at.ranks[other]), one, other};
  }
  at.order.reserve(2 * joints);
  u64* const order = at.order.data();
  for (std::size_t i = 0; i < joints; ++i) order[i] = static_cast<u64>(at.joints[i].rank) << 32 | i;
  for (u32 gate = 0; gate < gates_; ++gate) {
    scratch_.sets[gate] = gate;
    scratch_.weights[gate] = 1;
    scratch_.branches[gate] = {gate, 0};
  }
  const u64* const sorted =
      sort_by_upper_half(on_, order, order + joints, static_cast<i64>(joints), 32, at.places, at.lines);
  for (std::size_t i = joints; i-- > 0;) {
    stop_point(i);
    const joint& each = at.joints[static_cast<u32>(sorted[i])];
    u32 larger = set_of(each.one), smaller = set_of(each.other);
    if (larger == smaller) continue;
    if (scratch_.weights[smaller] > scratch_.weights[larger]) std::swap(smaller, larger);
    scratch_.weights[larger] += scratch_.weights[smaller];
    scratch_.sets[smaller] = larger;
    scratch_.branches[smaller] = {larger, each.rank + 1};
  }
}

// Downwards: the shares of this part end where dealing has come to.
void rank_merger::link_part(std::size_t part) {
  u32* const next = scratch_.places.data() + part * tiles_.tiles();
  ranked_scratch::branch_part* const here = scratch_.branch_parts.data() + part * gates_;
  for (u32 gate = 0; gate < gates_; ++gate) here[gate] = {gate, no_rank, no_rank};
  const auto k = static_cast<i64>(part), all = static_cast<i64>(parts_);
  const i64 begin = pixels_ * k / all;
  for (i64 end = pixels_ * (k + 1) / all; end > begin; end = std::max(begin, end - ranks_at_once)) {
    stop_point();
    link_ranks(std::max(begin, end - ranks_at_once), end, next, here);
  }
}

// A few ranks: those that have a gate are listed without a branch, and what they look up is fetched, before the first of them is
// linked.
void rank_merger::link_ranks(i64 begin, i64 end, u32* next, ranked_scratch::branch_part* here) {
  const u64* const pairs = scratch_.pairs.data();
  const u32* const ways = scratch_.ways.data();
  const ranked_scratch::branch* const branches = scratch_.branches.data();
  const int cell_bits = tiles_.cell_bits();
  std::array<u32, ranks_at_once> ranks, gates;
  std::size_t count = 0;
  for (i64 i = end; i-- > begin;) {
    const u32 at = --next[static_cast<u32>(pairs[i]) >> cell_bits], way = ways[at];
    __builtin_prefetch(ways + (at < 64 ? 0 : at - 64));
    link_[i] = way;  // of a rank with a gate, until its link is known
    ranks[count] = static_cast<u32>(i);
    gates[count] = way & ~by_gate;
    count += (way & by_gate) != 0 ? 1 : 0;
  }
  for (std::size_t each = 0; each < count; ++each) __builtin_prefetch(here + gates[each], 1);
  for (std::size_t each = 0; each < count; ++each) {
    const u32 rank = ranks[each];
    u32& now = here[gates[each]].now;
    u32 branch = now;
    while (branches[branch].end > rank) branch = branches[branch].above;
    now = branch;
    ranked_scratch::branch_part& of = here[branch];
    if (of.first == no_rank) of.first = rank;
    else link_[of.last] = rank;
    of.last = rank;
  }
}

void rank_merger::tie_parts() {
  for (std::size_t gate = 0; gate < gates_; ++gate) {
    stop_point(gate);
    u32 above = no_rank;
    for (std::size_t part = parts_; part-- > 0;) {
      const ranked_scratch::branch_part& here = scratch_.branch_parts[part * gates_ + gate];
      if (here.first == no_rank) continue;
      if (above != no_rank) link_[above] = here.first;
      above = here.last;
    }
    if (above == no_rank) continue;
    const u32 end = scratch_.branches[gate].end;
    link_[above] = end == 0 ? above : end - 1;
  }
}

}  // namespace

void merge_ranks(engine::state& on, const tiling& tiles, i64 pixels, ranked_scratch& scratch, u32* link) {
  rank_merger merger(on, tiles, pixels, scratch, link);
  merger.join_gates();
  for_each_in_parallel(on, scratch.parts, [&](std::size_t part) { merger.link_part(part); });
  merger.tie_parts();
}

}  // namespace skerry::tree_stages

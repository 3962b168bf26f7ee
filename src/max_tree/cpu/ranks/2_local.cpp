// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the tree of one tile of 16- or 32-bit keys, by the ranks of its pixels.
//
// Reads   the tile's ranks in the whole image, in order, with the cells they are in; the cells that are gates
// Writes  of each rank the next lower one of the component that it completes, or a gate where that has one; between
//         which gates the tile is connected, and from which rank down
// Needs   at most 2^16 pixels, whose places in the tile's order fit 16 bits and the second-level cache
// Method  the same as that of 8-bit keys (../2_local.cpp), with the ranks within the tile as keys. A component that no gate
//         is in is the same in the whole image; of others only the gates matter from here on: [Kazemier2017].
#include <algorithm>
#include <bit>
#include <utility>

#include "max_tree/cpu/basins.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr u16 no_gate = 0xffff;

// Mask has a bit for each neighbour, and one more.
template <class Mask>
class ranked_tile {
 public:
  ranked_tile(const tile_shape& tile, std::span<const u64> order, ranked_tile_scratch& own)
      : tile_(tile), order_(order), ranks_(own.ranks.data()), up_(own.up.data()), gate_(own.gate.data()),
        link_(own.link.data()), reached_(own.reached.data()), set_of_(own.set_of.data()), sets_(own.sets.data()),
        meeting_(static_cast<Mask*>(static_cast<void*>(own.meeting.data()))) {}

  void solve(const u16* gate_cells, u32 gates, joint* joints, u32 first_gate);
  void write(u32 first_gate, u32* ways) const;
  [[nodiscard]] u32 rank_at(u32 cell) const { return rank_of(ranks_[cell]); }

 private:
  static constexpr Mask gate_bit = static_cast<Mask>(Mask{1} << (8 * sizeof(Mask) - 1));
  void rank_cells();  // ranks
  void mark_gates(const u16* cells, u32 gates);
  void sweep();
  void meet(u32 cell, u32& set, u32 rank);
  void connect(u32 rank, u16 one, u16 other) { *joints_++ = {rank_of(rank), first_gate_ + one, first_gate_ + other}; }

  [[nodiscard]] u32 cell_of(u32 rank) const { return static_cast<u32>(order_[rank]); }
  [[nodiscard]] u32 rank_of(u32 rank) const { return static_cast<u32>(order_[rank] >> 32); }

  const tile_shape& tile_;
  std::span<const u64> order_;
  u16 *ranks_, *up_, *gate_, *link_, *reached_, *set_of_;
  ranked_tile_scratch::set* sets_;
  Mask* meeting_;
  joint* joints_ = nullptr;
  u32 first_gate_ = 0;
};

template <class Mask>
void ranked_tile<Mask>::rank_cells() {
  for (u32 i = 0; i < order_.size(); ++i) ranks_[cell_of(i)] = static_cast<u16>(i);
}

// Several gates of one cell are connected from there down.
template <class Mask>
void ranked_tile<Mask>::mark_gates(const u16* cells, u32 gates) {
  for (u32 gate = 0; gate < gates; ++gate) {
    const u32 cell = cells[gate];
    const bool first = (meeting_[cell] & gate_bit) == 0;
    if (first) gate_[cell] = static_cast<u16>(gate);
    else connect(ranks_[cell], gate_[cell], static_cast<u16>(gate));
    meeting_[cell] = static_cast<Mask>(meeting_[cell] | gate_bit);
  }
}

// Joins the sets around a cell, and its gate.
template <class Mask>
void ranked_tile<Mask>::meet(u32 cell, u32& set, u32 rank) {
  u32 others = meeting_[cell];
  if ((others & gate_bit) != 0) {
    const u16 own = gate_[cell], before = sets_[set].gate;
    if (before == no_gate) sets_[set].gate = own;
    else connect(rank, before, own);
  }
  for (others &= static_cast<u32>(gate_bit) - 1; others != 0; others &= others - 1) {
    u32 other = set_of_[up_[cell + static_cast<u32>(tile_.offset(std::countr_zero(others)))]];
    if (other == set) continue;
    link_[sets_[other].last] = static_cast<u16>(rank);
    // The set of more maxima takes in the other, so that ways stay short.
    if (sets_[other].maxima > sets_[set].maxima) std::swap(other, set);
    ranked_tile_scratch::set &larger = sets_[set], &smaller = sets_[other];
    if (larger.gate != no_gate && smaller.gate != no_gate) connect(rank, larger.gate, smaller.gate);
    larger.gate = std::min(larger.gate, smaller.gate);
    larger.maxima = static_cast<u16>(larger.maxima + smaller.maxima);
    take_in(set, other, set_of_, sets_);
  }
}

template <class Mask>
void ranked_tile<Mask>::sweep() {
  for (u32 rank = static_cast<u32>(order_.size()); rank-- > 0;) {
    const u32 cell = cell_of(rank);
    u32 set = set_of_[up_[cell]];
    link_[sets_[set].last] = static_cast<u16>(rank);
    if (meeting_[cell] != 0) meet(cell, set, rank);
    sets_[set].last = static_cast<u16>(rank);
    reached_[rank] = sets_[set].gate;
  }
  link_[0] = 0;
}

template <class Mask>
void ranked_tile<Mask>::solve(const u16* gate_cells, u32 gates, joint* joints, u32 first_gate) {
  joints_ = joints;
  first_gate_ = first_gate;
  rank_cells();
  climb(tile_, ranks_, static_cast<u16*>(static_cast<void*>(sets_)), up_);
  find_basins(tile_, up_, link_);
  number_basins(tile_, up_, link_, set_of_, sets_, [this](int cell, u16 set) {
    return ranked_tile_scratch::set{ranks_[cell], 1, no_gate, set};
  });
  find_meetings(tile_, ranks_, up_, link_, meeting_);
  mark_gates(gate_cells, gates);
  sweep();
  // A tile is connected: one joint less than gates.
  if (gates != 0) *joints_ = {0, first_gate, first_gate};
}

template <class Mask>
void ranked_tile<Mask>::write(u32 first_gate, u32* ways) const {
  for (std::size_t i = 0; i < order_.size(); ++i)
    ways[i] = reached_[i] == no_gate ? rank_of(link_[i]) : by_gate | (first_gate + reached_[i]);
}

}  // namespace

void local_by_rank(const extent& size, int connectivity, const tiling& tiles, std::size_t number,
                   ranked_tile_scratch& own, ranked_scratch& scratch) {
  own.reserve(tiles.pixels_of_tile());
  const tile_shape shape(size, connectivity, tiles, tiles.tile(number));
  gates& borders = scratch.at_borders;
  const u32 first = borders.first_gate[number], count = borders.first_gate[number + 1] - first;
  // The last part of the ranks has come to where the next tile begins.
  const u32 end = scratch.places[(scratch.parts - 1) * tiles.tiles() + number];
  const u32 begin = end - static_cast<u32>(shape.pixels());
  const std::span<const u64> order(scratch.room.data() + begin, end - begin);
  const auto solve = [&](auto tile) {
    tile.solve(borders.cells.data() + first, count, borders.joints.data() + first, first);
    tile.write(first, scratch.ways.data() + begin);
    for (u32 gate = first; gate < first + count; ++gate) borders.ranks[gate] = tile.rank_at(borders.cells[gate]);
  };
  if (connectivity > 8) solve(ranked_tile<u32>(shape, order, own));
  else if (connectivity == 8) solve(ranked_tile<u16>(shape, order, own));
  else solve(ranked_tile<u8>(shape, order, own));
}

}  // namespace skerry::tree_stages

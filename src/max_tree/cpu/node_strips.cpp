// SPDX-License-Identifier: Apache-2.0
#include "max_tree/cpu/node_strips.hpp"

#include <algorithm>

#include "engine/cpu/parallel.hpp"
#include "max_tree/tree_door.hpp"

namespace skerry::tree_stages {
namespace {

std::size_t strips_for(const engine::state& on, const max_tree& tree) {
  constexpr i64 most =
      64;  // homes are seven bits, and what a strip keeps of the trunk costs more than further threads gain
  if (!tree_door::is_connected(tree)) return 1;
  return static_cast<std::size_t>(
      std::clamp<i64>(tree.size().pixels() / block_pixels(on), 1, std::min<i64>(on.threads, most)));
}

}  // namespace

node_strips::node_strips(engine::state& on, const max_tree& tree, strip_scratch& scratch, std::size_t least_nodes)
    : nodes_(tree.nodes()), count_(strips_for(on, tree)),
      blocks_(tree.size(), (tree.size().pixels() + static_cast<i64>(count_) - 1) / static_cast<i64>(count_)),
      width_(tree.size().width), parent_(tree.parent().data()), scratch_(scratch) {
  // Of a block; where tests have smaller ones, levels may have fewer nodes.
  constexpr std::size_t usual_pixels = 1 << 16;
  count_ = blocks_.count();
  if (count_ == 1) return;
  if (!find_levels(tree.level(), nodes_ * usual_pixels / (least_nodes * static_cast<std::size_t>(block_pixels(on))))) {
    count_ = 1;
    blocks_ = row_blocks(tree.size(), tree.size().pixels());
    return;
  }
  if (scratch.trunks.size() <= count_) scratch.trunks.resize(count_ + 1);
  for_each_in_parallel(on, count_, [&](std::size_t strip) { find_trunk(tree, strip); });
  unite_trunks(on);
  find_bounds(on, tree.first_pixel());
}

// ---- the trunk ----------------------------------------------------------------------------------------------------------

void trunk_of_strip::clear(std::size_t nodes) {
  words_ = (nodes + 63) / 64;
  bits_.reserve(words_);
  std::fill_n(bits_.data(), words_, u64{0});
}

void trunk_of_strip::unite(const trunk_of_strip& other, std::size_t begin, std::size_t end) {
  for (std::size_t word = begin; word < end; ++word) bits_[word] |= other.bits_[word];
}

void trunk_of_strip::finish() {
  before_.reserve(words_);
  u32 count = 0;
  for (std::size_t word = 0; word < words_; ++word) {
    before_[word] = count;
    count += static_cast<u32>(std::popcount(bits_[word]));
  }
  nodes_.reserve(count);
  count_ = count;
  u32* next = nodes_.data();
  for (std::size_t word = words_; word-- > 0;)
    for (u64 bits = bits_[word]; bits != 0;) {
      const int bit = 63 - std::countl_zero(bits);
      bits ^= u64{1} << bit;
      *next++ = static_cast<u32>(64 * word) + static_cast<u32>(bit);
    }
}

// All pairs of neighbours, one in `rows`, one in earlier rows `others`. A component that has pixels in both has such a pair, and is
// that of the lower of the two, or below it.
void node_strips::mark_pairs(const max_tree& tree, row_range rows, row_range others, trunk_of_strip& trunk) const {
  const extent& size = tree.size();
  const u32* const nodes = tree.node_of_pixel().data();
  for (i64 r = rows.begin; r < rows.end; ++r)
    for (const neighbour_row& near : neighbourhood_rows(size.rank, tree.connectivity())) {
      const i64 z = r / size.height + near.dz, y = r % size.height + near.dy, other = z * size.height + y;
      if (z < 0 || y < 0 || y >= size.height || other < others.begin || other >= others.end) continue;
      const u32* const ours = nodes + r * width_;
      const u32* const theirs = nodes + other * width_;
      for (i64 x = 0; x < width_; ++x)
        for (i64 at = std::max<i64>(0, x - near.reach); at <= std::min(width_ - 1, x + near.reach); ++at)
          for (u32 node = std::min(ours[x], theirs[at]); trunk.add(node); node = parent_[node]) {}
    }
}

void node_strips::find_trunk(const max_tree& tree, std::size_t strip) const {
  const extent& size = tree.size();
  const i64 all = size.depth * size.height, reach = size.rank == 2 ? 1 : size.height + 1;
  const auto [begin, end] = blocks_[strip];
  trunk_of_strip& trunk = scratch_.trunks[strip];
  trunk.clear(nodes_);
  trunk.add(0);
  if (begin > 0) mark_pairs(tree, {begin, std::min(end, begin + reach)}, {0, begin}, trunk);
  if (end < all) mark_pairs(tree, {end, std::min(all, end + reach)}, {begin, end}, trunk);
  trunk.finish();
}

void node_strips::unite_trunks(engine::state& on) const {
  trunk_of_strip& all = scratch_.trunks[count_];
  all.clear(nodes_);
  for_each_in_parallel(on, count_, [&](std::size_t number) {
    const auto [begin, end] = share((nodes_ + 63) / 64, number);
    for (std::size_t strip = 0; strip < count_; ++strip) all.unite(trunk(strip), begin, end);
  });
  all.finish();
}

// ---- homes --------------------------------------------------------------------------------------------------------------

// Where levels begin; false if there are too many.
bool node_strips::find_levels(std::span<const double> level, std::size_t most) {
  for (std::size_t begin = 0; begin < nodes_; ++levels_) {
    if (levels_ == most) return false;
    scratch_.bounds.reserve_growing((levels_ + 1) * (count_ + 1));
    scratch_.bounds[levels_ * (count_ + 1)] = static_cast<u32>(begin);
    std::size_t step = 1;
    while (begin + step < nodes_ && level[begin + step] == level[begin]) step *= 2;
    const double* const end = level.data() + std::min(nodes_, begin + step);
    begin = static_cast<std::size_t>(std::partition_point(level.data() + begin + step / 2, end,
                                                          [&, here = level[begin]](double l) { return l == here; }) -
                                     level.data());
  }
  return true;
}

// Within a level, nodes are in the order of their first pixels.
void node_strips::find_bounds(engine::state& on, std::span<const u32> first_pixel) const {
  const std::size_t row = count_ + 1;
  for_each_in_parallel(on, count_, [&](std::size_t share_number) {
    const range mine = share(levels_, share_number);
    for (std::size_t level = mine.begin; level < mine.end; ++level) {
      u32* const bounds = scratch_.bounds.data() + level * row;
      const u32 end = level + 1 < levels_ ? bounds[row] : static_cast<u32>(nodes_);
      for (std::size_t strip = 1; strip < count_; ++strip) {
        const auto pixel = static_cast<u32>(blocks_[strip].begin * width_);
        const u32* const from = first_pixel.data() + bounds[strip - 1];
        bounds[strip] = static_cast<u32>(std::lower_bound(from, first_pixel.data() + end, pixel) - first_pixel.data());
      }
      bounds[count_] = end;
    }
  });
}

}  // namespace skerry::tree_stages

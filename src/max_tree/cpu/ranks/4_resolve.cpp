// SPDX-License-Identifier: Apache-2.0
// Stage 4, resolve: links of ranks to numbered nodes.
//
// Reads   pairs of key and pixel in order, the link of each rank
// Writes  the tree: parents, first pixels, levels, and the node of each pixel
// Method  a rank whose link has another key is the first of its node. Nodes are numbered in the order of ranks, so that the
//         number of a node is how many ranks before it are first: words have a bit for each of 32 ranks, and how many come
//         before these. What is read in any order is one such word a rank, which is fetched ahead.
#include <algorithm>
#include <array>

#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

u32 key_of(u64 pair) { return static_cast<u32>(pair >> 32); }

class rank_numbering {
 public:
  rank_numbering(engine::state& on, const tiling& tiles, u32* link, const u64* wide, ranked_scratch& ranked,
                 number_scratch& scratch, tree_parts& tree)
      : on_(on), tiles_(tiles), ranked_(ranked), pairs_(ranked.pairs.data()), link_(link), wide_(wide), tree_(tree),
        pixels_(tree.size.pixels()), words_((pixels_ + ranks_of_word - 1) / ranks_of_word),
        words_of_block_(std::max<i64>(1, block_pixels(on) / ranks_of_word)),
        blocks_(static_cast<std::size_t>((words_ + words_of_block_ - 1) / words_of_block_)) {
    scratch.first_of_node.reserve(static_cast<std::size_t>(words_));
    first_ = scratch.first_of_node.data();
    scratch.corners.reserve(tiles.tiles());
    for (std::size_t tile = 0; tile < tiles.tiles(); ++tile)
      scratch.corners[tile] = static_cast<u32>(tiles.tile(tile).pixel(tree.size, 0, 0));
    corners_ = scratch.corners.data();
  }

  void find_first();
  void shorten();
  u32 count();
  void write();

 private:
  template <class Work>  // work(word_begin, word_end)
  void each_block(Work work) {
    for_each_in_parallel(on_, blocks_, [&](std::size_t k) {
      const i64 begin = static_cast<i64>(k) * words_of_block_;
      work(begin, std::min(words_, begin + words_of_block_));
    });
  }
  // The first rank of a key.
  [[nodiscard]] i64 level_begin(u64 pair, i64 end) const {
    return std::lower_bound(pairs_, pairs_ + end, pair >> 32 << 32) - pairs_;
  }
  [[nodiscard]] bool is_first(u32 rank) const {
    return (first_[rank / ranks_of_word] >> rank % ranks_of_word & 1) != 0;
  }
  // The number of the node that begins at a rank, or of the next.
  [[nodiscard]] u32 node_of(u32 rank) const {
    const u64 word = first_[rank / ranks_of_word];
    return static_cast<u32>(word >> 32) + count_ones(word & ((u64{1} << rank % ranks_of_word) - 1));
  }
  // The raster index of a cell, from the corner of its tile.
  [[nodiscard]] u32 pixel_of_cell(u32 cell) const {
    const u32 row = cell >> row_shift_;
    return (row >> rows_shift_) * slice_ + (row & ((1u << rows_shift_) - 1)) * width_ +
           (cell & ((1u << row_shift_) - 1));
  }
  void write_part(std::size_t part);
  u32 write_nodes(i64 begin, i64 end, u32 node, u32* next);
  void write_tile(std::size_t tile);

  static constexpr u32 ranks_of_word = 32;
  static constexpr i64 ranks_at_once = 64, ranks_ahead = 32;

  engine::state& on_;
  const tiling& tiles_;
  ranked_scratch& ranked_;
  const u64* pairs_;
  u32* link_;
  const u64* wide_;  // keys of 64 bits, or none
  tree_parts& tree_;
  i64 pixels_, words_, words_of_block_;
  std::size_t blocks_;
  u64* first_;
  const u32* corners_;
  int cell_bits_ = tiles_.cell_bits(), row_shift_ = tiles_.shift(2), rows_shift_ = tiles_.shift(1);
  u32 width_ = static_cast<u32>(tree_.size.width), slice_ = width_ * static_cast<u32>(tree_.size.height);
};

void rank_numbering::find_first() {
  each_block([this](i64 word_begin, i64 word_end) {
    i64 level = level_begin(pairs_[word_begin * ranks_of_word], word_begin * ranks_of_word);
    for (i64 word = word_begin; word < word_end; ++word) {
      u64 bits = 0;
      const i64 begin = word * ranks_of_word, end = std::min(pixels_, begin + ranks_of_word);
      for (i64 rank = begin; rank < end; ++rank) {
        level = rank != 0 && key_of(pairs_[rank]) != key_of(pairs_[rank - 1]) ? rank : level;
        bits |= static_cast<u64>(link_[rank] < level) << (rank - begin);
      }
      first_[word] = word == 0 ? bits | 1 : bits;
    }
  });
}

// Links of ranks that are not the first lead to the first. A level is worked on by one thread, upwards.
void rank_numbering::shorten() {
  const auto next_level = [this](i64 rank) {
    if (rank == 0 || rank >= pixels_) return std::min(rank, pixels_);
    return std::upper_bound(pairs_ + rank, pairs_ + pixels_, pairs_[rank - 1] | ~u32{0}) - pairs_;
  };
  each_block([&](i64 word_begin, i64 word_end) {
    const i64 end = next_level(word_end * ranks_of_word);
    for (i64 rank = next_level(word_begin * ranks_of_word); rank < end; ++rank) {
      stop_point(static_cast<std::size_t>(rank));
      const auto here = static_cast<u32>(rank);
      if (is_first(here)) continue;
      const u32 to = link_[here];
      if (!is_first(to)) link_[here] = link_[to];
    }
  });
}

u32 rank_numbering::count() {
  u32 nodes = 0;
  for (i64 word = 0; word < words_; ++word) {
    const u32 here = count_ones(first_[word]);
    first_[word] |= static_cast<u64>(nodes) << 32;
    nodes += here;
  }
  return nodes;
}

// Nodes of pixels go to where the pixels were dealt to, tile by tile: `ways` has no other use now.
void rank_numbering::write_part(std::size_t part) {
  u32* const next = ranked_.places.data() + part * tiles_.tiles();
  const auto k = static_cast<i64>(part), all = static_cast<i64>(ranked_.parts);
  const i64 part_begin = pixels_ * k / all, part_end = pixels_ * (k + 1) / all;
  u32 node = node_of(static_cast<u32>(part_begin));
  for (i64 begin = part_begin; begin < part_end; begin += ranks_at_once) {
    stop_point();
    node = write_nodes(begin, std::min(part_end, begin + ranks_at_once), node, next);
  }
}

// A few ranks, whose first node is `node`; returns that of those after them. Whether a rank is first is not branched on: every rank
// writes a node, at the place of the next.
u32 rank_numbering::write_nodes(i64 begin, i64 end, u32 node, u32* next) {
  std::array<u32, ranks_at_once> parents, pixels;
  std::array<u64, ranks_at_once> keys;
  u32* const nodes = ranked_.ways.data();
  std::size_t count = 0;
  for (i64 i = begin; i < end; ++i) {
    const auto rank = static_cast<u32>(i);
    __builtin_prefetch(first_ + link_[std::min(i + ranks_ahead, pixels_ - 1)] / ranks_of_word);
    const u32 place = static_cast<u32>(pairs_[i]), tile = place >> cell_bits_;
    u32 to = link_[rank];
    if (!is_first(to)) to = link_[to];
    const bool first = is_first(rank);
    const u32 other = node_of(to), own = node + static_cast<u32>(count);
    const u32 at = next[tile]++;
    __builtin_prefetch(nodes + at + words_of_line, 1);
    nodes[at] = first ? own : other;
    parents[count] = other;
    pixels[count] = corners_[tile] + pixel_of_cell(place & ((1u << cell_bits_) - 1));
    keys[count] = key_of(pairs_[i]);
    count += first ? 1 : 0;
  }
  std::copy_n(parents.data(), count, tree_.parent.data() + node);
  std::copy_n(pixels.data(), count, tree_.first_pixel.data() + node);
  if (wide_ != nullptr)
    for (std::size_t each = 0; each < count; ++each) keys[each] = wide_[pixels[each]];
  levels_of({keys.data(), count}, tree_.type, tree_.kind, tree_.level.data() + node);
  return node + static_cast<u32>(count);
}

// After all parts: the last has come to where the next tile begins.
void rank_numbering::write_tile(std::size_t tile) {
  const u64* const cells = ranked_.room.data();
  const u32* const nodes = ranked_.ways.data();
  u32* const out = tree_.node_of_pixel.data() + corners_[tile];
  const u32 end = ranked_.places[(ranked_.parts - 1) * tiles_.tiles() + tile];
  const box where = tiles_.tile(tile);
  const auto pixels = static_cast<u32>(where.side(0) * where.side(1) * where.side(2));
  for (u32 i = end - pixels; i < end; ++i) out[pixel_of_cell(static_cast<u32>(cells[i]))] = nodes[i];
}

void rank_numbering::write() {
  for_each_in_parallel(on_, ranked_.parts, [this](std::size_t part) { write_part(part); });
  for_each_in_parallel(on_, tiles_.tiles(), [this](std::size_t tile) { write_tile(tile); });
}

}  // namespace

void resolve_ranks(engine::state& on, const tiling& tiles, u32* link, const u64* wide, ranked_scratch& ranked,
                   number_scratch& scratch, tree_parts& tree) {
  rank_numbering work(on, tiles, link, wide, ranked, scratch, tree);
  work.find_first();
  work.shorten();
  const u32 nodes = work.count();
  tree.node_of_pixel.resize(static_cast<std::size_t>(tree.size.pixels()));
  tree.parent.resize(nodes);
  tree.first_pixel.resize(nodes);
  tree.level.resize(nodes);
  work.write();
}

}  // namespace skerry::tree_stages

// SPDX-License-Identifier: Apache-2.0
// Stage 4, resolve: links to numbered nodes, 8-bit keys.
//
// Reads   keys, links
// Writes  the tree: parents, first pixels, levels, and the node of each pixel
// Method  the first pixels of tiles, one in a few, walk to the first pixel of their node. First pixels are numbered by
//         (key, index), by counting them per block and level; all others are one or two hops from one. What goes from
//         pixel to pixel goes tile by tile, since links seldom leave a tile.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/cpu/parallel.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr std::size_t levels = 256;

// Threads meet in links, without order: whatever one reads there is in the same level, and nearer to the first pixel.
u32 load(u32& word) { return atomic_ref<u32, sharing::device>(word).load(relaxed); }
void store(u32& word, u32 value) { atomic_ref<u32, sharing::device>(word).store(value, relaxed); }

class numbering {
 public:
  numbering(engine::state& on, const key_image<u8>& image, const tiling& tiles, u32* link, number_scratch& scratch,
            tree_parts& tree)
      : on_(on), keys_(image.keys), tiles_(tiles), link_(link), scratch_(scratch), tree_(tree),
        pixels_(image.size.pixels()),
        // Blocks share no word of bits.
        block_(std::max<i64>(64, block_pixels(on) / 64 * 64)),
        blocks_(static_cast<std::size_t>((pixels_ + block_ - 1) / block_)) {
    scratch.first_of_node.reserve(static_cast<std::size_t>(pixels_ / 64 + 1));
    scratch.counts.reserve(blocks_ * levels);
    std::fill_n(scratch.counts.data(), blocks_ * levels, 0u);
  }

  void shorten();       // the first bit stays with the first pixels of nodes; others of tiles link to these
  void count();         // first pixels, of each block and level
  void number_nodes();  // and writes all that is known of them alone
  void write_nodes();   // of the pixels, and parents

 private:
  template <class Work>  // work(block, begin, end)
  void each_block(Work work) {
    for_each_in_parallel(on_, blocks_, [&](std::size_t k) {
      const i64 begin = static_cast<i64>(k) * block_;
      work(k, begin, std::min(pixels_, begin + block_));
    });
  }
  template <class Work>  // work(begin, end), for pixels of one row of a tile
  void each_tile_row(Work work) {
    for_each_in_parallel(on_, tiles_.tiles(), [&](std::size_t k) {
      const box tile = tiles_.tile(k);
      for (int z = 0; z < tile.side(0); ++z)
        for (int y = 0; y < tile.side(1); ++y) {
          const i64 begin = tile.pixel(tree_.size, z, y);
          work(static_cast<u32>(begin), static_cast<u32>(begin + tile.side(2)));
        }
    });
  }
  [[nodiscard]] u64& first_bits(i64 p) const { return scratch_.first_of_node[static_cast<std::size_t>(p / 64)]; }

  engine::state& on_;
  const u8* keys_;
  const tiling& tiles_;
  u32* link_;
  number_scratch& scratch_;
  tree_parts& tree_;
  i64 pixels_, block_;
  std::size_t blocks_;
};

void numbering::shorten() {
  each_tile_row([&](u32 begin, u32 end) {
    for (u32 p = begin; p < end; ++p) {
      const u32 own = load(link_[p]);
      if ((own & first_bit) == 0) continue;
      const u8 key = keys_[p];
      u32 first = p;
      for (u32 next = own & ~first_bit; next != first && keys_[next] == key; next = load(link_[next]) & ~first_bit)
        first = next;
      if (first != p) store(link_[p], first);
    }
  });
}

void numbering::count() {
  each_block([&](std::size_t block, i64 begin, i64 end) {
    u32* const counts = scratch_.counts.data() + block * levels;
    for (i64 first = begin; first < end; first += 64) {
      u64 bits = 0;
      const i64 last = std::min(end, first + 64);
      for (i64 p = first; p < last; ++p) bits |= static_cast<u64>(link_[p] >> 31) << (p - first);
      first_bits(first) = bits;
      for (; bits != 0; bits &= bits - 1) ++counts[keys_[first + std::countr_zero(bits)]];
    }
  });
}

void numbering::number_nodes() {
  u32 nodes = 0;
  for (std::size_t level = 0; level < levels; ++level)
    for (std::size_t k = 0; k < blocks_; ++k) nodes += std::exchange(scratch_.counts[k * levels + level], nodes);
  tree_.parent.resize(nodes);
  tree_.first_pixel.resize(nodes);
  tree_.level.resize(nodes);
  std::array<double, levels> level_of_key{};
  for (u32 key = 0; key < levels; ++key) level_of_key[key] = level_of(key, tree_.type, tree_.kind);
  each_block([&](std::size_t block, i64 begin, i64 end) {
    u32* const next = scratch_.counts.data() + block * levels;
    for (i64 first = begin; first < end; first += 64)
      for (u64 bits = first_bits(first); bits != 0; bits &= bits - 1) {
        const auto p = static_cast<u32>(first + std::countr_zero(bits));
        const u32 node = next[keys_[p]]++;
        tree_.node_of_pixel[p] = node;
        tree_.first_pixel[node] = p;
        tree_.level[node] = level_of_key[keys_[p]];
      }
  });
}

void numbering::write_nodes() {
  u32* const node_of = tree_.node_of_pixel.data();
  const auto first_of = [&](u32 p) {
    u32 link = link_[p];
    for (; (link & first_bit) == 0; link = link_[p]) p = link;
    return p;
  };
  each_tile_row([&](u32 begin, u32 end) {
    for (u32 p = begin; p < end; ++p) {
      const u32 to = link_[p];
      if ((to & first_bit) != 0) tree_.parent[node_of[p]] = node_of[first_of(to & ~first_bit)];
      else node_of[p] = node_of[first_of(to)];
    }
  });
}

}  // namespace

void resolve(engine::state& on, const key_image<u8>& image, const tiling& tiles, u32* link, number_scratch& scratch,
             tree_parts& tree) {
  tree.node_of_pixel.resize(static_cast<std::size_t>(image.size.pixels()));
  numbering work(on, image, tiles, link, scratch, tree);
  work.shorten();
  work.count();
  work.number_nodes();
  work.write_nodes();
}

}  // namespace skerry::tree_stages

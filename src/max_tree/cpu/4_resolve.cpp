// SPDX-License-Identifier: Apache-2.0
// Stage 4, resolve: links to numbered nodes, 8-bit keys.
//
// Reads   keys, links
// Writes  the tree: parents, first pixels, levels, and the node of each pixel
// Method  first pixels are numbered by (key, index), by counting them per block and level. All others link to one, or to one
//         that was the first of its node in its tile and has been led to the first of all. What goes from pixel to pixel
//         goes tile by tile, since links seldom leave a tile.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/cpu/parallel.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr std::size_t levels = 256;

// Threads meet without order: in links, where whatever one reads is in the same level and nearer to the first pixel, and in
// nodes of pixels, where it is the node.
u32 load(u32& word) { return atomic_ref<u32, sharing::device>(word).load(relaxed); }
void store(u32& word, u32 value) { atomic_ref<u32, sharing::device>(word).store(value, relaxed); }

// Bit k: the first bit of links[k].
u64 first_bits_of(const u32* links, i64 count) {
  std::array<u8, 64> flags{};
  if (count == 64)
    for (std::size_t k = 0; k < 64; ++k) flags[k] = static_cast<u8>(links[k] >> 31);
  else
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) flags[k] = static_cast<u8>(links[k] >> 31);
  u64 bits = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    u64 eight;
    std::memcpy(&eight, flags.data() + 8 * k, sizeof eight);
    bits |= (eight * 0x0102040810204080u >> 56) << (8 * k);
  }
  return bits;
}

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

  void shorten();       // links of former first pixels
  void count();         // first pixels, of each block and level
  void number_nodes();  // and writes all that is known of them alone
  void write_nodes();   // of pixels, and in place of their links those of the parents of nodes
  void write_parents();

 private:
  template <class Work>  // work(block, begin, end)
  void each_block(Work work) {
    for_each_in_parallel(on_, blocks_, [&](std::size_t k) {
      const i64 begin = static_cast<i64>(k) * block_;
      work(k, begin, std::min(pixels_, begin + block_));
    });
  }
  template <class Work>  // work(pixel)
  void each_former_first(Work work) {
    each_block([&](std::size_t, i64 begin, i64 end) {
      for (i64 first = begin; first < end; first += 64)
        for (u64 bits = scratch_.former_first[static_cast<std::size_t>(first / 64)]; bits != 0; bits &= bits - 1)
          work(static_cast<u32>(first + std::countr_zero(bits)));
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

void numbering::count() {
  each_block([&](std::size_t block, i64 begin, i64 end) {
    u32* const counts = scratch_.counts.data() + block * levels;
    for (i64 first = begin; first < end; first += 64) {
      u64 bits = first_bits_of(link_ + first, std::min(end, first + 64) - first);
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
    std::array<u32, levels> first_of_level;
    std::copy_n(next, levels, first_of_level.data());
    u32 *const node_of = tree_.node_of_pixel.data(), *const first_pixel = tree_.first_pixel.data();
    for (i64 first = begin; first < end; first += 64)
      for (u64 bits = first_bits(first); bits != 0; bits &= bits - 1) {
        const auto p = static_cast<u32>(first + std::countr_zero(bits));
        const u32 node = next[keys_[p]]++;
        __builtin_prefetch(first_pixel + node + words_of_line, 1);  // of its level: levels are in different pages
        node_of[p] = node;
        first_pixel[node] = p;
      }
    double* const level = tree_.level.data();
    for (std::size_t key = 0; key < levels; ++key)
      std::fill(level + first_of_level[key], level + next[key], level_of_key[key]);
  });
}

void numbering::shorten() {
  each_former_first([&](u32 p) {
    u32 first = p;
    for (u32 next = load(link_[p]); (next & first_bit) == 0; next = load(link_[next])) first = next;
    store(link_[p], first);
  });
}

void numbering::write_nodes() {
  u32* const node_of = tree_.node_of_pixel.data();
  each_former_first([&](u32 p) { node_of[p] = node_of[link_[p]]; });
  const auto row = static_cast<u32>(tree_.size.width);
  each_tile_row([=, link = link_, pixels = static_cast<u32>(pixels_)](u32 begin, u32 end) {
    // The next row of the tile is in other pages, where the processor would not fetch ahead.
    for (u32 p = begin + row; p < std::min(end + row, pixels); p += words_of_line) {
      __builtin_prefetch(link + p, 1);
      __builtin_prefetch(node_of + p, 1);
    }
    for (u32 p = begin; p < end; ++p) {
      const u32 to = link[p], node = load(node_of[to & ~first_bit]);
      link[p] = node | (to & first_bit);  // of no use unless p is the first of its node
      // First pixels and former ones get the node again that they have, while others read it. By masks: noise would mispredict which.
      const u32 is_first = 0 - (to >> 31);
      store(node_of[p], (load(node_of[p]) & is_first) | (node & ~is_first));
    }
  });
}

void numbering::write_parents() {
  each_block([&](std::size_t, i64 begin, i64 end) {
    u32* const parent = tree_.parent.data();
    const u32* const node_of = tree_.node_of_pixel.data();
    for (i64 first = begin; first < end; first += 64)
      for (u64 bits = first_bits(first); bits != 0; bits &= bits - 1) {
        const i64 p = first + std::countr_zero(bits);
        const u32 node = node_of[p];
        __builtin_prefetch(parent + node + words_of_line, 1);
        parent[node] = link_[p] & ~first_bit;
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
  work.write_parents();
}

}  // namespace skerry::tree_stages

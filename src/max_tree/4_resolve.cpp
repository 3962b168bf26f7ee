// SPDX-License-Identifier: Apache-2.0
// Stage 4, resolve: links to numbered nodes, 8-bit keys.
//
// Reads   keys, links
// Writes  the tree: parents, first pixels, levels, and the node of each pixel
// Method  within a level links go to smaller indices, so in raster order one hop more makes each the first pixel. First
//         pixels are then numbered by (key, index), by counting them per block and level.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr std::size_t levels = 256;

// Threads meet in links, without order: whatever one reads there is in the same level, and nearer to the first pixel.
u32 load(u32& word) { return atomic_ref<u32, sharing::device>(word).load(relaxed); }
void store(u32& word, u32 value) { atomic_ref<u32, sharing::device>(word).store(value, relaxed); }

class numbering {
 public:
  numbering(engine::state& on, const key_image<u8>& image, u32* link, number_scratch& scratch, max_tree& tree)
      : on_(on), keys_(image.keys), link_(link), scratch_(scratch), tree_(tree), pixels_(image.size.pixels()),
        // Blocks share no word of bits.
        block_(std::max<i64>(64, block_pixels(on) / 64 * 64)),
        blocks_(static_cast<std::size_t>((pixels_ + block_ - 1) / block_)) {
    scratch.first_of_node.reserve(static_cast<std::size_t>(pixels_ / 64 + 1));
    scratch.counts.reserve(blocks_ * levels);
    std::fill_n(scratch.counts.data(), blocks_ * levels, 0u);
  }

  void shorten();       // links within a level lead to the first pixel
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
  [[nodiscard]] u64& first_bits(i64 p) const { return scratch_.first_of_node[static_cast<std::size_t>(p / 64)]; }
  [[nodiscard]] bool is_first(i64 p) const { return (first_bits(p) >> (p % 64) & 1) != 0; }

  engine::state& on_;
  const u8* keys_;
  u32* link_;
  number_scratch& scratch_;
  max_tree& tree_;
  i64 pixels_, block_;
  std::size_t blocks_;
};

void numbering::shorten() {
  each_block([&](std::size_t block, i64 begin, i64 end) {
    u32* const counts = scratch_.counts.data() + block * levels;
    for (i64 first = begin; first < end; first += 64) {
      u64 bits = 0;
      for (i64 p = first; p < std::min(end, first + 64); ++p) {
        const u8 key = keys_[p];
        u32 to = load(link_[p]);
        if (to == p || keys_[to] != key) {
          bits |= u64{1} << (p - first);
          ++counts[key];
          continue;
        }
        for (u32 next = load(link_[to]); next != to && keys_[next] == key; next = load(link_[to])) to = next;
        store(link_[p], to);
      }
      first_bits(first) = bits;
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
  each_block([&](std::size_t, i64 begin, i64 end) {
    for (i64 p = begin; p < end; ++p) {
      const u32 to = link_[p];
      if (!is_first(p)) node_of[p] = node_of[to];
      else tree_.parent[node_of[p]] = node_of[is_first(to) ? to : link_[to]];
    }
  });
}

}  // namespace

void resolve(engine::state& on, const key_image<u8>& image, u32* link, number_scratch& scratch, max_tree& tree) {
  tree.node_of_pixel.resize(static_cast<std::size_t>(image.size.pixels()));
  numbering work(on, image, link, scratch, tree);
  work.shorten();
  work.number_nodes();
  work.write_nodes();
}

}  // namespace skerry::tree_stages

// SPDX-License-Identifier: Apache-2.0
// Stage 4, resolve: links to numbered nodes.
//
// Reads   keys, links; the order of all pixels, unless keys have 8 bits
// Writes  the tree: parents, first pixels, levels, and the node of each pixel
// Method  within a level links go to smaller indices, so in raster order one hop more makes each the first pixel. First
//         pixels are then numbered by (key, index): by walking the order of all pixels, or for 8 bits by counting them
//         per block and level.
#include <algorithm>
#include <array>
#include <type_traits>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr i64 block_pixels = i64{1} << 16;  // a multiple of 64, so that blocks share no word of bits
constexpr std::size_t levels_of_8_bits = 256;

u32 load(u32& word) { return atomic_ref<u32, sharing::device>(word).load(relaxed); }
void store(u32& word, u32 value) { atomic_ref<u32, sharing::device>(word).store(value, relaxed); }

template <class Key>
class numbering {
 public:
  numbering(engine::state& on, const key_image<Key>& image, u32* link, number_scratch& scratch, max_tree& tree)
      : on_(on), keys_(image.keys), link_(link), scratch_(scratch), tree_(tree), pixels_(image.size.pixels()),
        blocks_(static_cast<std::size_t>((pixels_ + block_pixels - 1) / block_pixels)) {
    scratch.first_of_node.reserve(static_cast<std::size_t>(pixels_ / 64 + 1));
    scratch.counts.assign(blocks_ * (by_level ? levels_of_8_bits : 1), 0);
  }

  void shorten();          // links within a level lead to the first pixel
  void number_by_level();  // 8 bits
  void number_in_order(const u32* order);
  void write_nodes();  // of the pixels, and parents

 private:
  static constexpr bool by_level = sizeof(Key) == 1;

  template <class Work>  // work(block, begin, end)
  void each_block(Work work) {
    for_each_in_parallel(on_, blocks_, [&](std::size_t k) {
      const i64 begin = static_cast<i64>(k) * block_pixels;
      work(k, begin, std::min(pixels_, begin + block_pixels));
    });
  }
  [[nodiscard]] bool is_first(i64 p) const {
    return (scratch_.first_of_node[static_cast<std::size_t>(p / 64)] >> (p % 64) & 1) != 0;
  }
  void shorten_block(std::size_t block, i64 begin, i64 end);
  void allocate(u64 nodes);
  // Replaces counts by their sums so far, and returns the sum of all.
  static u64 sum_up(u64& count, u64& so_far) {
    const u64 counted = count;
    count = so_far;
    return so_far += counted;
  }
  void add_node(u64 node, u32 pixel, double level) {
    tree_.node_of_pixel[pixel] = static_cast<u32>(node);
    tree_.first_pixel[node] = pixel;
    tree_.level[node] = level;
  }
  [[nodiscard]] double level_of_pixel(u32 p) const { return level_of(keys_[p], tree_.type, tree_.kind); }

  engine::state& on_;
  const Key* keys_;
  u32* link_;
  number_scratch& scratch_;
  max_tree& tree_;
  i64 pixels_;
  std::size_t blocks_;
};

// Other blocks may be at work on the links that are followed: whatever is found there is in the same level, and nearer.
template <class Key>
void numbering<Key>::shorten_block(std::size_t block, i64 begin, i64 end) {
  for (i64 first = begin; first < end; first += 64) {
    u64 bits = 0;
    for (i64 p = first; p < std::min(end, first + 64); ++p) {
      const Key key = keys_[p];
      u32 to = load(link_[p]);
      if (to == p || keys_[to] != key) {
        bits |= u64{1} << (p - first);
        if constexpr (by_level) ++scratch_.counts[block * levels_of_8_bits + key];
        else ++scratch_.counts[block];
        continue;
      }
      for (u32 next = load(link_[to]); next != to && keys_[next] == key; next = load(link_[to])) to = next;
      store(link_[p], to);
    }
    scratch_.first_of_node[static_cast<std::size_t>(first / 64)] = bits;
  }
}

template <class Key>
void numbering<Key>::shorten() {
  each_block([&](std::size_t block, i64 begin, i64 end) { shorten_block(block, begin, end); });
}

template <class Key>
void numbering<Key>::allocate(u64 nodes) {
  tree_.parent.resize(nodes);
  tree_.first_pixel.resize(nodes);
  tree_.level.resize(nodes);
}

template <class Key>
void numbering<Key>::number_by_level() {
  u64 nodes = 0;
  for (std::size_t level = 0; level < levels_of_8_bits; ++level)
    for (std::size_t k = 0; k < blocks_; ++k) sum_up(scratch_.counts[k * levels_of_8_bits + level], nodes);
  allocate(nodes);
  std::array<double, levels_of_8_bits> level_of_key{};
  for (u32 key = 0; key < levels_of_8_bits; ++key) level_of_key[key] = level_of(key, tree_.type, tree_.kind);
  each_block([&](std::size_t block, i64 begin, i64 end) {
    u64* const next = scratch_.counts.data() + block * levels_of_8_bits;
    for (i64 first = begin; first < end; first += 64)
      for (u64 bits = scratch_.first_of_node[static_cast<std::size_t>(first / 64)]; bits != 0; bits &= bits - 1) {
        const auto p = static_cast<u32>(first + std::countr_zero(bits));
        add_node(next[keys_[p]]++, p, level_of_key[keys_[p]]);
      }
  });
}

template <class Key>
void numbering<Key>::number_in_order(const u32* order) {
  // Counts again, now by blocks of the order.
  each_block([&](std::size_t block, i64 begin, i64 end) {
    u64 count = 0;
    for (i64 i = begin; i < end; ++i) count += is_first(order[i]) ? 1 : 0;
    scratch_.counts[block] = count;
  });
  u64 nodes = 0;
  for (u64& count : scratch_.counts) sum_up(count, nodes);
  allocate(nodes);
  each_block([&](std::size_t block, i64 begin, i64 end) {
    u64 node = scratch_.counts[block];
    for (i64 i = begin; i < end; ++i)
      if (is_first(order[i])) add_node(node++, order[i], level_of_pixel(order[i]));
  });
}

template <class Key>
void numbering<Key>::write_nodes() {
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

template <class Key>
void resolve(engine::state& on, const key_image<Key>& image, u32* link, const u32* order, number_scratch& scratch,
             max_tree& tree) {
  tree.node_of_pixel.resize(static_cast<std::size_t>(image.size.pixels()));
  numbering<Key> work(on, image, link, scratch, tree);
  work.shorten();
  if constexpr (sizeof(Key) == 1) work.number_by_level();
  else work.number_in_order(order);
  work.write_nodes();
}

template void resolve(engine::state&, const key_image<u8>&, u32*, const u32*, number_scratch&, max_tree&);
template void resolve(engine::state&, const key_image<u16>&, u32*, const u32*, number_scratch&, max_tree&);
template void resolve(engine::state&, const key_image<u32>&, u32*, const u32*, number_scratch&, max_tree&);

}  // namespace skerry::tree_stages

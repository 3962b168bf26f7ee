// SPDX-License-Identifier: Apache-2.0
// Max-trees as links to parents, which many threads join at the same time: pixels of a tile in shared memory, pixels of the
// image or nodes of borders in device memory. No link is ever shortened while trees are joined.
//
// What a kind of tree gives: load(at) is the link of a node, a word that has its parent, if is_root(link) does not say that
// there is none; level_of_parent(link) is that of the parent. exchange(high, low) hangs one node below another if its link is
// still the one that was seen.
//
// Method  [Blin2021], listing 4.2, as docs/papers.md has it
#pragma once
#include "engine/cuda/shared_words.cuh"
#include "published/tree_nodes.hpp"

namespace skerry::published {

// The last node on the way down from another whose level is not below a given one, with its link as it was seen.
struct peak_root {
  u32 at, link, level;
};

// A tile. A node is y << 8 | x; its cell has, from the highest byte: its level, the level of its parent, and the parent's y
// and x, for a root 127 and 255.
struct tile_cells {
  static constexpr u32 width = 64, height = 16, pixels = width * height;
  static constexpr u32 root = 127 << 8 | 255, node_bits = 0x7fff;
  static_assert(width <= 255 && height <= 127);
  block_words cells;

  __device__ static constexpr u32 node(u32 x, u32 y) { return y << 8 | x; }
  __device__ static constexpr u32 place(u32 node) { return (node >> 8) * width + (node & 255); }
  __device__ static constexpr u32 cell(u32 level, u32 parent, u32 level_of_parent) {
    return level << 24 | level_of_parent << 16 | parent;
  }

  __device__ u32 load(u32 at) const { return cells.load(place(at)); }
  __device__ void store(u32 at, u32 cell) const { cells.store(place(at), cell); }
  __device__ static bool is_root(u32 link) { return parent(link) == root; }
  __device__ static u32 parent(u32 link) { return link & node_bits; }
  __device__ static u32 level_of_parent(u32 link) { return link >> 16 & 255; }
  __device__ u32 level(u32 at) const { return load(at) >> 24; }
  __device__ u32 exchange(const peak_root& high, const peak_root& low) const {
    return cells.exchange_if(place(high.at), high.link, cell(high.level, low.at, low.level));
  }
};

// Nodes in device memory, whose levels are there already.
struct device_parents {
  const u8* levels;
  device_words parents;

  __device__ u32 load(u32 at) const { return parents.load(at); }
  __device__ void store(u32 at, u32 parent) const { parents.store(at, parent); }
  __device__ static bool is_root(u32 link) { return link == no_parent; }
  __device__ static u32 parent(u32 link) { return link; }
  __device__ u32 level_of_parent(u32 link) const { return level(link); }
  __device__ u32 level(u32 at) const { return __ldg(levels + at); }
  __device__ u32 exchange(const peak_root& high, const peak_root& low) const {
    return parents.exchange_if(high.at, high.link, low.at);
  }
};

template <class Trees>
__device__ peak_root find_peak_root(const Trees& trees, u32 at, u32 level, u32 least) {
  u32 link = trees.load(at);
  while (!trees.is_root(link)) {
    const u32 below = trees.level_of_parent(link);
    if (below < least) break;
    at = trees.parent(link);
    level = below;
    link = trees.load(at);
  }
  return {at, link, level};
}

template <class T>
__device__ void exchange_both(T& a, T& b) {
  const T former = a;
  a = b;
  b = former;
}

// Joins the trees of two nodes that touch, down to what both have in common. Whoever replaces a link goes on with what was
// there, and whoever finds another link than the one that was seen looks again, so that no connection is lost.
template <class Trees>
__device__ void unite(const Trees& trees, u32 a, u32 b) {
  u32 level_a = trees.level(a), level_b = trees.level(b);
  for (;;) {
    if (level_a > level_b) {
      exchange_both(a, b);
      exchange_both(level_a, level_b);
    }
    peak_root low = find_peak_root(trees, a, level_a, level_a);
    peak_root high = find_peak_root(trees, b, level_b, level_a);
    if (low.at == high.at) return;
    if (low.level == high.level && high.at < low.at) exchange_both(low, high);
    const u32 old = trees.exchange(high, low);
    const bool hung = old == high.link;
    if (hung && trees.is_root(old)) return;
    a = low.at, level_a = low.level;
    b = hung ? trees.parent(old) : high.at;
    level_b = hung ? trees.level_of_parent(old) : high.level;
  }
}

}  // namespace skerry::published

// SPDX-License-Identifier: Apache-2.0
// Stage 4, resolve: links of ranks to numbered nodes.
//
// Reads   pairs of key and pixel in order, the link of each rank
// Writes  the tree: parents, first pixels, levels, and the node of each pixel
// Method  a rank whose link has another key is the first of its node. Walking up the ranks numbers nodes in order, and the
//         node of a link is always known before it is asked for.
#include <algorithm>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

constexpr u32 is_first = u32{1} << 31;  // of a node, in `link`, which holds nodes by then

u32 key_of(u64 pair) { return static_cast<u32>(pair >> 32); }

// Links become nodes; parents of nodes go to `parents`. Returns how many nodes there are.
u32 number_nodes(i64 pixels, const u64* pairs, u32* link, u32* parents) {
  constexpr i64 ahead = 32;
  u32 nodes = 0, first_of_level = 0, key = 0;
  for (i64 rank = 0; rank < pixels; ++rank) {
    if (rank + ahead < pixels) __builtin_prefetch(link + link[rank + ahead]);
    if (rank == 0 || key_of(pairs[rank]) != key) {
      key = key_of(pairs[rank]);
      first_of_level = nodes;
    }
    const u32 node = rank == 0 ? 0 : link[link[rank]] & ~is_first;  // the root is its own parent
    const bool continues = rank != 0 && node >= first_of_level;
    link[rank] = continues ? node : nodes | is_first;
    parents[nodes] = node;  // overwritten by the next node when this rank is not the first of one
    nodes += continues ? 0 : 1;
  }
  return nodes;
}

}  // namespace

void resolve_ranks(engine::state& on, i64 pixels, ranked_scratch& scratch, max_tree& tree) {
  const u64* const pairs = scratch.pairs.data();
  u32 *const link = scratch.link.data(), *const parents = scratch.up.data();
  const u32 nodes = number_nodes(pixels, pairs, link, parents);
  tree.node_of_pixel.resize(static_cast<std::size_t>(pixels));
  tree.parent.resize(nodes);
  tree.first_pixel.resize(nodes);
  tree.level.resize(nodes);
  const i64 block = block_pixels(on);
  for_each_in_parallel(on, static_cast<std::size_t>((pixels + block - 1) / block), [&](std::size_t k) {
    const i64 begin = static_cast<i64>(k) * block, end = std::min(pixels, begin + block);
    for (i64 rank = begin; rank < end; ++rank) {
      const u32 pixel = static_cast<u32>(pairs[rank]) & ~meets_bit, node = link[rank] & ~is_first;
      tree.node_of_pixel[pixel] = node;
      if ((link[rank] & is_first) == 0) continue;
      tree.parent[node] = parents[node];
      tree.first_pixel[node] = pixel;
      tree.level[node] = level_of(key_of(pairs[rank]), tree.type, tree.kind);
    }
  });
}

}  // namespace skerry::tree_stages

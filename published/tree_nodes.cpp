// SPDX-License-Identifier: Apache-2.0
#include "published/tree_nodes.hpp"

#include <array>

namespace skerry::published {
namespace {

// Chosen pixels, of which each node has one.
struct node_choice {
  const u32* parents;
  const u8* levels;
  [[nodiscard]] bool is_chosen(u32 pixel) const {
    const u32 parent = parents[pixel];
    return parent == no_parent || levels[parent] != levels[pixel];
  }
  [[nodiscard]] u32 of(u32 pixel) const { return is_chosen(pixel) ? pixel : parents[pixel]; }
};

// Numbers of nodes: the next of each level.
using level_numbers = std::array<u32, 257>;

// Finds the first pixel of each node, kept at its chosen one, and the number of the first node of each level; the last is
// the number of all nodes.
level_numbers find_first(const node_choice& choice, std::vector<u32>& first) {
  level_numbers begin{};
  for (u32 p = 0; p < first.size(); ++p) {
    u32& known = first[choice.of(p)];
    if (known != no_parent) continue;
    known = p;
    ++begin[choice.levels[p] + std::size_t{1}];
  }
  for (std::size_t level = 1; level < begin.size(); ++level) begin[level] += begin[level - 1];
  return begin;
}

}  // namespace

void number_nodes(const u32* parents, const u8* levels, tree_parts& tree) {
  const node_choice choice{parents, levels};
  const auto pixels = static_cast<u32>(tree.size.pixels());
  std::vector<u32> first(pixels, no_parent);
  level_numbers next = find_first(choice, first);
  const u32 nodes = next.back();
  tree.parent.resize(nodes);
  tree.first_pixel.resize(nodes);
  tree.level.resize(nodes);
  tree.node_of_pixel.resize(pixels);
  for (u32 p = 0; p < pixels; ++p) {
    const u32 first_of_node = first[choice.of(p)];
    if (first_of_node != p) {
      tree.node_of_pixel[p] = tree.node_of_pixel[first_of_node];
      continue;
    }
    const u32 number = next[levels[p]]++;
    tree.first_pixel[number] = p;
    tree.level[number] = levels[p];
    tree.node_of_pixel[p] = number;
  }
  for (u32 node = 0; node < nodes; ++node) {
    const u32 below = parents[choice.of(tree.first_pixel[node])];
    tree.parent[node] = below == no_parent ? node : tree.node_of_pixel[below];
  }
}

}  // namespace skerry::published

// SPDX-License-Identifier: Apache-2.0
// Border trees join as chains: at each pair of touching border pixels the two chains of ancestors, which descend in level, become
// one [Kazemier2017; the border max-tree].
#include <algorithm>
#include <iterator>
#include <numeric>

#include "blocks/joined.hpp"
#include "blocks/tree_state.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"

namespace skerry {

namespace blocks {

bool is_open(u64 pixel, const neighbours& near, box_coverage& boxes) {
  const auto width = static_cast<u64>(near.whole().width), height = static_cast<u64>(near.whole().height);
  const auto x = static_cast<i64>(pixel % width), row = static_cast<i64>(pixel / width);
  const stretch run{row / static_cast<i64>(height), row % static_cast<i64>(height), x, x + 1};
  bool open = false;
  near.each_stretch(run, [&](const stretch& around) {
    open = open || boxes.covered(around) != static_cast<u64>(around.end - around.begin);
  });
  return open;
}

namespace {

constexpr u64 none = border_node::no_parent;

// The nodes of two pieces, by first pixel, and their chains.
class joined_chains {
 public:
  joined_chains(const std::vector<border_node>& a, const std::vector<border_node>& b) {
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
      const bool first = j == b.size() || (i < a.size() && a[i].first_pixel < b[j].first_pixel);
      (first ? place_of_a : place_of_b).push_back(nodes.size());
      nodes.push_back(first ? a[i++] : b[j++]);
    }
    for (const auto& [from, places] : {std::pair(&a, &place_of_a), std::pair(&b, &place_of_b)})
      for (std::size_t i = 0; i < from->size(); ++i)
        if ((*from)[i].parent != none) nodes[(*places)[i]].parent = (*places)[(*from)[i].parent];
  }

  // Makes one chain of those that begin at two nodes.
  void merge(u64 a, u64 b) {
    a = top_of_level(a);
    b = top_of_level(b);
    while (a != b) {
      if (is_lower(a, b)) std::swap(a, b);
      const u64 below = nodes[a].parent == none ? none : top_of_level(nodes[a].parent);
      if (below != none && nodes[a].key != nodes[b].key && nodes[below].key >= nodes[b].key) {
        a = below;
        continue;
      }
      nodes[a].parent = b;
      if (below == none) return;
      a = b;
      b = below;
    }
  }
  // Every node that is not the first of its level points to the first, and that to the first of a lower one.
  void settle() {
    for (border_node& node : nodes)
      if (node.parent != none) node.parent = top_of_level(node.parent);
  }

  std::vector<border_node> nodes;
  std::vector<u64> place_of_a, place_of_b;

 private:
  [[nodiscard]] bool is_lower(u64 a, u64 b) const {
    return nodes[a].key != nodes[b].key ? nodes[a].key < nodes[b].key : a < b;
  }
  // The node with the first pixel among those that are one.
  u64 top_of_level(u64 node) {
    u64 top = node;
    const auto goes_on = [&](u64 at) {
      return nodes[at].parent != none && nodes[nodes[at].parent].key == nodes[at].key;
    };
    while (goes_on(top)) top = nodes[top].parent;
    while (node != top) node = std::exchange(nodes[node].parent, top);
    return top;
  }
};

void merge_faces(joined_chains& chains, const tree_piece::state& a, const tree_piece::state& b,
                 const neighbours& near) {
  const i64 width = near.whole().width, height = near.whole().height;
  for (const border_pixel& pixel : a.border) {
    stop_point();
    const i64 row = static_cast<i64>(pixel.index) / width, x = static_cast<i64>(pixel.index) % width;
    near.each_stretch({row / height, row % height, x, x + 1}, [&](const stretch& around) {
      const auto first = static_cast<u64>((around.z * height + around.y) * width + around.begin);
      const u64 end = first + static_cast<u64>(around.end - around.begin);
      for (auto at = std::lower_bound(b.border.begin(), b.border.end(), border_pixel{first, 0});
           at != b.border.end() && at->index < end; ++at)
        chains.merge(chains.place_of_a[pixel.node], chains.place_of_b[at->node]);
    });
  }
}

}  // namespace
}  // namespace blocks

using namespace blocks;

template <class Self, class Parts>
void tree_state::each_part(Self& of, Parts& parts) {
  each_side(of.whole, parts);
  parts.number(of.asked);
  parts.list(of.boxes), parts.list(of.nodes), parts.list(of.border);
}

void tree_state::check() const {
  check_boxes(boxes, whole);
  check_sorted(nodes, "nodes",
               [](const border_node& a, const border_node& b) { return a.first_pixel < b.first_pixel; });
  check_sorted(border, "pixels of faces", std::less<>());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const u64 parent = nodes[i].parent;
    if (parent == border_node::no_parent) continue;
    const bool descends = parent < nodes.size() &&
                          (nodes[parent].key < nodes[i].key || (nodes[parent].key == nodes[i].key && parent < i));
    if (!descends) refuse_bytes("nodes have no parents");
  }
  for (const border_pixel& pixel : border)
    if (pixel.node >= nodes.size()) refuse_bytes("pixels of faces have no nodes");
}

u64 tree_state::memory() const { return bytes_of(boxes) + bytes_of(nodes) + bytes_of(border); }

template class block_piece<tree_state>;

std::uint64_t tree_piece::nodes() const { return inside().nodes.size(); }

tree_piece tree_piece_from_bytes(std::span<const std::byte> bytes) { return piece_of_bytes<tree_piece>(bytes); }

tree_piece join(const tree_piece& a, const tree_piece& b) {
  constexpr const char* different = "are of trees of different kinds, connectivities or types";
  return join_blocks(a, b, different, [](const tree_state& left, const tree_state& right, tree_state& to) {
    joined_chains chains(left.nodes, right.nodes);
    const neighbours near(to.whole, to.asked.connectivity, {});
    merge_faces(chains, left, right, near);
    chains.settle();
    box_coverage boxes(to.boxes);
    for (const auto& [from, places] : {std::pair(&left, &chains.place_of_a), std::pair(&right, &chains.place_of_b)})
      for (const border_pixel& pixel : from->border)
        if (is_open(pixel.index, near, boxes)) to.border.push_back({pixel.index, (*places)[pixel.node]});
    std::sort(to.border.begin(), to.border.end());
    to.nodes = std::move(chains.nodes);
  });
}

border_nodes resolve_areas(std::span<const tree_piece> pieces, std::uint64_t least_area) {
  const tree_piece whole = joined_whole(pieces, "image");
  const std::vector<border_node>& nodes = whole.inside().nodes;
  std::vector<u64> order(nodes.size());
  std::iota(order.begin(), order.end(), u64{0});
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return nodes[a].key < nodes[b].key; });
  border_nodes found;
  for (const border_node& node : nodes) {
    found.first_pixel.push_back(node.first_pixel);
    found.area.push_back(node.pixels);
    found.level.push_back(0);
  }
  for (std::size_t i = order.size(); i-- > 0;)
    if (const u64 parent = nodes[order[i]].parent; parent != none) found.area[parent] += found.area[order[i]];
  const bool is_max = whole.inside().asked.kind == tree_kind::max;
  for (const u64 at : order) {
    const u64 parent = nodes[at].parent;
    const bool is_one = parent != none && nodes[parent].key == nodes[at].key;  // with the first of its level
    if (is_one) found.area[at] = found.area[parent];
    const bool stays = parent == none || (!is_one && found.area[at] >= least_area);
    found.level[at] = stays ? static_cast<std::int16_t>(is_max ? nodes[at].key : -nodes[at].key) : found.level[parent];
  }
  return found;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Parts of a tree that come from elsewhere: everything that the library relies on later is checked here, once.
#include <cmath>
#include <string>

#include "engine/image_checks.hpp"
#include "max_tree/check.hpp"
#include "max_tree/tree_door.hpp"

namespace skerry {
namespace {

std::string of_node(std::size_t node) { return " of node " + std::to_string(node); }

void check_lengths(const tree_parts& tree) {
  const auto pixels = static_cast<std::size_t>(tree.size.pixels());
  const std::size_t nodes = tree.parent.size();
  const auto check = [](const char* name, std::size_t length, std::size_t wanted, const char* what) {
    if (length != wanted)
      refuse(std::string(name) + ": " + std::to_string(length) + " entries for " + std::to_string(wanted) + what);
  };
  check("first_pixel", tree.first_pixel.size(), nodes, " nodes");
  check("level", tree.level.size(), nodes, " nodes");
  check("node_of_pixel", tree.node_of_pixel.size(), pixels, " pixels");
  if (nodes > pixels || (nodes == 0) != (pixels == 0))
    refuse("parent: " + std::to_string(nodes) + " nodes of " + std::to_string(pixels) + " pixels");
}

void check_parents(const tree_parts& tree) {
  for (std::size_t node = 0; node < tree.parent.size(); ++node)
    if (tree.parent[node] > node || (tree.parent[node] == node) != (node == 0))
      refuse("parent: " + std::to_string(tree.parent[node]) + of_node(node) +
             (node == 0 ? ", the root, is not 0" : " does not come before it"));
}

void check_levels(const tree_parts& tree) {
  const auto refuse_level = [&](std::size_t node, const std::string& why) {
    refuse("level: " + std::to_string(tree.level[node]) + of_node(node) + why);
  };
  const bool up = tree.kind == tree_kind::max;
  for (std::size_t node = 0; node < tree.level.size(); ++node) {
    const double level = tree.level[node];
    if (!is_level(level, tree.type)) refuse_level(node, std::string(" is not a value of ") + name_of(tree.type));
    if (node == 0) continue;
    const double before = tree.level[node - 1], below = tree.level[tree.parent[node]];
    if (up ? level < before : level > before) refuse_level(node, " comes after one that is farther from the root's");
    if (level == below) refuse_level(node, " is that of its parent");
  }
}

void check_pixels(const tree_parts& tree) {
  const std::size_t nodes = tree.parent.size();
  for (std::size_t pixel = 0; pixel < tree.node_of_pixel.size(); ++pixel) {
    const std::uint32_t node = tree.node_of_pixel[pixel];
    if (node >= nodes)
      refuse("node_of_pixel: " + std::to_string(node) + " at pixel " + std::to_string(pixel) + " is not one of " +
             std::to_string(nodes) + " nodes");
    if (pixel < tree.first_pixel[node])
      refuse("first_pixel: " + std::to_string(tree.first_pixel[node]) + of_node(node) + " comes after its pixel " +
             std::to_string(pixel));
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::uint32_t first = tree.first_pixel[node];
    if (first >= tree.node_of_pixel.size() || tree.node_of_pixel[first] != node)
      refuse("first_pixel: " + std::to_string(first) + of_node(node) + " is no pixel of it");
    if (node > 0 && tree.level[node] == tree.level[node - 1] && first < tree.first_pixel[node - 1])
      refuse("first_pixel: " + std::to_string(first) + of_node(node) +
             " comes before that of the node before, of the same level");
  }
}

}  // namespace

max_tree max_tree::from_parts(tree_parts from) {
  check_kind(from.kind, from.type, from.size, from.connectivity);
  check_lengths(from);
  check_parents(from);
  check_levels(from);
  check_pixels(from);
  for (double& level : from.level) level += 0.0;  // -0.0 becomes 0.0
  max_tree tree;
  tree.parts_ = std::move(from);
  tree.connected_ = false;  // for all we know
  return tree;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#include "max_tree/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/image_checks.hpp"

namespace skerry {
namespace {

using u128 = unsigned __int128;

constexpr std::int64_t pixel_limit = std::int64_t{1} << 31;

bool has_tree(dtype type) {
  return type == dtype::u8 || type == dtype::u16 || type == dtype::i16 || type == dtype::u32 || type == dtype::f32;
}

void check_connectivity(int connectivity, int rank) {
  const bool fits = rank == 2 ? connectivity == 4 || connectivity == 8 : connectivity == 6 || connectivity == 26;
  if (!fits)
    refuse("connectivity: " + std::to_string(connectivity) + " is not " +
           (rank == 2 ? "4 or 8 (image of rank 2)" : "6 or 26 (image of rank 3)"));
}

}  // namespace

void check_input(const image_view& image, const tree_options& options) {
  check_image("image", image);
  if (!has_tree(image.type))
    refuse(std::string("image: dtype ") + name_of(image.type) + " is not uint8, uint16, int16, uint32 or float32");
  if (image.size.pixels() >= pixel_limit) refuse("image: size " + text_of(image.size) + " is not below 2^31 pixels");
  check_connectivity(options.connectivity, image.size.rank);
  if (options.kind > tree_kind::min) refuse("kind: unknown kind of tree");
}

void check_tree(const max_tree& tree) {
  check_extent("tree", tree.size);
  const std::size_t nodes = tree.nodes();
  if (!has_tree(tree.type)) refuse("tree: unknown dtype");
  if (tree.first_pixel.size() != nodes || tree.level.size() != nodes)
    refuse("tree: parent, first_pixel and level differ in length");
  if (tree.node_of_pixel.size() != static_cast<std::size_t>(tree.size.pixels()))
    refuse("tree: node_of_pixel has not one entry per pixel of " + text_of(tree.size));
  for (std::size_t node = 0; node < nodes; ++node)
    if (tree.parent[node] > node || (tree.parent[node] == node) != (node == 0))
      refuse("tree: parent of node " + std::to_string(node) + " does not come before it");
  std::uint32_t largest = 0;
  for (const std::uint32_t node : tree.node_of_pixel) largest = std::max(largest, node);
  if (!tree.node_of_pixel.empty() && largest >= nodes)
    refuse("tree: node_of_pixel names node " + std::to_string(largest) + " of " + std::to_string(nodes));
}

void check_attributes(const max_tree& tree, const attribute_options& wanted) {
  const auto pixels = static_cast<u128>(tree.size.pixels());
  const auto side = static_cast<u128>(std::max({tree.size.depth, tree.size.height, tree.size.width}));
  if (wanted.moments && (pixels * pixels >> 40) * side * side >> 87 != 0)
    refuse("moments: size " + text_of(tree.size) + " can have central moments above 2^127");
}

void check_output(const max_tree& tree, bool top_hat, const mutable_image& output) {
  check_image("output", output);
  const dtype wanted = top_hat && tree.type == dtype::i16 ? dtype::u16 : tree.type;
  if (output.type != wanted)
    refuse(std::string("output: dtype ") + name_of(output.type) + " is not " + name_of(wanted));
  if (output.size != tree.size)
    refuse("output: size " + text_of(output.size) + " is not that of the tree, " + text_of(tree.size));
  if (tree.size.pixels() > 0) check_distinct("output", output);
}

void check_rule(filter_rule rule) {
  if (rule > filter_rule::subtractive) refuse("rule: unknown filter rule");
}

void check_rows(const char* name, std::size_t rows, const max_tree& tree) {
  if (rows != tree.nodes())
    refuse(std::string(name) + ": " + std::to_string(rows) + " entries for " + std::to_string(tree.nodes()) + " nodes");
}

void check_height(const max_tree& tree, double h) {
  if (!std::isfinite(h) || h < 0) refuse("h: " + std::to_string(h) + " is not finite and at least 0");
  if (tree.type != dtype::f32 && h != std::floor(h))
    refuse("h: " + std::to_string(h) + " is not whole, but the tree is one of " + name_of(tree.type));
}

}  // namespace skerry

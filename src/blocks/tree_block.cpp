// SPDX-License-Identifier: Apache-2.0
// One block: its tree is built twice, first for the nodes that reach its faces, then for the filtered pixels.
#include <algorithm>

#include "blocks/check.hpp"
#include "blocks/tree_state.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"

namespace skerry {
namespace {

using namespace blocks;

box check_tree_block(const image_view& block, const block_place& place) {
  if (block.type != dtype::u8 && block.type != dtype::i8)
    refuse(
        "block: trees in blocks are of u8 and i8; filter an image of another type in one call, or scale it to 8 bits");
  return check_place(block.size, place);
}

// The tree of a block, and which of its nodes reach faces at which the image goes on.
class block_tree {
 public:
  block_tree(engine& on, const image_view& block, const tree_options& options, const block_place& place,
             const box& placed)
      : place_(place), size_(block.size), boxes_{placed}, areas_(0) {
    build(on, block, options, tree);
    areas_.assign(tree.nodes(), 0);
    for (const std::uint32_t node : tree.node_of_pixel()) ++areas_[node];
    for (std::size_t node = areas_.size(); node-- > 1;) areas_[tree.parent()[node]] += areas_[node];
    reaches_.assign(tree.nodes(), 0);
    find_faces(neighbours(place.whole, options.connectivity, {}), placed);
    for (std::size_t node = reaches_.size(); node-- > 1;)
      if (reaches_[node] != 0) reaches_[tree.parent()[node]] = 1;
  }

  [[nodiscard]] u64 in_whole(u64 pixel) const {
    const auto width = static_cast<u64>(size_.width), height = static_cast<u64>(size_.height);
    const u64 x = pixel % width, y = pixel / width % height, z = pixel / width / height;
    return ((z + static_cast<u64>(place_.z)) * static_cast<u64>(place_.whole.height) + y + static_cast<u64>(place_.y)) *
               static_cast<u64>(place_.whole.width) +
           x + static_cast<u64>(place_.x);
  }
  [[nodiscard]] bool reaches(std::size_t node) const { return reaches_[node] != 0; }
  [[nodiscard]] u64 area(std::size_t node) const { return areas_[node]; }
  // Nodes that reach faces, by first pixel.
  [[nodiscard]] std::vector<std::uint32_t> kept() const {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 0; node < reaches_.size(); ++node)
      if (reaches(node)) nodes.push_back(node);
    std::sort(nodes.begin(), nodes.end(),
              [&](auto a, auto b) { return tree.first_pixel()[a] < tree.first_pixel()[b]; });
    return nodes;
  }

  max_tree tree;
  std::vector<border_pixel> faces;  // with nodes of the tree

 private:
  void find_faces(const neighbours& near, const box& placed) {
    box_coverage boxes(boxes_);
    const auto inner = [](i64 at, i64 begin, i64 end) { return at > begin && at + 1 < end; };
    for (i64 z = placed.begin[0]; z < placed.end[0]; ++z)
      for (i64 y = placed.begin[1]; y < placed.end[1]; ++y) {
        stop_point();
        const bool middle =
            inner(y, placed.begin[1], placed.end[1]) && (size_.rank == 2 || inner(z, placed.begin[0], placed.end[0]));
        const i64 step = middle ? std::max<i64>(1, size_.width - 1) : 1;  // of a row in the middle only its ends
        for (i64 x = placed.begin[2]; x < placed.end[2]; x += step) add_if_open(z, y, x, near, boxes);
      }
  }
  void add_if_open(i64 z, i64 y, i64 x, const neighbours& near, box_coverage& boxes) {
    const u64 index = static_cast<u64>((z * place_.whole.height + y) * place_.whole.width + x);
    if (!is_open(index, near, boxes)) return;
    const auto own =
        static_cast<std::size_t>(((z - place_.z) * size_.height + y - place_.y) * size_.width + x - place_.x);
    const std::uint32_t node = tree.node_of_pixel()[own];
    faces.push_back({index, node});
    reaches_[node] = 1;
  }

  block_place place_;
  extent size_;
  std::vector<box> boxes_;
  std::vector<u64> areas_;
  std::vector<u8> reaches_;
};

template <class Pixel>
void write_levels(const block_tree& of, const std::vector<std::int16_t>& levels, const mutable_image& output) {
  const std::uint32_t* node = of.tree.node_of_pixel().data();
  const extent& size = output.size;
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y) {
      stop_point();
      auto* to = static_cast<std::byte*>(output.data) + z * output.strides.z + y * output.strides.y;
      for (i64 x = 0; x < size.width; ++x, to += output.strides.x)
        *reinterpret_cast<Pixel*>(to) = static_cast<Pixel>(levels[*node++]);
    }
}

void refuse_nodes() {
  refuse(
      "given: the nodes are not those of this block; make them by nodes_of_block() for the same pixels, place and "
      "options");
}

}  // namespace

tree_piece build_block(engine& on, const image_view& block, const tree_options& options, const block_place& place) {
  const box placed = check_tree_block(block, place);
  const block_tree of(on, block, options, place, placed);
  tree_piece made;
  tree_piece::state& state = made.inside();
  state.whole = place.whole;
  state.asked = {options.connectivity, options.kind, block.type};
  state.boxes = {placed};
  const std::vector<std::uint32_t> kept = of.kept();
  std::vector<u64> place_of(of.tree.nodes());
  for (std::size_t i = 0; i < kept.size(); ++i) place_of[kept[i]] = i;
  const int sign = options.kind == tree_kind::max ? 1 : -1;
  for (const std::uint32_t node : kept) {
    const u64 parent = node == 0 ? border_node::no_parent : place_of[of.tree.parent()[node]];
    const auto key = static_cast<i32>(of.tree.level()[node]) * sign;
    state.nodes.push_back({of.in_whole(of.tree.first_pixel()[node]), parent, of.area(node), key});
  }
  for (const std::uint32_t node : kept)  // areas without those of other kept nodes
    if (node != 0) state.nodes[place_of[of.tree.parent()[node]]].pixels -= of.area(node);
  for (const border_pixel& pixel : of.faces) state.border.push_back({pixel.index, place_of[pixel.node]});
  std::sort(state.border.begin(), state.border.end());
  return made;
}

border_nodes nodes_of_block(const border_nodes& of, const block_place& place, const extent& size) {
  const box placed = check_place(size, place);
  border_nodes found;
  for (i64 z = placed.begin[0]; z < placed.end[0]; ++z)
    for (i64 y = placed.begin[1]; y < placed.end[1]; ++y) {
      const auto first = static_cast<u64>((z * place.whole.height + y) * place.whole.width + placed.begin[2]);
      const u64 end = first + static_cast<u64>(size.width);
      auto at = static_cast<std::size_t>(std::lower_bound(of.first_pixel.begin(), of.first_pixel.end(), first) -
                                         of.first_pixel.begin());
      for (; at < of.first_pixel.size() && of.first_pixel[at] < end; ++at) {
        found.first_pixel.push_back(of.first_pixel[at]);
        found.area.push_back(of.area[at]);
        found.level.push_back(of.level[at]);
      }
    }
  return found;
}

void filter_block(engine& on, const image_view& block, const tree_options& options, const block_place& place,
                  const border_nodes& given, std::uint64_t least_area, const mutable_image& output) {
  const box placed = check_tree_block(block, place);
  check_image("output", output);
  check_distinct("output", output);
  if (output.size != block.size || output.type != block.type)
    refuse("output: has not the size and type of the block, " + text_of(block.size));
  const block_tree of(on, block, options, place, placed);
  const std::vector<std::uint32_t> kept = of.kept();
  if (kept.size() != given.first_pixel.size() || kept.size() != given.level.size()) refuse_nodes();
  std::vector<std::int16_t> levels(of.tree.nodes());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (given.first_pixel[i] != of.in_whole(of.tree.first_pixel()[kept[i]])) refuse_nodes();
    levels[kept[i]] = given.level[i];
  }
  for (std::size_t node = 0; node < levels.size(); ++node) {  // parents come first
    if (of.reaches(node)) continue;
    const bool stays = node == 0 || of.area(node) >= least_area;
    levels[node] = stays ? static_cast<std::int16_t>(of.tree.level()[node]) : levels[of.tree.parent()[node]];
  }
  if (block.type == dtype::u8) write_levels<std::uint8_t>(of, levels, output);
  else write_levels<std::int8_t>(of, levels, output);
}

}  // namespace skerry

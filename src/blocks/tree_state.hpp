// SPDX-License-Identifier: Apache-2.0
// What a piece of a max-tree holds.
#pragma once
#include <vector>

#include "blocks/piece_shape.hpp"
#include "core/portable.hpp"
#include "skerry/tree_blocks.hpp"

namespace skerry {

namespace blocks {

/// A node of a block's tree. Nodes of one level that became one by joining keep their places: all but the one with the first
/// pixel have that one as parent.
struct border_node {
  static constexpr u64 no_parent = ~u64{0};
  u64 first_pixel;  // raster index in the whole image
  u64 parent;       // place in the list
  u64 pixels;       // of the block, in this node and in what lies above it, without other nodes of the list
  i32 key;          // the level, negated in a min-tree: parents have smaller ones, or the same
  u32 unused = 0;   // nodes travel as they lie in memory
};

/// A pixel that has neighbours in blocks that are not part of the piece.
struct border_pixel {
  u64 index;  // raster index in the whole image
  u64 node;   // place in the list

  friend bool operator<(const border_pixel& a, const border_pixel& b) { return a.index < b.index; }
};

/// What must be the same for two pieces to join.
struct tree_question {
  i32 connectivity = 0;
  tree_kind kind = tree_kind::max;
  dtype type = dtype::u8;
  u16 unused = 0;
  friend bool operator==(const tree_question&, const tree_question&) = default;
};

/// Whether a pixel has neighbours that boxes do not cover.
[[nodiscard]] bool is_open(u64 pixel, const neighbours& near, box_coverage& boxes);

}  // namespace blocks

struct tree_state : blocks::placed_blocks {
  static constexpr u64 header = blocks::bytes_header('t', 1);
  blocks::tree_question asked;
  std::vector<blocks::border_node> nodes;    // by first pixel
  std::vector<blocks::border_pixel> border;  // by index

  [[nodiscard]] bool is_blank() const { return boxes.empty(); }
  [[nodiscard]] u64 memory() const;
  template <class Self, class Parts>
  static void each_part(Self& of, Parts& parts);
  void check() const;
};

}  // namespace skerry

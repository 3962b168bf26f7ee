// SPDX-License-Identifier: Apache-2.0
// What a piece of outlines holds.
#pragma once
#include <algorithm>
#include <vector>

#include "blocks/piece_shape.hpp"
#include "blocks/piece_state.hpp"
#include "core/portable.hpp"
#include "skerry/outline_blocks.hpp"

namespace skerry {

namespace blocks {

/// What must be the same for two pieces to join, besides the question of their components.
struct outline_question {
  i32 connectivity = 0;
  u8 keep_collinear = 0;
  u8 signed_labels = 0;
  skerry::background::rule background = skerry::background::rule::zero_and_below;
  label_bits background_label = 0;
  u8 negative_background = 0;

  friend bool operator==(const outline_question&, const outline_question&) = default;
};

// A side of a pixel is 4 · the corner where an outline along it begins + its way: right, down, left, up, with the region on the right
// hand. A pixel at a corner is the side by which the outline comes there that has the pixel on its right hand.

/// A part of an outline: its vertices between two sides of pixels, by the second of which it goes on. It is closed when it is a ring, or
/// lies between two corners that wait. A ring begins at its first vertex in raster order.
struct outline_chain {
  static constexpr u64 no_pixel = ~u64{0};
  /// With 4 neighbours, where two pixels of a region meet in a corner alone, an outline goes on around the same pixel, or, when they
  /// are of one component of the whole image, around the other: chains end and begin in such a corner, and wait.
  static constexpr u64 arriving = u64{1} << 63;  // and the pixel at the corner
  static constexpr u64 leaving = u64{1} << 62;   // and the side
  u64 begin, end;                                // sides; 0 of a ring
  u64 order;                                     // of the region's label
  u64 component;  // the earliest first pixel, in its block, of a component of blocks along the chain; or no_pixel
  u64 vertices;   // how many

  [[nodiscard]] bool is_ring() const { return begin == 0 && end == 0; }
  [[nodiscard]] bool is_closed() const { return (begin & leaving) != 0 && (end & arriving) != 0; }
};

/// A pixel that meets another of its region in a corner alone.
struct meeting {
  u64 pixel;      // at the corner
  u64 component;  // first pixel, in its block, of its component

  friend bool operator<(const meeting& a, const meeting& b) { return a.pixel < b.pixel; }
};

/// Chains with their vertices, chain after chain.
struct chain_list {
  std::vector<outline_chain> chains;
  std::vector<corner> vertices;

  [[nodiscard]] u64 memory() const { return bytes_of(chains) + bytes_of(vertices); }
  void add(const outline_chain& chain, const corner* first) {
    chains.push_back(chain);
    vertices.insert(vertices.end(), first, first + chain.vertices);
  }
};

/// Makes the longest chains of these: those that are open, by where they begin, and those that are closed.
void connect(const chain_list& parts, chain_list& open, chain_list& closed);

/// Closed chains in the raster order of their first vertices.
void sort_chains(chain_list& closed);

}  // namespace blocks

struct outline_state {
  static constexpr u64 header = blocks::bytes_header('o', 1);
  piece components;  // of the labels: stretches of pixels with one label
  blocks::outline_question asked;
  blocks::chain_list open, closed;
  std::vector<blocks::meeting> meetings;  // by pixel

  [[nodiscard]] const blocks::placed_blocks& placed() const { return components.inside(); }
  [[nodiscard]] bool is_blank() const {
    return components.inside().is_blank() && closed.chains.empty() && meetings.empty();
  }
  [[nodiscard]] u64 memory() const {
    return components.memory() + open.memory() + closed.memory() + blocks::bytes_of(meetings);
  }
  template <class Self, class Parts>
  static void each_part(Self& of, Parts& parts);
  void check() const;
};

}  // namespace skerry

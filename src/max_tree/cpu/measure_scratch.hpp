// SPDX-License-Identifier: Apache-2.0
// What threads need to sum up nodes together.
#pragma once
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "core/portable.hpp"
#include "engine/cpu/buffer.hpp"

namespace skerry::tree_stages {

// Nodes whose components lie in several strips of the image, one of them given (node_strips.hpp).
class trunk_of_strip {
 public:
  // Of a tree of so many nodes. Then nodes are added, then it is finished.
  void clear(std::size_t nodes);
  // False if it is there.
  bool add(u32 node) {
    u64& word = bits_[node / 64];
    const u64 bit = u64{1} << (node % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  // Adds those of another that are in some words of 64 nodes.
  void unite(const trunk_of_strip& other, std::size_t begin, std::size_t end);
  void finish();

  // The last first.
  [[nodiscard]] std::span<const u32> list() const { return {nodes_.data(), count_}; }
  [[nodiscard]] bool has(u32 node) const { return (bits_[node / 64] >> (node % 64) & 1) != 0; }
  // How many there are before one of them.
  [[nodiscard]] u32 rank(u32 node) const {
    return before_[node / 64] + static_cast<u32>(std::popcount(bits_[node / 64] & ((u64{1} << (node % 64)) - 1)));
  }
  [[nodiscard]] std::size_t bytes() const { return bits_.bytes() + before_.bytes() + nodes_.bytes(); }

 private:
  std::size_t words_ = 0, count_ = 0;
  buffer<u64> bits_;
  buffer<u32> before_, nodes_;  // bits before each word
};

struct strip_scratch {
  std::vector<trunk_of_strip> trunks;  // of each strip, then of all
  buffer<u32> bounds;                  // of each level: where the nodes of each strip begin
  [[nodiscard]] std::size_t bytes() const {
    std::size_t total = bounds.bytes();
    for (const trunk_of_strip& each : trunks) total += each.bytes();
    return total;
  }
};

struct measure_scratch {
  buffer<u32> own;            // pixels of each node itself
  buffer<u32> counts;         // of each strip: pixels of each node
  buffer<u64> first_of_node;  // of each part of the nodes: a bit for each pixel
  buffer<u64> trunk_rows;     // of each strip: rows of its trunk, of any type
  strip_scratch strips;
  [[nodiscard]] std::size_t bytes() const {
    return own.bytes() + counts.bytes() + first_of_node.bytes() + trunk_rows.bytes() + strips.bytes();
  }
};

}  // namespace skerry::tree_stages

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

// A set of nodes, of which few are in it. Takes a bit for each node, but only words that are not 0 are looked at.
class node_set {
 public:
  // Empties it, for a tree of so many nodes.
  void clear(std::size_t nodes);
  // False if it is there.
  bool add(u32 node) {
    u64& word = bits_[node / 64];
    const u64 bit = u64{1} << (node % 64);
    const bool is_new = (word & bit) == 0;
    if (is_new) used_[node / 4096] |= u64{1} << (node / 64 % 64);
    word |= bit;
    return is_new;
  }
  [[nodiscard]] bool has(u32 node) const { return (bits_[node / 64] >> (node % 64) & 1) != 0; }
  // Adds those of another among the nodes 4096 · begin to 4096 · end.
  void unite(const node_set& other, std::size_t begin, std::size_t end);
  // Calls visit(node) for all, the last first, and removes those for which it returns false.
  template <class Visit>
  void filter_from_last(Visit visit) {
    for (std::size_t group = groups_; group-- > 0;)
      for (u64 words = used_[group]; words != 0; words ^= highest_of(words)) {
        const std::size_t word = 64 * group + top_of(words);
        for (u64 left = bits_[word]; left != 0; left ^= highest_of(left))
          if (!visit(static_cast<u32>(64 * word + top_of(left)))) bits_[word] ^= highest_of(left);
      }
  }
  // How many of the nodes that share a word with this one come after it.
  [[nodiscard]] u32 later_in_word(u32 node) const {
    return static_cast<u32>(std::popcount(bits_[node / 64] >> (node % 64) >> 1));
  }
  [[nodiscard]] std::size_t groups() const { return groups_; }  // of 4096 nodes
  [[nodiscard]] std::size_t bytes() const { return bits_.bytes() + used_.bytes(); }

 private:
  static std::size_t top_of(u64 bits) { return static_cast<std::size_t>(63 - std::countl_zero(bits)); }
  static u64 highest_of(u64 bits) { return u64{1} << top_of(bits); }

  std::size_t groups_ = 0;
  buffer<u64> bits_;
  buffer<u64> used_;  // a bit for each word of bits that may not be 0; all others are 0
};

// Nodes of other strips whose components reach into a strip. Its thread writes this while those of others write theirs.
struct alignas(128) guests_of_strip {
  node_set set;
  buffer<u32> nodes;           // the last first
  buffer<u32> before_of_word;  // of 64 nodes, some of them guests: how many guests come before them in the list
  buffer<u32> shares;          // where each share of all nodes begins in the list, that of the last nodes at last
  std::size_t count = 0;

  [[nodiscard]] std::span<const u32> list() const { return {nodes.data(), count}; }
  // Where a guest is in the list.
  [[nodiscard]] std::size_t place(u32 node) const { return before_of_word[node / 64] + set.later_in_word(node); }
  [[nodiscard]] std::size_t bytes() const {
    return set.bytes() + nodes.bytes() + before_of_word.bytes() + shares.bytes();
  }
};

struct node_range {
  u32 begin, end;
};

struct strip_scratch {
  std::vector<guests_of_strip> guests;  // of each strip
  buffer<u32> level_begin;              // the first node of each level, and the number of nodes
  buffer<node_range> ranges;            // of each strip: of each level, those at home there
  node_set trunk;
  buffer<u32> trunk_list;
  [[nodiscard]] std::size_t bytes() const {
    std::size_t total = level_begin.bytes() + ranges.bytes() + trunk.bytes() + trunk_list.bytes();
    for (const guests_of_strip& each : guests) total += each.bytes();
    return total;
  }
};

// What a strip has found of its guests, in the order of their list.
struct alignas(128) guest_counts {
  buffer<u32> area, own;
};

struct measure_scratch {
  buffer<u32> own;            // pixels of each node itself
  buffer<u32> counts;         // of each strip: pixels of each node
  buffer<u64> first_of_node;  // of each part of the nodes: a bit for each pixel
  std::vector<guest_counts> of_guests;
  buffer<u64> guest_rows;  // of each strip: rows of its guests, of any type
  strip_scratch strips;
  [[nodiscard]] std::size_t bytes() const {
    std::size_t total = own.bytes() + counts.bytes() + first_of_node.bytes() + guest_rows.bytes() + strips.bytes();
    for (const guest_counts& each : of_guests) total += each.area.bytes() + each.own.bytes();
    return total;
  }
};

}  // namespace skerry::tree_stages

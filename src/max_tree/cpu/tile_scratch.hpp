// SPDX-License-Identifier: Apache-2.0
// What a thread needs to solve a tile of 8-bit keys.
#pragma once
#include <cstddef>

#include "core/portable.hpp"
#include "engine/cpu/buffer.hpp"

namespace skerry::tree_stages {

// Memory to solve one tile.
struct tile_scratch {
  // Of maxima: how many there are; in a ring, another of these.
  struct set {
    u16 maxima, next;
  };
  buffer<u8> keys;
  buffer<u16> up;       // the number of the maximum whose basin a cell is in
  buffer<u16> link;     // of the first cell of a node: a cell of the next lower node
  buffer<u16> first;    // of each cell: the first cell of its node
  buffer<u16> set_of;   // of maxima
  buffer<set> sets;     // of maxima
  buffer<u32> top;      // of each set: the first cell of its lowest node so far
  buffer<u32> order;    // all cells, from the lowest to the highest
  buffer<u32> meeting;  // the neighbours of a cell in other basins, a bit each
  void reserve(std::size_t pixels, std::size_t mask_bytes) {
    keys.reserve(pixels);
    up.reserve(pixels);
    link.reserve(pixels);
    first.reserve(pixels);
    set_of.reserve(pixels / 2 + 2);
    sets.reserve(pixels / 2 + 2);
    top.reserve(pixels / 2 + 2);
    order.reserve(pixels + 1);
    meeting.reserve(pixels * mask_bytes / sizeof(u32) + 1);
  }
  [[nodiscard]] std::size_t bytes() const {
    return keys.bytes() + up.bytes() + link.bytes() + first.bytes() + set_of.bytes() + sets.bytes() + top.bytes() +
           order.bytes() + meeting.bytes();
  }
};

}  // namespace skerry::tree_stages

// SPDX-License-Identifier: Apache-2.0
// A sort by an integer of up to 32 bits that costs a few passes over the items, however many there are.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "core/portable.hpp"

namespace skerry {

/// Sorts items by key(item), those of equal keys in any order: up to 256 by comparison, more by radix, 10 bits of
/// (key - least key) in each pass. The contents of `scratch` do not matter and are overwritten.
template <class Item, class Key>
void sort_by_key(std::vector<Item>& items, std::vector<Item>& scratch, Key key) {
  constexpr std::size_t most_compared = 256;
  constexpr int digit_bits = 10;
  constexpr u32 digits = 1 << digit_bits;
  const auto by_key = [&](const Item& a, const Item& b) { return key(a) < key(b); };
  if (items.size() <= most_compared) return std::sort(items.begin(), items.end(), by_key);
  const auto [least, most] = std::minmax_element(items.begin(), items.end(), by_key);
  const u32 first = key(*least);
  const int bits = static_cast<int>(std::bit_width(key(*most) - first));
  scratch.resize(items.size());
  for (int shift = 0; shift < bits; shift += digit_bits) {
    const auto digit = [&](const Item& item) { return (key(item) - first) >> shift & (digits - 1); };
    std::array<std::size_t, digits + 1> begin{};
    for (const Item& item : items) ++begin[digit(item) + 1];
    for (u32 k = 0; k < digits; ++k) begin[k + 1] += begin[k];
    for (const Item& item : items) scratch[begin[digit(item)]++] = item;
    items.swap(scratch);
  }
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Sets of components of slabs: those that touch across borders are one. Components get numbers as they come, so that a set costs nothing
// but for its members.
#pragma once
#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "core/portable.hpp"
#include "core/union_find.hpp"

namespace skerry::label_stages {

/// A component of a slab, counted from 0.
struct slab_component {
  u64 key;  // slab · 2^32 + component: in the raster order of first pixels
  slab_component(u64 slab, u64 component) : key(slab << 32 | component) {}
  explicit slab_component(u64 whole) : key(whole) {}
  [[nodiscard]] std::size_t slab() const { return key >> 32; }
  [[nodiscard]] u32 component() const { return static_cast<u32>(key); }
};

/// The numbers of some components of a slab. Open addressing in a table that is at most half full: those of one border fit
/// the second cache.
class component_numbers {
 public:
  static constexpr u32 none = ~u32{0};

  /// Makes room for so many more.
  void expect(std::size_t components) {
    const std::size_t slots = std::bit_ceil(std::max<std::size_t>(256, 2 * (used_ + components)));
    if (slots > slots_.size()) grow(slots);
  }
  /// The number of a component, which is `none` until it is set; by the next call it must be.
  u32& of(u32 component) {
    if (2 * used_ >= slots_.size()) expect(1);
    slot& here = place_of(component);
    if (here.number == none) here.component = component, ++used_;
    return here.number;
  }
  void clear() {
    slots_.clear();
    used_ = 0;
  }
  [[nodiscard]] std::size_t bytes() const { return (slots_.capacity() + old_.capacity()) * sizeof(slot); }

 private:
  struct slot {
    u32 component = 0, number = none;
  };

  slot& place_of(u32 component) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (component * u64{0x9e3779b97f4a7c15} >> 32) & mask;
    while (slots_[at].number != none && slots_[at].component != component) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow(std::size_t slots) {
    old_.swap(slots_);
    slots_.assign(slots, slot());
    for (const slot& each : old_)
      if (each.number != none) place_of(each.component) = each;
    old_.clear();
  }

  std::vector<slot> slots_, old_;
  std::size_t used_ = 0;
};

/// Sets of components that are numbered as they come. A set knows which of its components comes first in the image. Memory stays
/// when they are cleared.
class component_sets {
 public:
  void clear() {
    for (of_slab& each : slabs_) {
      each.numbers.clear();
      each.members.clear();
    }
    keys_.clear();
    parent_.clear();
    first_.clear();
  }

  /// Makes room for so many more components of a slab.
  void expect(std::size_t slab, std::size_t components) { in(slab).numbers.expect(components); }
  /// Returns whether they were two sets.
  bool unite(slab_component a, slab_component b) {
    const u32 number_of_a = number_of(a), number_of_b = number_of(b);  // may move the sets
    const u32 one = sets().find(number_of_a), other = sets().find(number_of_b);
    if (one == other) return false;
    const u64 first = std::min(first_[one], first_[other]);
    sets().unite(one, other);
    first_[sets().find(one)] = first;
    return true;
  }
  /// Numbers of the components of a slab that are in sets.
  [[nodiscard]] std::span<const u32> members(std::size_t slab) const {
    return slab < slabs_.size() ? std::span<const u32>(slabs_[slab].members) : std::span<const u32>();
  }
  [[nodiscard]] u64 key_of(u32 number) const { return keys_[number]; }
  [[nodiscard]] u64 first_of(u32 number) { return first_[sets().find(number)]; }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = (keys_.capacity() + first_.capacity()) * sizeof(u64) + parent_.capacity() * sizeof(u32);
    for (const of_slab& each : slabs_) sum += each.numbers.bytes() + each.members.capacity() * sizeof(u32);
    return sum;
  }

 private:
  struct of_slab {
    component_numbers numbers;
    std::vector<u32> members;
  };

  of_slab& in(std::size_t slab) {
    if (slab >= slabs_.size()) slabs_.resize(slab + 1);
    return slabs_[slab];
  }
  u32 number_of(slab_component part) {
    of_slab& slab = in(part.slab());
    u32& number = slab.numbers.of(part.component());
    if (number == component_numbers::none) {
      number = static_cast<u32>(parent_.size());
      slab.members.push_back(number);
      parent_.push_back(number);
      keys_.push_back(part.key);
      first_.push_back(part.key);
    }
    return number;
  }
  union_find<u32, sharing::one_thread> sets() { return union_find<u32, sharing::one_thread>(parent_.data()); }

  std::vector<of_slab> slabs_;
  std::vector<u64> keys_;
  std::vector<u32> parent_;
  std::vector<u64> first_;  // of roots: the least key of the set
};

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
// Sets of components of slabs: those that touch across borders are one. Components get numbers as they come, so that a set costs nothing
// but for its members.
#pragma once
#include <algorithm>
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

/// Numbers keys as they come. Open addressing in a table that is at most half full: the few keys that nearly all pairs have stay
/// in the first cache.
class key_numbers {
 public:
  u32 of(u64 key) {
    if (2 * keys_.size() >= slots_.size()) grow();
    slot& here = place_of(key);
    if (here.key == key) return here.number;
    here = {key, static_cast<u32>(keys_.size())};
    keys_.push_back(key);
    return here.number;
  }
  [[nodiscard]] const std::vector<u64>& keys() const { return keys_; }

 private:
  static constexpr u64 nobody = ~u64{0};
  struct slot {
    u64 key = nobody;
    u32 number = 0;
  };

  slot& place_of(u64 key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15U >> 20) & mask;
    while (slots_[at].key != key && slots_[at].key != nobody) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), slot());
    for (u32 i = 0; i < keys_.size(); ++i) place_of(keys_[i]) = {keys_[i], i};
  }

  std::vector<slot> slots_;
  std::vector<u64> keys_;
};

/// Sets of components that are numbered as they come.
class component_sets {
 public:
  /// Returns whether they were two sets.
  bool unite(slab_component a, slab_component b) {
    const u32 one = number_of(a), other = number_of(b);
    if (sets().find(one) == sets().find(other)) return false;
    sets().unite(one, other);
    return true;
  }
  [[nodiscard]] const std::vector<u64>& keys() const { return numbers_.keys(); }
  [[nodiscard]] u32 root_of(u32 number) { return sets().find(number); }

 private:
  u32 number_of(slab_component part) {
    const u32 number = numbers_.of(part.key);
    if (number == parent_.size()) parent_.push_back(number);
    return number;
  }
  union_find<u32, sharing::one_thread> sets() { return union_find<u32, sharing::one_thread>(parent_.data()); }

  key_numbers numbers_;
  std::vector<u32> parent_;
};

}  // namespace skerry::label_stages

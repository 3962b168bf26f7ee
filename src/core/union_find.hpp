// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/portable.hpp"

namespace skerry {

// Disjoint sets in one array. parent[i] <= i, and a root is its own parent, so the root of a set is its smallest member:
// the result is the same for any thread order, on any engine.
//
// Method: path shortening while finding, and root hooking by compare-and-swap when threads share the array
// [Jaiganesh2018].
template <class Index, sharing Who>
class union_find {
 public:
  SKERRY_BOTH explicit union_find(Index* parent) : parent_(parent) {}

  SKERRY_BOTH Index find(Index node) const {
    Index above = load(node);
    while (above != node) {
      const Index next = load(above);
      // A lost write only costs time: every ancestor is a valid parent, and only roots are hooked.
      if (next != above) store(node, next);
      node = above;
      above = next;
    }
    return node;
  }

  SKERRY_BOTH void unite(Index a, Index b) const {
    if constexpr (Who == sharing::one_thread) unite_alone(a, b);
    else unite_shared(a, b);
  }

 private:
  // Without branches but those of the two walks, which are nearly always of one step.
  SKERRY_BOTH void unite_alone(Index a, Index b) const {
    const Index root_a = root_of(a), root_b = root_of(b);
    const Index root = root_a < root_b ? root_a : root_b;
    parent_[root_a] = root;
    parent_[root_b] = root;
    parent_[a] = root;
    parent_[b] = root;
  }
  SKERRY_BOTH Index root_of(Index node) const {
    Index above = parent_[node];
    while (parent_[above] != above) above = parent_[above];
    return above;
  }
  SKERRY_BOTH void unite_shared(Index a, Index b) const {
    a = find(a);
    b = find(b);
    while (a != b) {
      if (a > b) {
        const Index larger = a;
        a = b;
        b = larger;
      }
      Index seen = b;
      if (atomic_ref<Index, Who>(parent_[b]).compare_exchange_strong(seen, a, relaxed)) return;
      b = find(seen);  // another thread hooked b first: go on from there
    }
  }
  SKERRY_BOTH Index load(Index i) const {
    if constexpr (Who == sharing::one_thread) return parent_[i];
    else return atomic_ref<Index, Who>(parent_[i]).load(relaxed);
  }
  SKERRY_BOTH void store(Index i, Index value) const {
    if constexpr (Who == sharing::one_thread) parent_[i] = value;
    else atomic_ref<Index, Who>(parent_[i]).store(value, relaxed);
  }

  Index* parent_;
};

}  // namespace skerry

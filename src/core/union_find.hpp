// SPDX-License-Identifier: Apache-2.0
// Disjoint sets, on every engine. Each member has a word that says its parent; the root of a set is its own parent.
//
// Where the words are is up to whoever has them: the memory of one thread, of threads that share it, of a block, a cluster or a
// device. `words` give load(member) and store(member, word), and where threads unite sets at the same time
// exchange_if(member, seen, word) or lower(member, word), which return what was there. All accesses are relaxed: parents say
// nothing of other memory.
//
// Threads that unite the same sets at the same time lose no union:
//   hooking     a root gets a parent by one exchange, which fails if another thread hooked it first; the loser goes on with the
//               parent that it found. A member with a parent never becomes a root again
//   splicing    moves a member with a parent in the same way, and then unites the old parent with the other member. Nobody may
//               shorten links meanwhile: two threads may each count on a link that the other made, and a third that
//               restores what it saw before takes one of them away
//   lowering    a minimum on the word of a member, which hooks a root. If the member has a parent, the smaller of both stays,
//               and both are united. They come before the member, so whatever happens to its link, they meet without it
//   shortening  plain stores, only to members that were seen to have a parent. Every ancestor is a valid parent, so a store that
//               overwrites another thread's costs time, not a union, except beside splicing
//   order       a parent comes before its members, so there are no cycles
// tests/core/union_find_test.cpp has every exchange overtaken; on a device, tests/cuda labels one image 200 times (`*200_times`).
#pragma once
#include <concepts>

#include "core/portable.hpp"

namespace skerry {

template <class Words>
concept parent_words = requires(const Words& words, u32 member) {
  words.store(member, words.load(member));
};

/// Words in an array.
template <std::unsigned_integral Index, sharing Who>
struct array_words {
  Index* words;

  SKERRY_BOTH Index load(u64 i) const {
    if constexpr (Who == sharing::one_thread) return words[i];
    else return atomic_ref<Index, Who>(words[i]).load(relaxed);
  }
  SKERRY_BOTH void store(u64 i, Index value) const {
    if constexpr (Who == sharing::one_thread) words[i] = value;
    else atomic_ref<Index, Who>(words[i]).store(value, relaxed);
  }
  SKERRY_BOTH Index exchange_if(u64 i, Index seen, Index value) const {
    static_assert(Who != sharing::one_thread);
    atomic_ref<Index, Who>(words[i]).compare_exchange_strong(seen, value, relaxed);
    return seen;
  }
  SKERRY_BOTH Index lower(u64 i, Index value) const {
    Index seen = load(i);
    while (seen > value && !atomic_ref<Index, Who>(words[i]).compare_exchange_weak(seen, value, relaxed)) {}
    return seen;
  }
};

/// The member that a word names, where it is nothing but that.
struct member_itself {
  template <class Word>
  SKERRY_BOTH Word operator()(Word word) const {
    return word;
  }
};

// ---- one way up ---------------------------------------------------------------------------------------------------

/// What find_root() does to the way that it goes.
enum class shortening {
  none,
  splitting,  // each member on the way gets the parent of its parent
  halving,    // every second one does, and the others are passed over: for one thread
};

/// From a member on whose word has been loaded.
template <shortening How, parent_words Words, class Index>
SKERRY_BOTH Index find_root(const Words& words, Index member, Index above) {
  if constexpr (How == shortening::none) {
    for (; above != member; above = words.load(member)) member = above;
  } else {
    while (above != member) {
      const auto next = words.load(above);
      if constexpr (How == shortening::halving) {
        words.store(member, next);
        member = next;
        above = words.load(member);
      } else {
        if (next != above) words.store(member, next);
        member = above;
        above = next;
      }
    }
  }
  return member;
}
template <shortening How, parent_words Words, class Index>
SKERRY_BOTH Index find_root(const Words& words, Index member) {
  return find_root<How, Words, Index>(words, member, words.load(member));
}

/// Pointer jumping: a member gets the parent of its parent.
template <parent_words Words, class Index>
SKERRY_BOTH void jump(const Words& words, Index member) {
  const Index above = words.load(member), next = words.load(above);
  if (next != above) words.store(member, next);
}

/// Moves the link of a member up to its root, from an ancestor on; returns the root. The root is final only if no more sets are united;
/// then nobody else moves this link, so the last move stays, and everyone's moves shorten everyone's way. Others may unite meanwhile
/// by lowering, not by splicing (docs/decisions/0133): the caller then climbs on from the root when they are done.
template <parent_words Words, class Index, class MemberOf = member_itself>
SKERRY_BOTH Index link_to_root(const Words& words, Index member, Index ancestor, const MemberOf& member_of = {}) {
  for (Index above = words.load(ancestor); member_of(above) != ancestor; above = words.load(ancestor)) {
    words.store(member, above);
    ancestor = member_of(above);
  }
  return ancestor;
}

// ---- union, the root is the smallest member -------------------------------------------------------------------------

/// By one thread, without branches but those of the two walks, which are nearly always of one step.
template <parent_words Words, class Index>
SKERRY_BOTH void unite_alone(const Words& words, Index a, Index b) {
  const auto root_of = [&](Index member) {
    Index above = words.load(member);
    while (words.load(above) != above) above = words.load(above);
    return above;
  };
  const Index root_a = root_of(a), root_b = root_of(b), root = root_a < root_b ? root_a : root_b;
  words.store(root_a, root);  // one by one: at -O2 g++ makes a loop over a list in memory of them
  words.store(root_b, root);
  words.store(a, root);
  words.store(b, root);
}

/// Among threads, one way up after the other [Jaiganesh2018]. Calls hooked(member) for a root that is none any more.
template <parent_words Words, class Index, class Hooked>
SKERRY_BOTH void unite_roots(const Words& words, Index a, Index b, const Hooked& hooked) {
  for (;;) {
    a = find_root<shortening::splitting>(words, a);
    b = find_root<shortening::splitting>(words, b);
    if (a == b) return;
    const Index later = a > b ? a : b, earlier = a > b ? b : a;
    const Index seen = words.exchange_if(later, later, earlier);
    if (seen == later) return hooked(later);
    a = seen;  // another thread hooked it first: go on from there
    b = earlier;
  }
}

/// Among threads, by Rem's method with splicing: the member with the later parent is moved under the other's, and its old parent
/// goes on. Words are ordered as members are; `member_of` tells the member from a word.
template <parent_words Words, class Index, class MemberOf = member_itself>
SKERRY_BOTH void unite_by_splicing(const Words& words, Index a, Index b, const MemberOf& member_of = {}) {
  Index above_a = words.load(a), above_b = words.load(b);
  while (above_a != above_b) {
    if (above_a < above_b) {
      const Index member = a, above = above_a;
      a = b, above_a = above_b;
      b = member, above_b = above;
    }
    const Index seen = words.exchange_if(a, above_a, above_b);
    if (seen == above_a && member_of(above_a) == a) return;
    a = member_of(seen);
    above_a = words.load(a);
    above_b = words.load(b);
  }
}

/// Among threads, where many hook the same root: no thread has to try again, since a minimum always succeeds, and each goes on
/// with the parent that it found. Both ways up are climbed at once. `a` and `b` are words of members, or of their ancestors; words are
/// ordered as members are. Calls hooked(word) for a root that is none any more.
template <parent_words Words, class Word, class Hooked, class MemberOf = member_itself>
SKERRY_BOTH void unite_by_lowering(const Words& words, Word a, Word b, const Hooked& hooked,
                                   const MemberOf& member_of = {}) {
  while (a != b) {
    const Word later = a > b ? a : b, earlier = a > b ? b : a;
    const Word seen = words.lower(member_of(later), earlier);
    if (seen == later) return hooked(later);
    a = seen;
    b = earlier;
    for (Word above_a = words.load(member_of(a)), above_b = words.load(member_of(b)); above_a != a || above_b != b;) {
      if (above_a == above_b) return;
      const Word next_a = words.load(member_of(above_a)), next_b = words.load(member_of(above_b));
      if (next_a != above_a) words.store(member_of(a), next_a);
      if (next_b != above_b) words.store(member_of(b), next_b);
      a = above_a, above_a = next_a;
      b = above_b, above_b = next_b;
    }
  }
}

// ---- union, the root is the first in another order ------------------------------------------------------------------

/// Among threads. Both ways up are climbed at once, for memory where a load takes longer than all that is done with it.
/// is_before(a, b) compares two roots.
template <parent_words Words, class Index, class IsBefore>
SKERRY_BOTH void unite_climbing_both(const Words& words, Index a, Index b, const IsBefore& is_before) {
  Index above_a = words.load(a), above_b = words.load(b);
  while (above_a != above_b) {
    if (above_a != a || above_b != b) {
      const Index next_a = words.load(above_a), next_b = words.load(above_b);
      if (next_a != above_a) words.store(a, next_a);
      if (next_b != above_b) words.store(b, next_b);
      a = above_a, above_a = next_a;
      b = above_b, above_b = next_b;
      continue;
    }
    if (is_before(a, b)) {
      const Index later = b;
      b = a;
      a = later;
    }
    above_a = words.exchange_if(a, a, b);
    if (above_a == a) return;
    above_b = b;
  }
}

// ---- sets in an array -----------------------------------------------------------------------------------------------

/// parent[i] <= i, and the root of a set is its smallest member: the result is the same for any thread order, on any engine.
template <class Index, sharing Who>
class union_find {
 public:
  SKERRY_BOTH explicit union_find(Index* parent) : words_{parent} {}

  SKERRY_BOTH Index find(Index member) const { return find_root<shortening::splitting>(words_, member); }

  SKERRY_BOTH void unite(Index a, Index b) const {
    if constexpr (Who == sharing::one_thread) unite_alone(words_, a, b);
    else unite_roots(words_, a, b, [](Index) {});
  }

 private:
  array_words<Index, Who> words_;
};

}  // namespace skerry

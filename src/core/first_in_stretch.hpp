// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/portable.hpp"

namespace skerry {

// Of each stretch of bits that begins at one of `starts`, the first of `pairs`, word by word.
class first_in_stretch {
 public:
  u64 of(u64 pairs, u64 starts) {
    // A bit is carried from each start that has no pair to the next pair or start.
    const u64 waiting = starts & ~pairs, later = pairs & ~starts;
    const u64 between = ~(pairs | starts), from = waiting << 1 | carry_, sum = between + from;
    carry_ = waiting >> 63 | (sum < from ? 1 : 0);
    return (pairs & starts) | (sum & later);
  }

 private:
  u64 carry_ = 0;
};

}  // namespace skerry

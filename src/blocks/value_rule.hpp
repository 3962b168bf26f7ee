// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "blocks/piece_state.hpp"

namespace skerry::blocks {

/// Whether two pixels of the foreground join, by their keys: of equal values equal, of values that are not compared 0.
class value_rule {
 public:
  explicit value_rule(const question& asked);
  [[nodiscard]] bool join(u64 a, u64 b) const { return a == b || (within_ && differ_by_at_most_delta(a, b)); }

 private:
  [[nodiscard]] bool differ_by_at_most_delta(u64 a, u64 b) const;

  bool within_;
  dtype type_;
  double delta_;
};

}  // namespace skerry::blocks

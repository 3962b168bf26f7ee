// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cassert>
#include <cstddef>
#include <vector>

namespace skerry::track_steps {

// Numbers of slots, first in, first out. Each slot is in at most one queue, so that none ever needs more room.
class slot_queue {
 public:
  explicit slot_queue(std::size_t slots) : places_(slots) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  void push(std::size_t slot) {
    assert(count_ < places_.size());
    places_[(first_ + count_++) % places_.size()] = slot;
  }
  std::size_t pop() {
    assert(count_ > 0);
    const std::size_t slot = places_[first_];
    first_ = (first_ + 1) % places_.size();
    --count_;
    return slot;
  }

 private:
  std::vector<std::size_t> places_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace skerry::track_steps

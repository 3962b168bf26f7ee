// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cassert>
#include <cstddef>
#include <vector>

namespace skerry::track_steps {

// Numbers of slots, first in, first out. Each slot is in at most one queue, so that none ever needs more room. Whether it is
// empty may be asked without the mutex of its owner, whose answer counts.
class slot_queue {
 public:
  explicit slot_queue(std::size_t slots) : places_(slots) {}

  [[nodiscard]] bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  void push(std::size_t slot) {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    assert(count < places_.size());
    places_[(first_ + count) % places_.size()] = slot;
    count_.store(count + 1, std::memory_order_relaxed);
  }
  std::size_t pop() {
    assert(!empty());
    const std::size_t slot = places_[first_];
    first_ = (first_ + 1) % places_.size();
    count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return slot;
  }

 private:
  std::vector<std::size_t> places_;
  std::size_t first_ = 0;
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace skerry::track_steps

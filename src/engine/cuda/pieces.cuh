// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "core/portable.hpp"

namespace skerry {

/// Deals pieces of one allocation; with a null base it only counts.
class pieces {
 public:
  explicit pieces(void* base) : base_(static_cast<char*>(base)) {}
  template <class T>
  void take(T*& piece, u64 count) {
    piece = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  char* base_;
  std::size_t used_ = 0;
};

}  // namespace skerry

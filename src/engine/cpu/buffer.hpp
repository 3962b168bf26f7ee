// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "skerry/error.hpp"

namespace skerry {

// Scratch memory that only grows and is never cleared: what it holds is what was last written there.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;
  buffer(buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)),
        needed_(std::exchange(other.needed_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(needed_, other.needed_);
    return *this;
  }
  ~buffer() { std::free(data_); }

  // Makes room for `count` elements and keeps those there are. Large blocks move by remapping, not by copying.
  void reserve(std::size_t count) {
    if (count > capacity_) {
      void* grown = count <= max_count ? std::realloc(data_, count * sizeof(T)) : nullptr;
      if (grown == nullptr)
        throw out_of_memory("out of memory: " + std::to_string(count) + " x " + std::to_string(sizeof(T)) +
                            " bytes of scratch");
      data_ = static_cast<T*>(grown);
      capacity_ = count;
    }
    needed_ = std::max(needed_, count);
  }
  // The same, with room to grow on, so that many small steps cost few reallocations: half as much again while that is
  // little, and a sixteenth of what is large, where moving costs nothing.
  void reserve_growing(std::size_t count) {
    constexpr std::size_t large_bytes = std::size_t{1} << 20;
    if (count <= needed_) return;
    const std::size_t needed_before = needed_;
    if (count > capacity_) reserve(count + (count * sizeof(T) < large_bytes ? count / 2 : count / 16));
    needed_ = std::max(needed_before, count);
  }
  // Gives back the room to grow on, so that what is kept from call to call is what the largest of them needed.
  void give_back_spare() noexcept {
    if (needed_ == capacity_) return;
    if (void* const smaller = std::realloc(data_, needed_ * sizeof(T)); smaller != nullptr) {
      data_ = static_cast<T*>(smaller);
      capacity_ = needed_;
    }
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t bytes() const { return capacity_ * sizeof(T); }

 private:
  static constexpr std::size_t max_count = static_cast<std::size_t>(-1) / 2 / sizeof(T);
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t needed_ = 0;  // the most that was asked for
};

}  // namespace skerry

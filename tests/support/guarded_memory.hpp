// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>

namespace skerry::test {

/// Memory between two pages that nobody may touch: a read or write before or behind it ends the test.
class guarded_memory {
 public:
  /// Places `bytes` bytes against the page behind them (`at_end`) or against the page before them.
  guarded_memory(std::size_t bytes, bool at_end);
  guarded_memory(guarded_memory&& other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)), page_bytes_(other.page_bytes_), begin_(other.begin_),
        bytes_(other.bytes_) {}
  guarded_memory& operator=(guarded_memory&&) = delete;
  ~guarded_memory();

  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* pages_;
  std::size_t page_bytes_;
  std::byte* begin_;
  std::size_t bytes_;
};

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace skerry::test {

/// Many addresses for little memory.
class virtual_memory {
 public:
  /// Zeros that take memory only where they are written.
  static virtual_memory sparse(std::size_t bytes);
  /// The same `period` bytes again and again, followed by `period` bytes of their own: writes at any address are
  /// accepted, and those to the last stretch are seen there alone. `bytes` is a multiple of `period`, which is one of
  /// the page size. Pages before and behind may not be touched.
  static virtual_memory repeated(std::size_t bytes, std::size_t period);

  virtual_memory(virtual_memory&& other) noexcept;
  virtual_memory& operator=(virtual_memory&&) = delete;
  ~virtual_memory();

  [[nodiscard]] std::byte* begin() const { return begin_; }

 private:
  virtual_memory(void* pages, std::size_t page_bytes, std::byte* begin)
      : pages_(pages), page_bytes_(page_bytes), begin_(begin) {}

  void* pages_;
  std::size_t page_bytes_;
  std::byte* begin_;
};

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <vector>

namespace skerry {

// Memory for lists that one call makes and drops, kept for those of the next call, since the first write to new memory takes as long
// as several to known memory. Several threads may take from it. Small lists get new memory.
class kept_memory final : public std::pmr::memory_resource {
 public:
  [[nodiscard]] std::size_t bytes() const;

  // At the end of a call, when its lists are gone: gives back what it had no use for.
  void end_call() noexcept;

 private:
  struct block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
    bool is_taken, was_taken;  // by a list that there is; in this call
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  // The smallest block that fits and is not taken, nor much too large; or null.
  [[nodiscard]] block* free_block(std::size_t bytes);

  mutable std::mutex mutex_;
  std::vector<block> blocks_;
};

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#include "support/virtual_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace skerry::test {
namespace {

void* mapped(void* at, std::size_t bytes, int protection, int flags, int file) {
  void* pages = mmap(at, bytes, protection, flags, file, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

}  // namespace

virtual_memory virtual_memory::sparse(std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* pages = mapped(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1);
  return {pages, bytes, static_cast<std::byte*>(pages)};
}

virtual_memory virtual_memory::repeated(std::size_t bytes, std::size_t period) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr int reserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* pages = mapped(nullptr, bytes + 2 * page, PROT_NONE, reserve, -1);
  virtual_memory result(pages, bytes + 2 * page, static_cast<std::byte*>(pages) + page);
  const int file = memfd_create("repeated", 0);
  if (file < 0 || ftruncate(file, static_cast<off_t>(period)) != 0) throw std::bad_alloc();
  for (std::size_t at = 0; at + period < bytes; at += period)
    mapped(result.begin_ + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file);
  close(file);
  mapped(result.begin_ + bytes - period, period, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
  return result;
}

virtual_memory::virtual_memory(virtual_memory&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)), page_bytes_(other.page_bytes_), begin_(other.begin_) {}

virtual_memory::~virtual_memory() {
  if (pages_ != nullptr) munmap(pages_, page_bytes_);
}

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/new_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace skerry {
namespace {

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

bool is_new_memory(const void* at) {
  const std::uintptr_t page = page_size();
  const std::uintptr_t inside = reinterpret_cast<std::uintptr_t>(at) % page;
  unsigned char resident = 1;
  void* const begin = const_cast<char*>(static_cast<const char*>(at) - inside);
  return mincore(begin, 1, &resident) == 0 && (resident & 1) == 0;
}

void prefer_large_pages(void* begin, std::size_t bytes) {
  constexpr std::size_t least_bytes = std::size_t{4} << 20;  // two large pages of most processors
  if (bytes < least_bytes) return;
  const std::uintptr_t to_page = (0 - reinterpret_cast<std::uintptr_t>(begin)) % page_size();
  static_cast<void>(madvise(static_cast<char*>(begin) + to_page, bytes - to_page, MADV_HUGEPAGE));
}

void provide_pages(void* begin, std::size_t bytes) {
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(begin) % page_size();
  static_cast<void>(madvise(static_cast<char*>(begin) - before, bytes + before, populate_write));
}

}  // namespace skerry
#else
namespace skerry {

bool is_new_memory(const void*) { return false; }
void prefer_large_pages(void*, std::size_t) {}
void provide_pages(void*, std::size_t) {}

}  // namespace skerry
#endif

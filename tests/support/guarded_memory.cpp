// SPDX-License-Identifier: Apache-2.0
#include "support/guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace skerry::test {

guarded_memory::guarded_memory(std::size_t bytes, bool at_end) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t inner = (bytes + page - 1) / page * page;
  page_bytes_ = inner + 2 * page;
  pages_ = mmap(nullptr, page_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::byte*>(pages_) + page;
  if (inner != 0 && mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  begin_ = at_end ? first + inner - bytes : first;
}

guarded_memory::~guarded_memory() {
  if (pages_ != nullptr) munmap(pages_, page_bytes_);
}

}  // namespace skerry::test

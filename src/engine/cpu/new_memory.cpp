// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/new_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace skerry {

bool is_new_memory(const void* at) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t inside = reinterpret_cast<std::uintptr_t>(at) % page;
  unsigned char resident = 1;
  void* const begin = const_cast<char*>(static_cast<const char*>(at) - inside);
  return mincore(begin, 1, &resident) == 0 && (resident & 1) == 0;
}

}  // namespace skerry
#else
namespace skerry {

bool is_new_memory(const void*) { return false; }

}  // namespace skerry
#endif

// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/processors.hpp"

#include <algorithm>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

namespace skerry {

// std::thread::hardware_concurrency() reads a file for it, which the first call of a small image would notice.
int count_processors() {
#ifdef __linux__
  cpu_set_t own;
  if (sched_getaffinity(getpid(), sizeof(own), &own) == 0) return CPU_COUNT(&own);
#endif
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

}  // namespace skerry

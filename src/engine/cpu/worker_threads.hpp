// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "skerry/engine.hpp"

namespace skerry {

// One thread's work queue, from `next` on, padded to cache lines of its own.
struct alignas(128) share_of_thread {
  std::atomic<std::size_t> next = 0;
  std::size_t end = 0;
};

struct worker_threads {
  explicit worker_threads(int threads) : arena(threads), shares(static_cast<std::size_t>(threads)) {}

  tbb::task_arena arena;
  std::vector<share_of_thread> shares;
};

// Gives an engine its threads; 0 is one per processor (processors.hpp). Throws invalid_argument when the number is out of range.
void give_threads(engine::state& on, int threads);

// Starts them if they are not running. oneTBB takes 1 ms for that, most of it to look for libraries.
void start_threads(engine::state& on);

}  // namespace skerry

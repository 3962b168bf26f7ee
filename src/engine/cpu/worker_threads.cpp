// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/worker_threads.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <string>
#include <thread>

#include "engine/engine_state.hpp"
#include "skerry/error.hpp"

namespace skerry {

void give_threads(engine::state& on, int threads) {
  constexpr int most_threads = 1024;
  if (threads < 0 || threads > most_threads)
    throw invalid_argument("threads: " + std::to_string(threads) + " is not in 0…" + std::to_string(most_threads));
  if (threads == 0) threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
  on.threads = threads;
  if (threads < 2) return;  // oneTBB takes 0.4 ms to count processors for the first time
  // More threads than processors would only take turns.
  const int workers = std::min(threads, tbb::info::default_concurrency());
  if (workers > 1) on.workers = std::make_unique<worker_threads>(workers);
}

}  // namespace skerry

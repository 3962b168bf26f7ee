// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/worker_threads.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <string>

#include "engine/cpu/processors.hpp"
#include "engine/engine_state.hpp"
#include "skerry/error.hpp"

namespace skerry {

void give_threads(engine::state& on, int threads) {
  constexpr int most_threads = 1024;
  if (threads < 0 || threads > most_threads)
    throw invalid_argument("threads: " + std::to_string(threads) + " is not in 0…" + std::to_string(most_threads));
  const int processors = count_processors();
  on.threads = threads == 0 ? std::min(processors, most_threads) : threads;
  on.useful_threads = std::min(on.threads, processors);
}

void start_threads(engine::state& on) {
  if (on.workers != nullptr) return;
  const int workers = std::min(on.useful_threads, tbb::info::default_concurrency());
  on.workers = std::make_unique<worker_threads>(std::max(workers, 1));
}

}  // namespace skerry

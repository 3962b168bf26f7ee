// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "engine/engine_state.hpp"

#ifdef __SANITIZE_THREAD__
#include <exception>
#include <thread>
#include <vector>
#endif

namespace skerry {

// for_each_in_parallel(on, count, work) calls work(i) for 0 <= i < count, on the threads of the engine. Each takes the
// next i when it is done with its last, so they begin in order. Exceptions of `work` come out of it.

#ifdef __SANITIZE_THREAD__

// ThreadSanitizer cannot see into libtbb: it would take all that one task hands to another for a race. Under it the
// same work runs on plain threads, two besides the caller's, where it sees every race between two calls of `work`.
template <class Work>
void for_each_in_parallel(engine::state& on, std::size_t count, Work work) {
  constexpr std::size_t most_threads = 3;
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failures[most_threads];
  const auto run = [&](std::exception_ptr& failure) {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t useful = std::min({static_cast<std::size_t>(on.threads), count, most_threads});
    for (std::size_t t = 1; t < useful; ++t) threads.emplace_back([&run, &failure = failures[t]] { run(failure); });
    run(failures[0]);
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

#else

// oneTBB provides the threads, and i is dealt out by a counter: a thread that is still waking up (up to 0.2 ms were
// seen) then misses what the others have done meanwhile, and not a share that was set aside for it.
template <class Work>
void for_each_in_parallel(engine::state& on, std::size_t count, Work work) {
  if (on.arena == nullptr || count < 2) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  const std::size_t useful = std::min(count, static_cast<std::size_t>(on.arena->max_concurrency()));
  on.arena->execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, useful, 1),
        [&](const tbb::blocked_range<std::size_t>&) {
          for (std::size_t i = next++; i < count; i = next++) work(i);
        },
        tbb::simple_partitioner());
  });
}

#endif

}  // namespace skerry

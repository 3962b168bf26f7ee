// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>

#include "engine/engine_state.hpp"

#ifdef __SANITIZE_THREAD__
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>
#endif

namespace skerry {

// for_each_in_parallel(on, count, work) calls work(i) for 0 <= i < count, on the threads of the engine. Exceptions of
// `work` come out of it.

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

template <class Work>
void for_each_in_parallel(engine::state& on, std::size_t count, Work work) {
  if (on.arena == nullptr || count < 2) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  on.arena->execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) work(i);
        },
        tbb::simple_partitioner());
  });
}

#endif

}  // namespace skerry

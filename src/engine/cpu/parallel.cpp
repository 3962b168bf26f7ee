// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/parallel.hpp"

#include <algorithm>

#include "engine/cpu/worker_threads.hpp"
#include "engine/stop.hpp"

#ifdef __SANITIZE_THREAD__
#include <exception>
#include <thread>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#endif

namespace skerry {

#ifdef __SANITIZE_THREAD__

// ThreadSanitizer cannot see into libtbb: it would take all that one task hands to another for a race. Under it the
// same work runs on plain threads, two besides the caller's, where it sees every race between two calls of `work`.
void for_each_in_parallel(engine::state& on, std::size_t count, function_ref<void(std::size_t)> work) {
  constexpr std::size_t most_threads = 3;
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failures[most_threads];
  const auto run = [&](std::exception_ptr& failure) {
    try {
      const stop_scope stoppable(on.stop);
      for (std::size_t i = next++; i < count; i = next++) {
        stop_point();
        work(i);
      }
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

// oneTBB provides the threads, and shares are taken by counters: a thread that is still waking up (up to 0.2 ms were seen)
// then misses what the others have done meanwhile, and not a share that was set aside for it.
void for_each_in_parallel(engine::state& on, std::size_t count, function_ref<void(std::size_t)> work) {
  if (on.useful_threads < 2 || count < 2 || on.spares_threads) {
    const stop_scope stoppable(on.stop);
    for (std::size_t i = 0; i < count; ++i) {
      stop_point();
      work(i);
    }
    return;
  }
  start_threads(on);
  std::vector<share_of_thread>& shares = on.workers->shares;
  const std::size_t useful = std::min(count, shares.size());
  for (std::size_t t = 0; t < useful; ++t) {
    shares[t].next = count * t / useful;
    shares[t].end = count * (t + 1) / useful;
  }
  on.workers->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, useful, 1),
        [&](const tbb::blocked_range<std::size_t>&) {
          const stop_scope stoppable(on.stop);
          const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
          for (std::size_t t = 0; t < useful; ++t) {
            share_of_thread& share = shares[(thread + t) % useful];
            for (std::size_t i = share.next++; i < share.end; i = share.next++) {
              stop_point();
              work(i);
            }
          }
        },
        tbb::simple_partitioner());
  });
}

#endif

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>

#include "engine/engine_state.hpp"

namespace skerry {

// Calls work(i) for 0 <= i < count, on the threads of the engine. Exceptions of `work` come out here.
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

}  // namespace skerry

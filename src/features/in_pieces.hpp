// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

#include "engine/cpu/parallel.hpp"

namespace skerry::features {

// Calls work(begin, end) for pieces of [0, count), on the threads of the engine.
template <class Work>
void each_in_pieces(engine::state& on, std::size_t count, Work work) {
  constexpr std::size_t of_piece = 256;
  for_each_in_parallel(on, (count + of_piece - 1) / of_piece,
                       [&](std::size_t piece) { work(piece * of_piece, std::min(count, (piece + 1) * of_piece)); });
}

// Calls work(i) for 0 <= i < count, each of which goes through all regions; those of few are not worth waking threads.
template <class Work>
void each_of_regions(engine::state& on, std::size_t regions, std::size_t count, Work work) {
  constexpr std::size_t least_shared = 1 << 13;
  if (regions >= least_shared) return for_each_in_parallel(on, count, work);
  for (std::size_t i = 0; i < count; ++i) work(i);
}

}  // namespace skerry::features

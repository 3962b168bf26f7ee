// SPDX-License-Identifier: Apache-2.0
// Counts the allocations of a program, or lets one fail. For programs that are linked with allocations.cpp.
#pragma once
#include <atomic>
#include <cstdint>

#include "support/sanitized.hpp"

namespace skerry::test {

/// All but those of the CUDA driver, which has a thread of its own.
extern std::atomic<std::uint64_t> allocations;
extern const bool allocations_are_counted;

/// Those of them that neither oneTBB asked for nor the loader, which sets up its threads. 0 under a sanitizer.
extern std::atomic<std::uint64_t> allocations_outside_the_pool;

/// Looks again where these libraries lie. The CUDA driver is loaded by the first engine that needs it. No other thread may
/// allocate meanwhile.
void find_the_pool();

/// Allocations of this thread before one fails; negative: none does. Not under a sanitizer, whose allocator it is.
extern thread_local std::int64_t good_allocations;

}  // namespace skerry::test

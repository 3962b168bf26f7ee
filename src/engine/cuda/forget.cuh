// SPDX-License-Identifier: Apache-2.0
// Scratch memory that nobody reads again: a line of the cache that was written and is forgotten in time is never written to memory.
#pragma once
#include "core/portable.hpp"

namespace skerry {

inline constexpr u32 line_bytes = 128;

/// Leaves what a line holds undefined; `begin` is its begin.
__device__ inline void forget_line(const void* begin) {
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(begin) : "memory");
}

/// The lines that `bytes` from the begin of a line on fill; by all threads of a block, once they have read what they need. To forget a line that
/// was written in part takes longer than to write it.
__device__ inline void forget(const void* begin, u32 bytes) {
  for (u32 at = threadIdx.x * line_bytes; at + line_bytes <= bytes; at += blockDim.x * line_bytes)
    forget_line(static_cast<const char*>(begin) + at);
}

}  // namespace skerry

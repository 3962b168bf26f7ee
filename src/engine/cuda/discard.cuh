// SPDX-License-Identifier: Apache-2.0
// Scratch memory that nobody reads again. The second-level cache would write its lines to memory all the same; a line that is discarded
// before that is never written.
#pragma once
#include "core/portable.hpp"

namespace skerry {

inline constexpr u32 line_bytes = 128;

/// Leaves the 128 bytes of a line undefined; `line` is a multiple of 128.
__device__ inline void discard_line(const void* line) {
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(line) : "memory");
}

/// The whole lines in `bytes` from `begin` on, a multiple of 128; by all threads of a block, after their last read. The line at the end
/// that only a part of the bytes lies in stays: discarding a line that was written in part takes longer than writing it.
__device__ inline void discard_lines(const void* begin, u32 bytes) {
  for (u32 at = threadIdx.x * line_bytes; at + line_bytes <= bytes; at += blockDim.x * line_bytes)
    discard_line(static_cast<const char*>(begin) + at);
}

}  // namespace skerry

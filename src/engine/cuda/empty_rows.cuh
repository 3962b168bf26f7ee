// SPDX-License-Identifier: Apache-2.0
// Rows of a table that hold nothing yet.
#pragma once
#include <cstring>

#include "core/portable.hpp"

namespace skerry {

/// Makes rows [0, end) equal to `nothing`; by all threads of a grid. Threads write words side by side: rows of 96 bytes that each
/// thread wrote whole took nine times as long.
template <class Row>
__device__ void write_empty_rows(Row* rows, u64 end, const Row& nothing) {
  static_assert(sizeof(Row) % sizeof(u64) == 0);
  constexpr u32 words = sizeof(Row) / sizeof(u64);
  u64 pattern[words];
  memcpy(pattern, &nothing, sizeof nothing);
  const u32 rows_at_once = gridDim.x * blockDim.x / words, thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= rows_at_once * words) return;
  const u32 own = thread % words;
  u64 word = 0;
#pragma unroll
  for (u32 k = 0; k < words; ++k) word = k == own ? pattern[k] : word;
  for (u64 row = thread / words; row < end; row += rows_at_once) reinterpret_cast<u64*>(rows)[row * words + own] = word;
}

}  // namespace skerry

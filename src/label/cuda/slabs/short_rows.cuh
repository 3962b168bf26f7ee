// SPDX-License-Identifier: Apache-2.0
// Slabs, CUDA: rows of small components become one word each (core/short_row.hpp), the others go to a list, in any order.
//
//   thread  a component, and others a grid further
//
// Reads   rows of the plan, its count
// Writes  words, the list, how long it is
#pragma once
#include "core/short_row.hpp"
#include "label/cuda/slabs/stages.hpp"

namespace skerry::label_stages::on_device {

inline constexpr u32 short_row_threads = 256, most_short_row_blocks = 1024;

__global__ __launch_bounds__(short_row_threads) inline void shorten_rows_kernel(const geometry* rows,
                                                                                const u64* count_of_rows,
                                                                                const u64 capacity,
                                                                                const row_frame frame,
                                                                                const shortened_rows to) {
  const u64 count = min(*count_of_rows, capacity), step = u64{gridDim.x} * short_row_threads;
  for (u64 i = u64{blockIdx.x} * short_row_threads + threadIdx.x; i < count; i += step) {
    const geometry row = rows[i];
    u64 word = short_row(row, frame);
    if (is_listed(word)) {
      const u64 place = atomicAdd(reinterpret_cast<unsigned long long*>(to.listed), 1ull);
      to.list[place] = row;
      word = listed_row(place);
    }
    to.words[i] = word;
  }
}

}  // namespace skerry::label_stages::on_device

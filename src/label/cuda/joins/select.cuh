// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, where pixels join by value or axes are periodic: components that do not stay lose the bit of their first pixel.
//
//   thread  the components whose first pixels lie in a word of 32
//
// Reads   root_bits, areas
// Writes  root_bits
// Method  as resolve/select.cuh, with the same search for the k-th largest area
#pragma once
#include "label/cuda/joins/sums.cuh"
#include "label/cuda/resolve/select.cuh"

namespace skerry::label_stages::on_device {

inline constexpr u32 select_words = 8 * select_threads;  // of a block that counts

/// The bits of a word for whose node keep(area_and_border) is true.
template <class Keep>
__device__ u32 kept_roots(const node_tables& tables, const area_and_border* areas, u32 word, const Keep& keep) {
  u32 kept = tables.root_bits[word];
  for (u32 rest = kept; rest != 0; rest &= rest - 1)
    if (!keep(areas[u64{word} * 32 + lowest_bit(rest)])) kept &= ~(rest & -rest);
  return kept;
}

__global__ __launch_bounds__(select_threads) inline void select_nodes_kernel(const node_grid grid,
                                                                             const node_tables tables,
                                                                             const area_and_border* areas,
                                                                             const size_rule rule) {
  const u32 word = blockIdx.x * select_threads + threadIdx.x;
  if (word >= grid.words()) return;
  tables.root_bits[word] = kept_roots(tables, areas, word, [&](const area_and_border& a) {
    return rule.min_area <= a.area && a.area <= rule.max_area && !(rule.clear_border && a.at_border != 0);
  });
}

/// As count_digits_kernel; a block has words of one frame.
__global__ __launch_bounds__(select_threads) inline void count_digits_of_nodes_kernel(const node_grid grid,
                                                                                      const node_tables tables,
                                                                                      const area_and_border* areas,
                                                                                      const select_tables t,
                                                                                      const u32 shift) {
  __shared__ digit_counts counts;
  const u32 words = grid.units_of_frame() * unit_words, blocks = (words + select_words - 1) / select_words;
  const u32 frame = blockIdx.x / blocks, begin = blockIdx.x % blocks * select_words;
  const u64 prefix = t.search[frame].prefix;
  counts.clear();
  for (u32 word = begin + threadIdx.x; word < min(begin + select_words, words); word += select_threads)
    kept_roots(tables, areas, frame * words + word, [&](const area_and_border& a) {
      counts.add(a.area, shift, prefix);
      return true;
    });
  counts.add_to(t.histogram + u64{frame} * 256);
}

__global__ __launch_bounds__(select_threads) inline void drop_smaller_nodes_kernel(const node_grid grid,
                                                                                   const node_tables tables,
                                                                                   const area_and_border* areas,
                                                                                   const select_tables t) {
  const u32 word = blockIdx.x * select_threads + threadIdx.x;
  if (word >= grid.words()) return;
  const area_search found = t.search[word / (grid.units_of_frame() * unit_words)];
  u32 ties = 0;
  if (!found.all) {
    tables.root_bits[word] =
        kept_roots(tables, areas, word, [&](const area_and_border& a) { return a.area >= found.prefix; });
    ties = kept_roots(tables, areas, word, [&](const area_and_border& a) { return a.area == found.prefix; });
  }
  t.tie_bits[word] = ties;
}

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// A stable sort by unsigned keys, 8 bits at a time, that reads and writes its items once for each digit.
//
// Reads   items of a source, which may make them of something else: a key and a value of 32 bits each, fewer than 2^31
// Writes  items to a sink, which may leave out what nobody will ask for
// Needs   sort_tables, in scratch
// Method  [Adinets2022], onesweep: all digits are counted beforehand, then there is one pass for each (radix_pass.cuh). Why it
//         is not the sort of the toolkit is in docs/decisions/0023
#pragma once
#include <algorithm>

#include "engine/cuda/pieces.cuh"
#include "engine/cuda/radix_pass.cuh"

namespace skerry {

// ---- digits counted ----------------------------------------------------------------------------------------------

inline constexpr u32 most_counting_blocks = 1024, counting_threads = 256, counting_items = 8,
                     counting_tile = counting_threads * counting_items;

// Adds to 256 counts of each digit.
template <class Source>
__global__ void __launch_bounds__(counting_threads)
    count_digits_kernel(Source from, u32 items, u32 digits, u32* counts) {
  __shared__ u32 counted[4 * digit_values];
  for (u32 i = threadIdx.x; i < 4 * digit_values; i += counting_threads) counted[i] = 0;
  __syncthreads();
  for (u64 first = u64{blockIdx.x} * counting_tile; first < items; first += u64{gridDim.x} * counting_tile) {
    const u32 own = static_cast<u32>(first) + threadIdx.x;
    u32 keys[counting_items], values[counting_items];
    from.read([&](u32 k) { return min(own + k * counting_threads, items - 1); }, keys, values);
#pragma unroll
    for (u32 k = 0; k < counting_items; ++k)
      if (own + k * counting_threads < items)
        for (u32 d = 0; d < digits; ++d)
          atomicAdd(counted + d * digit_values + (keys[k] >> digit_bits * d & (digit_values - 1)), 1u);
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < digits * digit_values; i += counting_threads)
    if (counted[i] != 0) atomicAdd(counts + i, counted[i]);
}

// ---- items in memory ---------------------------------------------------------------------------------------------

template <class Key>
struct pairs_in_memory {
  const Key* keys;
  const u32* values;
  template <class Place, u32 Items>
  __device__ void read(Place place, u32 (&key)[Items], u32 (&value)[Items]) const {
#pragma unroll
    for (u32 k = 0; k < Items; ++k) key[k] = keys[place(k)];
#pragma unroll
    for (u32 k = 0; k < Items; ++k) value[k] = values[place(k)];
  }
};

// Keys without their lowest digits, if these are no longer needed.
template <class Key>
struct pairs_to_memory {
  Key* keys;
  u32* values;
  u32 drop;
  __device__ void write(u32 place, u32 key, u32 value) const {
    keys[place] = static_cast<Key>(key >> drop);
    values[place] = value;
  }
};

struct values_to_memory {
  u32* values;
  __device__ void write(u32 place, u32, u32 value) const { values[place] = value; }
};

// ---- digit after digit ------------------------------------------------------------------------------------------

// Memory of a sort of so many items, at least one: 0.27 bytes for each, and 5 KB.
struct sort_tables {
  u32 *counts, *sums[2];
  u64 sum_words;

  sort_tables(pieces& from, u32 items) : sum_words(u64{sort_tiles(items)} * digit_values) {
    from.take(counts, words_of_counts);
    from.take(sums[0], sum_words);
    from.take(sums[1], sum_words);
  }
  // For each digit 256 counts, and behind all of these a ticket, each in a line of its own.
  static constexpr u32 most_digits = 4, ticket_words = 64,
                       words_of_counts = most_digits * (digit_values + ticket_words);
  [[nodiscard]] u32* ticket(u32 digit) const { return counts + most_digits * digit_values + ticket_words * digit; }
};

// Counts first; then a pass for each digit, from the lowest to the highest.
class digit_sort {
 public:
  digit_sort(const sort_tables& tables, u32 items, u32 digits, cudaStream_t stream)
      : tables_(tables), items_(items), digits_(digits), stream_(stream) {}

  // Of the same keys as the first pass, in any order.
  template <class Source>
  cudaError_t count(const Source& from) const {
    const auto* const end = reinterpret_cast<const char*>(tables_.sums[0] + tables_.sum_words);
    const auto bytes = static_cast<std::size_t>(end - reinterpret_cast<const char*>(tables_.counts));
    if (const cudaError_t result = cudaMemsetAsync(tables_.counts, 0, bytes, stream_); result != cudaSuccess)
      return result;
    const u32 blocks = std::min(most_counting_blocks, (items_ + counting_tile - 1) / counting_tile);
    count_digits_kernel<<<blocks, counting_threads, 0, stream_>>>(from, items_, digits_, tables_.counts);
    return cudaGetLastError();
  }
  // By the digit that begins at bit `shift` of the keys.
  template <class Source, class Sink>
  cudaError_t pass(const Source& from, const Sink& to, u32 shift) {
    constexpr auto kernel = sort_kernel<Source, Sink>;
    constexpr auto bytes = static_cast<int>(sizeof(sort_memory));
    const cudaError_t result = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (result != cudaSuccess) return result;
    u32* const next = digit_ + 1 < digits_ ? tables_.sums[(digit_ + 1) % 2] : nullptr;
    const sort_pass work{
        items_, shift, tables_.counts + digit_ * digit_values, tables_.ticket(digit_), tables_.sums[digit_ % 2], next};
    ++digit_;
    kernel<<<sort_tiles(items_), sort_threads, bytes, stream_>>>(from, to, work);
    return cudaGetLastError();
  }

 private:
  sort_tables tables_;
  u32 items_, digits_, digit_ = 0;
  cudaStream_t stream_;
};

}  // namespace skerry

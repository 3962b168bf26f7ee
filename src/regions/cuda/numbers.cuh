// SPDX-License-Identifier: Apache-2.0
// Rows of labels: labels that occur are numbered in ascending order, from 0.
//
// Reads   the label image, once
// Writes  `numbers`, in which kernels look up the row of a label; the number of rows
// Method  a *key* is a label as an unsigned integer of the same order. Dense keys are bits, and ones before each word, which
//         makes a row of a key by two loads. Others are in a hash table, with open addressing, whose slots are sorted by key.
#pragma once
#include <algorithm>

#include "core/label_type.hpp"
#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/radix_sort.cuh"
#include "regions/cuda/patches.cuh"

namespace skerry::regions::on_device {

inline constexpr u32 no_row = ~u32{0};

// What the host reads of a numbering: `beyond` is 1 when there was a label for which the tables have no place.
struct number_counts {
  u64 rows, beyond;
};

// ---- keys ---------------------------------------------------------------------------------------------------------

struct key_order {
  u64 sign;    // the bit that is the sign of labels, or 0
  u32 unused;  // bits of 64 that labels do not have

  [[nodiscard]] static key_order of(dtype type) {
    const u32 bits = 8 * static_cast<u32>(size_of(type));
    return {is_signed_label_type(type) ? u64{1} << (bits - 1) : 0, 64 - bits};
  }
  [[nodiscard]] SKERRY_BOTH u64 key_of(u64 label) const { return label ^ sign; }
  [[nodiscard]] __device__ label_bits label_of(u64 key) const {
    const u64 label = (key ^ sign) << unused;
    return sign == 0 ? label >> unused : static_cast<u64>(static_cast<i64>(label) >> unused);
  }
};

// ---- dense keys ---------------------------------------------------------------------------------------------------

struct dense_numbers {
  u64 begin, keys;  // keys from `begin` on; a multiple of words_of_block words
  u32 *bits, *before, *sums_of_blocks;

  static constexpr u32 threads = 256, words_of_thread = 16, words_of_block = threads * words_of_thread;

  [[nodiscard]] u32 blocks() const { return static_cast<u32>(keys / 32 / words_of_block); }
  void lay_out(pieces& memory) {
    memory.take(bits, keys / 32);
    memory.take(before, keys / 32);
    memory.take(sums_of_blocks, blocks());
  }
  // False when there is no place.
  [[nodiscard]] __device__ bool add(u64 key) const {
    const u64 at = key - begin;
    if (at < keys) mark(at);
    return at < keys;
  }
  // A place that there is.
  __device__ void mark(u64 at) const {
    const u32 bit = u32{1} << at % 32;
    if ((device_words{bits}.load(at / 32) & bit) == 0) atomicOr(bits + at / 32, bit);
  }
  // Whether a place that there is was marked, by an earlier kernel.
  [[nodiscard]] __device__ bool has(u64 at) const { return (__ldg(bits + at / 32) >> at % 32 & 1) != 0; }
  [[nodiscard]] __device__ u32 row_of(u64 key) const {
    const u64 at = key - begin;
    if (at >= keys) return no_row;
    return __ldg(before + at / 32) + static_cast<u32>(__popc(__ldg(bits + at / 32) & ((u32{1} << at % 32) - 1)));
  }
};

// Ones in each block of words.
__global__ inline void __launch_bounds__(dense_numbers::threads) count_keys_kernel(const dense_numbers numbers) {
  __shared__ u64 sums_of_warps[digit_values / 32];
  const u32* const from =
      numbers.bits + (u64{blockIdx.x} * dense_numbers::threads + threadIdx.x) * dense_numbers::words_of_thread;
  u32 own = 0;
#pragma unroll
  for (u32 k = 0; k < dense_numbers::words_of_thread; k += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(from + k);
    own += ones(four.x) + ones(four.y) + ones(four.z) + ones(four.w);
  }
  const u64 before = sum_of_threads_before(own, sums_of_warps);
  if (threadIdx.x == dense_numbers::threads - 1) numbers.sums_of_blocks[blockIdx.x] = static_cast<u32>(before + own);
}

// Ones before each word, of blocks that have some: of images with few labels that is the first one. Each block adds up those of the
// blocks before it.
__global__ inline void __launch_bounds__(dense_numbers::threads)
    number_keys_kernel(const dense_numbers numbers, number_counts* counts) {
  __shared__ u64 sums_of_warps[digit_values / 32], before_block;
  const bool is_last = blockIdx.x == gridDim.x - 1;
  if (numbers.sums_of_blocks[blockIdx.x] == 0 && !is_last) return;
  u64 sum = 0;
  for (u32 block = threadIdx.x; block < blockIdx.x; block += dense_numbers::threads)
    sum += numbers.sums_of_blocks[block];
  const u64 before_thread = sum_of_threads_before(sum, sums_of_warps);
  if (threadIdx.x == dense_numbers::threads - 1) before_block = before_thread + sum;
  __syncthreads();
  const u64 first = (u64{blockIdx.x} * dense_numbers::threads + threadIdx.x) * dense_numbers::words_of_thread;
  u32 words[dense_numbers::words_of_thread], own = 0;
#pragma unroll
  for (u32 k = 0; k < dense_numbers::words_of_thread; ++k) {
    words[k] = numbers.bits[first + k];
    own += static_cast<u32>(__popc(words[k]));
  }
  u64 row = before_block + sum_of_threads_before(own, sums_of_warps);
#pragma unroll
  for (u32 k = 0; k < dense_numbers::words_of_thread; ++k) {
    numbers.before[first + k] = static_cast<u32>(row);
    row += static_cast<u32>(__popc(words[k]));
  }
  if (is_last && threadIdx.x == dense_numbers::threads - 1) counts->rows = row;
}

// A numbering of places from 0 on, instead of labels.
[[nodiscard]] inline dense_numbers numbers_of_places(u64 places) {
  constexpr u64 of_block = 32 * dense_numbers::words_of_block;
  dense_numbers numbers{};
  numbers.keys = std::max<u64>(1, (places + of_block - 1) / of_block) * of_block;
  return numbers;
}

// Numbers the marked places; when all are marked.
inline void number_marks(const dense_numbers& numbers, number_counts* counts, cudaStream_t stream) {
  count_keys_kernel<<<numbers.blocks(), dense_numbers::threads, 0, stream>>>(numbers);
  number_keys_kernel<<<numbers.blocks(), dense_numbers::threads, 0, stream>>>(numbers, counts);
  check_cuda(cudaGetLastError(), "resolve");
}

__global__ inline void write_dense_labels_kernel(const dense_numbers numbers, const key_order order, label_bits* labels,
                                                 u64 capacity) {
  const u64 words = numbers.keys / 32;
  for (u64 word = u64{blockIdx.x} * blockDim.x + threadIdx.x; word < words; word += u64{gridDim.x} * blockDim.x) {
    if (numbers.sums_of_blocks[word / dense_numbers::words_of_block] == 0) continue;
    u64 row = numbers.before[word];
    each_bit(numbers.bits[word], [&](int bit) {
      if (row < capacity) labels[row] = order.label_of(numbers.begin + word * 32 + static_cast<u32>(bit));
      ++row;
    });
  }
}

// ---- sparse keys --------------------------------------------------------------------------------------------------

struct sparse_numbers {
  u32 slots;                      // a power of two. The slot behind them is that of the largest key of 64 bits
  u64* keys;                      // 1 more than the key, or 0
  u32* rows;                      // of each slot
  u32 *key_words[2], *listed[2];  // slots that are taken, in any order, and then in that of their keys
  u32* sort_memory;               // of sort_tables

  [[nodiscard]] SKERRY_BOTH u32 most_rows() const { return slots / 2; }
  void lay_out(pieces& memory) {
    memory.take(keys, u64{slots} + 1);
    memory.take(rows, u64{slots} + 1);
    for (int side = 0; side < 2; ++side) {
      memory.take(key_words[side], most_rows());
      memory.take(listed[side], most_rows());
    }
    pieces counted(nullptr);
    const sort_tables tables(counted, most_rows());
    memory.take(sort_memory, counted.used() / sizeof(u32));
  }
  [[nodiscard]] __device__ u32 first_slot(u64 key) const {
    const u64 mixed = key * 0x9e3779b97f4a7c15u;
    return static_cast<u32>(mixed ^ mixed >> 32) & (slots - 1);
  }
  [[nodiscard]] __device__ u64 key_at(u32 slot) const { return slot == slots ? ~u64{0} : keys[slot] - 1; }
  [[nodiscard]] __device__ bool add(u64 key) const {
    constexpr u32 most_probes = 256;
    const u64 stored = key + 1;
    if (stored == 0) {
      atomic_ref<u64, sharing::device>(keys[slots]).store(1, relaxed);
      return true;
    }
    u32 slot = first_slot(key);
    for (u32 probe = 0; probe < most_probes; ++probe, slot = (slot + 1) & (slots - 1)) {
      u64 seen = atomic_ref<u64, sharing::device>(keys[slot]).load(relaxed);
      if (seen == 0)
        seen = atomicCAS(reinterpret_cast<unsigned long long*>(keys + slot), 0ull,
                         static_cast<unsigned long long>(stored));
      if (seen == 0 || seen == stored) return true;
    }
    return false;
  }
  [[nodiscard]] __device__ u32 row_of(u64 key) const {
    const u64 stored = key + 1;
    if (stored == 0) return __ldg(rows + slots);
    for (u32 slot = first_slot(key);; slot = (slot + 1) & (slots - 1)) {
      const u64 seen = __ldg(keys + slot);
      if (seen == stored) return __ldg(rows + slot);
      if (seen == 0) return no_row;
    }
  }
};

// Lists the slots that are taken.
__global__ inline void list_slots_kernel(const sparse_numbers numbers, number_counts* counts) {
  for (u64 slot = u64{blockIdx.x} * blockDim.x + threadIdx.x; slot <= numbers.slots;
       slot += u64{gridDim.x} * blockDim.x) {
    if (numbers.keys[slot] == 0) continue;
    const u64 place = atomicAdd(reinterpret_cast<unsigned long long*>(&counts->rows), 1ull);
    if (place >= numbers.most_rows()) {
      atomic_ref<u64, sharing::device>(counts->beyond).store(1, relaxed);
      continue;
    }
    numbers.key_words[0][place] = static_cast<u32>(numbers.key_at(static_cast<u32>(slot)));
    numbers.listed[0][place] = static_cast<u32>(slot);
  }
}

// The upper halves of the keys of slots; of places without a slot the largest.
struct upper_halves {
  sparse_numbers numbers;
  template <class Place, u32 Items>
  __device__ void read(Place place, u32 (&key)[Items], u32 (&value)[Items]) const {
#pragma unroll
    for (u32 k = 0; k < Items; ++k) value[k] = numbers.listed[0][place(k)];
#pragma unroll
    for (u32 k = 0; k < Items; ++k)
      key[k] = value[k] == no_row ? ~0u : static_cast<u32>(numbers.key_at(value[k]) >> 32);
  }
};

__global__ inline void number_slots_kernel(const sparse_numbers numbers, const number_counts* counts) {
  const u64 end = min(static_cast<u64>(counts->rows), u64{numbers.most_rows()});
  for (u64 row = u64{blockIdx.x} * blockDim.x + threadIdx.x; row < end; row += u64{gridDim.x} * blockDim.x)
    numbers.rows[numbers.listed[0][row]] = static_cast<u32>(row);
}

__global__ inline void write_sparse_labels_kernel(const sparse_numbers numbers, const key_order order,
                                                  label_bits* labels, u64 rows) {
  for (u64 row = u64{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += u64{gridDim.x} * blockDim.x)
    labels[row] = order.label_of(numbers.key_at(numbers.listed[0][row]));
}

// ---- both ---------------------------------------------------------------------------------------------------------

struct label_numbers {
  bool is_dense;
  key_order order;
  dense_numbers dense;
  sparse_numbers sparse;

  [[nodiscard]] __device__ bool add(u64 label) const {
    const u64 key = order.key_of(label);
    return is_dense ? dense.add(key) : sparse.add(key);
  }
  [[nodiscard]] __device__ u32 row_of(u64 label) const {
    const u64 key = order.key_of(label);
    return is_dense ? dense.row_of(key) : sparse.row_of(key);
  }
};

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    find_labels_kernel(const label_source from, const tile_grid grid, const background_test<Label> is_background,
                       const label_numbers numbers, number_counts* counts) {
  each_patch<Label>(from, grid, is_background, [&](const pixel_place&, const label_patch<Label>& patch, u32 left) {
    each_piece(patch, left, [&](Label label, u32 mask) {
      if (mask != 0 && !numbers.add(label)) atomic_ref<u64, sharing::device>(counts->beyond).store(1, relaxed);
    });
  });
}

}  // namespace skerry::regions::on_device

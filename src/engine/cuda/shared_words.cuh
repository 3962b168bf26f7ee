// SPDX-License-Identifier: Apache-2.0
// Words of 32 or 64 bits that several threads read and write at the same time. Every access is a relaxed atomic one, so that
// no read is a data race; the state space is spelled out because a generic access to shared memory costs several times more.
#pragma once
#include "core/portable.hpp"

namespace skerry {

/// Words in the shared memory of one block.
template <class Word>
struct words_of_block {
  using word = Word;
  Word* words;
#ifdef SKERRY_CHECK_RACES  // racecheck takes relaxed accesses for plain ones; these it knows
  __device__ Word load(u32 i) const {
    if constexpr (sizeof(Word) == 4) return atomicOr(words + i, 0);
    else return raise(i, 0);
  }
  __device__ void store(u32 i, Word value) const {
    if constexpr (sizeof(Word) == 4) atomicExch(words + i, value);
    else atomicExch(reinterpret_cast<unsigned long long*>(words) + i, value);
  }
#else
  __device__ Word load(u32 i) const {
    Word value;
    if constexpr (sizeof(Word) == 4)
      asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address(i)) : "memory");
    else asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(value) : "r"(address(i)) : "memory");
    return value;
  }
  __device__ void store(u32 i, Word value) const {
    if constexpr (sizeof(Word) == 4)
      asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(address(i)), "r"(value) : "memory");
    else asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(address(i)), "l"(value) : "memory");
  }
#endif
  /// Replaces a word that is as it was seen; returns what it was.
  __device__ Word exchange_if(u32 i, Word seen, Word value) const {
    static_assert(sizeof(Word) == 4);
    Word old;
    asm volatile("atom.relaxed.cta.shared.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "r"(address(i)), "r"(seen), "r"(value)
                 : "memory");
    return old;
  }
  /// Makes a word at least `value`; returns what it was.
  __device__ Word raise(u32 i, Word value) const {
    Word old;
    if constexpr (sizeof(Word) == 4)
      asm volatile("atom.relaxed.cta.shared.max.u32 %0, [%1], %2;"
                   : "=r"(old)
                   : "r"(address(i)), "r"(value)
                   : "memory");
    else
      asm volatile("atom.relaxed.cta.shared.max.u64 %0, [%1], %2;"
                   : "=l"(old)
                   : "r"(address(i)), "l"(value)
                   : "memory");
    return old;
  }
  __device__ u32 address(u32 i) const {
    return static_cast<u32>(__cvta_generic_to_shared(words)) + static_cast<u32>(sizeof(Word)) * i;
  }
};

/// Words in device memory, shared by all blocks of a grid. Reads bypass the first-level cache.
template <class Word>
struct words_of_device {
  using word = Word;
  Word* words;
  __device__ Word load(u64 i) const {
    Word value;
    if constexpr (sizeof(Word) == 4)
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(words + i) : "memory");
    else asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(words + i) : "memory");
    return value;
  }
  __device__ void store(u64 i, Word value) const {
    if constexpr (sizeof(Word) == 4)
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(words + i), "r"(value) : "memory");
    else asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i), "l"(value) : "memory");
  }
  __device__ Word exchange_if(u64 i, Word seen, Word value) const {
    if constexpr (sizeof(Word) == 4) return atomicCAS(words + i, seen, value);
    else
      return atomicCAS(reinterpret_cast<unsigned long long*>(words) + i, static_cast<unsigned long long>(seen),
                       static_cast<unsigned long long>(value));
  }
  /// Makes a word at most `value`; returns what it was.
  __device__ Word lower(u64 i, Word value) const {
    if constexpr (sizeof(Word) == 4) return atomicMin(words + i, value);
    else return atomicMin(reinterpret_cast<unsigned long long*>(words) + i, static_cast<unsigned long long>(value));
  }
  __device__ Word raise(u64 i, Word value) const {
    static_assert(sizeof(Word) == 8);
    return atomicMax(reinterpret_cast<unsigned long long*>(words) + i, static_cast<unsigned long long>(value));
  }
};

using block_words = words_of_block<u32>;
using device_words = words_of_device<u32>;

/// Counts in device memory that many threads change: each has a sector of the cache.
struct counts_apart {
  static constexpr u32 words_of_each = 8;
  u32* words;

  __device__ void clear(u32 k) const { device_words{words}.store(k * words_of_each, 0); }
  __device__ void add(u32 k, u32 some) const {
    if (some != 0) atomicAdd(words + k * words_of_each, some);
  }
  __device__ void take(u32 k, u32 some) const {
    if (some != 0) atomicSub(words + k * words_of_each, some);
  }
  struct sums {
    u32 before, all;  // of the counts before one of them, and of all
  };
  /// By a warp.
  __device__ sums sum(u32 counts, u32 own) const {
    sums found{0, 0};
    for (u32 first = 0; first < counts; first += 32) {
      const u32 k = first + threadIdx.x % 32, some = k < counts ? device_words{words}.load(k * words_of_each) : 0;
      found.all += some;
      if (k < own) found.before += some;
    }
    return {__reduce_add_sync(~0u, found.before), __reduce_add_sync(~0u, found.all)};
  }
};

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Words that several threads read and write at the same time. Every access is a relaxed atomic one, so that no read is a
// data race; the state space is spelled out because a generic access to shared memory costs several times more.
#pragma once
#include "core/portable.hpp"

namespace skerry {

/// Words in the shared memory of one block.
struct block_words {
  u32* words;
#ifdef SKERRY_CHECK_RACES  // racecheck takes relaxed accesses for plain ones; these it knows
  __device__ u32 load(u32 i) const { return atomicOr(words + i, 0); }
  __device__ void store(u32 i, u32 value) const { atomicExch(words + i, value); }
#else
  __device__ u32 load(u32 i) const {
    u32 value;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address(i)) : "memory");
    return value;
  }
  __device__ void store(u32 i, u32 value) const {
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(address(i)), "r"(value) : "memory");
  }
#endif
  __device__ u32 exchange_if(u32 i, u32 seen, u32 value) const {
    u32 old;
    asm volatile("atom.relaxed.cta.shared.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "r"(address(i)), "r"(seen), "r"(value)
                 : "memory");
    return old;
  }
  __device__ u32 address(u32 i) const { return static_cast<u32>(__cvta_generic_to_shared(words)) + 4 * i; }
};

/// Words in device memory, shared by all blocks of a grid. Reads bypass the first-level cache.
struct device_words {
  u32* words;
  __device__ u32 load(u64 i) const {
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(words + i) : "memory");
    return value;
  }
  __device__ void store(u64 i, u32 value) const {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(words + i), "r"(value) : "memory");
  }
  __device__ u32 exchange_if(u64 i, u32 seen, u32 value) const { return atomicCAS(words + i, seen, value); }
};

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Blocks of a cluster: barriers, and words in the shared memory of any of them. Every access is a relaxed atomic one, as
// in engine/cuda/shared_words.cuh.
#pragma once
#include "core/portable.hpp"

namespace skerry {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ inline void arrive_at_cluster() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
/// The same, but nothing that was written before is shown to others: a fence costs more than the barrier.
__device__ inline void start_in_cluster() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ inline void wait_for_cluster() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

/// The word that lies in block `rank` where `here` lies in this one.
__device__ inline u32 address_in_block(const u32* here, u32 rank) {
  u32 address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(static_cast<u32>(__cvta_generic_to_shared(here))), "r"(rank));
  return address;
}

struct cluster_word {
  u32 address;
  __device__ cluster_word(const u32* here, u32 rank) : address(address_in_block(here, rank)) {}
  __device__ explicit cluster_word(u32 at) : address(at) {}
  /// The k-th word after this one.
  __device__ cluster_word after(u32 k) const { return cluster_word(address + 4 * k); }
  __device__ u32 load() const {
    u32 value;
#ifdef SKERRY_CHECK_RACES
    asm volatile("atom.relaxed.cluster.shared::cluster.or.b32 %0, [%1], 0;" : "=r"(value) : "r"(address) : "memory");
#else
    asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
#endif
    return value;
  }
  __device__ void store(u32 value) const {
#ifdef SKERRY_CHECK_RACES
    u32 old;
    asm volatile("atom.relaxed.cluster.shared::cluster.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(address), "r"(value)
                 : "memory");
#else
    asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
#endif
  }
  __device__ u32 exchange_if(u32 seen, u32 value) const {
    u32 old;
    asm volatile("atom.relaxed.cluster.shared::cluster.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "r"(address), "r"(seen), "r"(value)
                 : "memory");
    return old;
  }
  __device__ void add(u32 value) const {
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  }
  __device__ void lower(u32 value) const {
    asm volatile("red.relaxed.cluster.shared::cluster.min.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  }
  __device__ void raise(u32 value) const {
    asm volatile("red.relaxed.cluster.shared::cluster.max.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  }
};

#else  // no clusters: blocks are alone, and nothing here is called

__device__ inline void arrive_at_cluster() {}
__device__ inline void start_in_cluster() {}
__device__ inline void wait_for_cluster() {}
struct cluster_word {
  __device__ cluster_word(const u32*, u32) {}
  __device__ cluster_word after(u32) const { return *this; }
  __device__ u32 load() const { return 0; }
  __device__ void store(u32) const {}
  __device__ u32 exchange_if(u32, u32) const { return 0; }
  __device__ void add(u32) const {}
  __device__ void lower(u32) const {}
  __device__ void raise(u32) const {}
};

#endif

}  // namespace skerry

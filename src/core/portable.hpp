// SPDX-License-Identifier: Apache-2.0
// What host and device code share. Compiles with g++ or clang++ alone, and with nvcc.
#pragma once
#include <bit>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda/atomic>
#define SKERRY_BOTH __host__ __device__  // callable from the CPU and from the GPU
#define SKERRY_UNROLL _Pragma("unroll")  // of a loop whose arrays are to stay in registers of the GPU
#else
#include <atomic>
#define SKERRY_BOTH
#define SKERRY_UNROLL
#endif

namespace skerry {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// Which threads may touch the same word at the same time.
enum class sharing { one_thread, block, device };

#ifdef __CUDACC__
template <class T, sharing Who>
using atomic_ref =
    ::cuda::atomic_ref<T, Who == sharing::block ? ::cuda::thread_scope_block : ::cuda::thread_scope_device>;
inline constexpr auto relaxed = ::cuda::memory_order_relaxed;
#else
template <class T, sharing>
using atomic_ref = std::atomic_ref<T>;
inline constexpr auto relaxed = std::memory_order_relaxed;
#endif

SKERRY_BOTH inline u32 count_ones(u64 bits) {
#ifdef __CUDA_ARCH__
  return static_cast<u32>(__popcll(bits));
#elif defined(__POPCNT__)
  return static_cast<u32>(std::popcount(bits));
#else
  // Without the instruction std::popcount would be a call.
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  return static_cast<u32>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
#endif
}

/// Of a word that is not 0.
SKERRY_BOTH inline int leading_zeros(u64 bits) {
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(bits));
#else
  return std::countl_zero(bits);
#endif
}

/// The lowest set bit and all bits below it; all bits when none is set.
SKERRY_BOTH inline u64 up_to_lowest_one(u64 bits) { return bits ^ (bits - 1); }

}  // namespace skerry

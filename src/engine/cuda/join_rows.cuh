// SPDX-License-Identifier: Apache-2.0
// How rows of features join on the device: to rows of other threads, and in a warp. All are sums of integers, least and
// largest, so that the order does not matter.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/feature.hpp"
#include "core/real_intensity.hpp"

namespace skerry {

/// Joins to rows that other threads join to at the same time. Loads before min and max of doubles spare most atomics.
struct join_at_once {
  __device__ void sum(u32& a, u32 b) const {
    if (b != 0) atomicAdd(&a, b);
  }
  __device__ void sum(u64& a, u64 b) const {
    if (b != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&a), b);
  }
  __device__ void sum(i64& a, i64 b) const { sum(reinterpret_cast<u64&>(a), static_cast<u64>(b)); }
  __device__ void sum(wide_integer& a, const wide_integer& b) const {
    u64 high = b.high;
    if (b.low != 0) high += atomicAdd(reinterpret_cast<unsigned long long*>(&a.low), b.low) + b.low < b.low;
    if (high != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&a.high), high);
  }
  __device__ void least(i32& a, i32 b) const { atomicMin(&a, b); }
  __device__ void most(i32& a, i32 b) const { atomicMax(&a, b); }
  __device__ void most(u64& a, u64 b) const {
    atomicMax(reinterpret_cast<unsigned long long*>(&a), static_cast<unsigned long long>(b));
  }
  // Doubles are ordered like their bits, -0.0 before 0.0: as signed numbers unless b is negative, then the other way round.
  __device__ void least(double& a, double b) const {
    if (order_of(b) >= order_of(__ldcg(&a))) return;
    const i64 bits = __double_as_longlong(b);
    if (bits >= 0) atomicMin(reinterpret_cast<long long*>(&a), static_cast<long long>(bits));
    else atomicMax(reinterpret_cast<unsigned long long*>(&a), static_cast<unsigned long long>(bits));
  }
  __device__ void most(double& a, double b) const {
    if (order_of(b) <= order_of(__ldcg(&a))) return;
    const i64 bits = __double_as_longlong(b);
    if (bits >= 0) atomicMax(reinterpret_cast<long long*>(&a), static_cast<long long>(bits));
    else atomicMin(reinterpret_cast<unsigned long long*>(&a), static_cast<unsigned long long>(bits));
  }
  __device__ void flags(u64& a, u64 b) const {
    if (b != 0) atomicOr(reinterpret_cast<unsigned long long*>(&a), static_cast<unsigned long long>(b));
  }
};

// A row as the words that a thread moves at once.
template <class Row>
using word_of_row = std::conditional_t<sizeof(Row) % 8 == 0, unsigned long long, u32>;

template <class Row>
inline constexpr u32 words_of_row = sizeof(Row) / sizeof(word_of_row<Row>);

// A row of another thread of the warp; shuffle(word) brings one word of it.
template <class Row, class Shuffle>
__device__ Row shuffled(const Row& row, Shuffle shuffle) {
  Row other;
  const auto* from = reinterpret_cast<const word_of_row<Row>*>(&row);
  auto* to = reinterpret_cast<word_of_row<Row>*>(&other);
#pragma unroll
  for (u32 k = 0; k < words_of_row<Row>; ++k) to[k] = shuffle(from[k]);
  return other;
}
template <class Row>
__device__ Row shuffled_down(const Row& row, int step) {
  return shuffled(row, [&](word_of_row<Row> word) { return __shfl_down_sync(~0u, word, step); });
}
// Of the thread whose number in the warp differs by these bits.
template <class Row>
__device__ Row shuffled_across(const Row& row, int bits) {
  return shuffled(row, [&](word_of_row<Row> word) { return __shfl_xor_sync(~0u, word, bits); });
}

// The words of a row that hold what is least and what is most.
struct extreme_words {
  int begin, end;
};
template <class Row>
inline constexpr extreme_words extremes_of = {0, 0};
template <>
inline constexpr extreme_words extremes_of<geometry> = {offsetof(geometry, min) / 8, sizeof(geometry) / 8};

// The same as join_at_once for one row, of which these words are asked for at once, and before anything is joined: seldom is
// anything to be done about them.
template <class Row>
class join_to_row : public join_at_once {
 public:
  using join_at_once::least;
  using join_at_once::most;
  __device__ explicit join_to_row(Row& row) : row_(&row) {
#pragma unroll
    for (int k = extremes_of<Row>.begin; k < extremes_of<Row>.end; ++k)
      words_[k] = __ldcg(reinterpret_cast<const word_of_row<Row>*>(&row) + k);
  }
  __device__ void least(i32& a, i32 b) const {
    if (b < was(a)) join_at_once::least(a, b);
  }
  __device__ void most(i32& a, i32 b) const {
    if (b > was(a)) join_at_once::most(a, b);
  }

 private:
  template <class T>
  __device__ T was(const T& a) const {
    T value;
    memcpy(&value,
           reinterpret_cast<const char*>(words_) +
               (reinterpret_cast<const char*>(&a) - reinterpret_cast<const char*>(row_)),
           sizeof value);
    return value;
  }

  Row* row_;
  word_of_row<Row> words_[words_of_row<Row>];
};

}  // namespace skerry

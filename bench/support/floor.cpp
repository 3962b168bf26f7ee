// SPDX-License-Identifier: Apache-2.0
#include "support/floor.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "support/floor.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, as Highway asks.
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace skerry::bench::floors::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <bool Streamed>
void widen(const std::uint8_t* HWY_RESTRICT in, std::uint32_t* HWY_RESTRICT out, std::size_t count) {
  const hn::ScalableTag<std::uint32_t> wide;
  const hn::Rebind<std::uint8_t, decltype(wide)> narrow;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::PromoteTo(wide, hn::LoadU(narrow, in + i));
    if constexpr (Streamed) {
      hn::Stream(value, wide, out + i);
    } else {
      hn::StoreU(value, wide, out + i);
    }
  }
  for (; i < count; ++i) out[i] = in[i];
  if constexpr (Streamed) hwy::FlushStream();
}

void widen_plain(const std::uint8_t* in, std::uint32_t* out, std::size_t count) { widen<false>(in, out, count); }
void widen_streamed(const std::uint8_t* in, std::uint32_t* out, std::size_t count) { widen<true>(in, out, count); }

std::uint64_t sum(const std::uint8_t* in, std::size_t count) {
  const hn::ScalableTag<std::uint8_t> bytes;
  const hn::ScalableTag<std::uint64_t> sums;
  const std::size_t lanes = hn::Lanes(bytes);
  auto total_0 = hn::Zero(sums), total_1 = hn::Zero(sums);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    total_0 = hn::Add(total_0, hn::SumsOf8(hn::LoadU(bytes, in + i)));
    total_1 = hn::Add(total_1, hn::SumsOf8(hn::LoadU(bytes, in + i + lanes)));
  }
  std::uint64_t total = hn::GetLane(hn::SumOfLanes(sums, hn::Add(total_0, total_1)));
  for (; i < count; ++i) total += in[i];
  return total;
}

void write_streamed(std::uint8_t* out, std::size_t count) {
  const hn::ScalableTag<std::uint8_t> bytes;
  const std::size_t lanes = hn::Lanes(bytes);
  const auto value = hn::Set(bytes, 0x5A);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::Stream(value, bytes, out + i);
  for (; i < count; ++i) out[i] = 0x5A;
  hwy::FlushStream();
}

}  // namespace skerry::bench::floors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <map>

namespace skerry::bench::floors {
namespace {

HWY_EXPORT(widen_plain);
HWY_EXPORT(widen_streamed);
HWY_EXPORT(sum);
HWY_EXPORT(write_streamed);

// Kept from call to call, as an engine keeps its own.
tbb::task_arena& arena_of(int threads) {
  static std::map<int, tbb::task_arena> arenas;
  return arenas.try_emplace(threads, threads).first->second;
}

// Calls work(begin, end) once per thread, with pieces that start at multiples of 64.
template <class Work>
void each_piece(std::size_t count, int threads, Work work) {
  if (threads == 1) return work(std::size_t{0}, count);
  const std::size_t piece = (count / static_cast<std::size_t>(threads) + 63) / 64 * 64;
  arena_of(threads).execute([&] {
    tbb::parallel_for(0, threads, [&](int k) {
      const std::size_t begin = std::min(count, piece * static_cast<std::size_t>(k));
      work(begin, k + 1 == threads ? count : std::min(count, begin + piece));
    });
  });
}

}  // namespace

void copy_plain(const std::uint8_t* in, std::uint32_t* out, std::size_t count, int threads) {
  each_piece(count, threads, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(widen_plain)(in + begin, out + begin, end - begin);
  });
}

void copy_streamed(const std::uint8_t* in, std::uint32_t* out, std::size_t count, int threads) {
  each_piece(count, threads, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(widen_streamed)(in + begin, out + begin, end - begin);
  });
}

std::uint64_t read(const std::uint8_t* in, std::size_t count, int threads) {
  std::atomic<std::uint64_t> total{0};
  each_piece(count, threads, [&](std::size_t begin, std::size_t end) {
    total.fetch_add(HWY_DYNAMIC_DISPATCH(sum)(in + begin, end - begin), std::memory_order_relaxed);
  });
  return total.load();
}

void write(std::uint8_t* out, std::size_t count, int threads) {
  each_piece(count, threads, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(write_streamed)(out + begin, end - begin);
  });
}

}  // namespace skerry::bench::floors
#endif

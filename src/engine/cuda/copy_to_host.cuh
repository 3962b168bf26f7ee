// SPDX-License-Identifier: Apache-2.0
// Lists on their way from a device to memory of the host that is not pinned: the driver would copy them with one thread. Here they
// go through pinned memory, from which threads of the engine copy them on while more arrives.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <cuda/atomic>
#include <optional>
#include <vector>

#include "core/portable.hpp"
#include "engine/cpu/new_memory.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/cuda/device_memory.cuh"
#include "engine/stop.hpp"

namespace skerry {

/// Bytes of a list that go to the host.
struct list_to_host {
  void* to;
  const void* from;
  std::size_t bytes;
};

/// A list of so many items, for which there is room then.
template <class List>
list_to_host room_for_list(List& list, const void* from, u64 count) {
  resize_in_large_pages(list, count);
  return {list.data(), from, count * sizeof(typename List::value_type)};
}

/// What the engine keeps for copies.
struct copy_scratch {
  pinned_memory halves, told;  // bytes; and the last step that has arrived
  u64 steps = 0;               // begun so far
  cuda_event arrived;

  [[nodiscard]] std::size_t bytes() const { return halves.bytes() + told.bytes(); }
};

namespace to_host {

/// A step is copied at once, and a piece is what a thread copies on; a round is what has its place in one half.
inline constexpr std::size_t bytes_of_piece = std::size_t{1} << 17, most_of_round = std::size_t{1} << 25,
                             steps_of_round = 8;

/// Calls visit(list, first byte of it, bytes) for the bytes [begin, end) of all lists in a row.
template <class Visit>
void each_part(const std::vector<list_to_host>& lists, std::size_t begin, std::size_t end, Visit visit) {
  std::size_t before = 0;
  for (const list_to_host& list : lists) {
    const std::size_t first = std::max(begin, before), last = std::min(end, before + list.bytes);
    if (first < last) visit(list, first - before, last - first);
    before += list.bytes;
  }
}

__global__ inline void tell_kernel(u64* told, u64 step) {
  ::cuda::atomic_ref<u64, ::cuda::thread_scope_system>(*told).store(step, ::cuda::memory_order_release);
}

/// A copy on its way.
class copying {
 public:
  copying(copy_scratch& scratch, const std::vector<list_to_host>& lists, std::size_t bytes, cudaStream_t stream)
      : scratch_(scratch), lists_(lists), bytes_(bytes), stream_(stream) {
    round_ = std::min(bytes, most_of_round);
    step_ = rounded_up(round_ / steps_of_round, bytes_of_piece);
    reserve(bytes_ > round_ ? 2 * round_ : std::bit_ceil(round_));
  }

  /// Nothing is on its way when it ends, however it ends.
  void run(engine::state& on) {
    try {
      copy_all(on);
    } catch (...) {
      cudaStreamSynchronize(stream_);
      throw;
    }
  }

 private:
  void copy_all(engine::state& on) {
    begin(0);
    for (std::size_t at = 0; at < bytes_; at += round_) {
      const u64 step_before = first_step_;
      check_cuda(cudaEventSynchronize(scratch_.arrived), "emit");  // the first step, and whatever comes before it
      begin(at + round_);
      const std::size_t end = std::min(bytes_, at + round_);
      for_each_in_parallel(on, parts_of(end - at, bytes_of_piece), [&](std::size_t piece) {
        wait_for(step_before + piece * bytes_of_piece / step_ + 1);
        copy_on(at + piece * bytes_of_piece, std::min(end, at + (piece + 1) * bytes_of_piece));
      });
    }
  }

  static std::size_t parts_of(std::size_t bytes, std::size_t part) { return (bytes + part - 1) / part; }
  static std::size_t rounded_up(std::size_t bytes, std::size_t part) {
    return std::max<std::size_t>(parts_of(bytes, part), 1) * part;
  }
  [[nodiscard]] std::byte* place(std::size_t at) const {
    return static_cast<std::byte*>(scratch_.halves.data()) + at / round_ % 2 * round_ + at % round_;
  }
  [[nodiscard]] u64* told() const { return static_cast<u64*>(scratch_.told.data()); }

  void reserve(std::size_t bytes) {
    if (told() != nullptr && bytes <= scratch_.halves.bytes()) return;
    scratch_.halves.reserve(bytes, "lists on their way");
    if (told() != nullptr) return;
    scratch_.told.reserve(sizeof(u64), "lists on their way");
    *told() = scratch_.steps = 0;
  }

  /// Enqueues the steps of the round that begins here, if there is one.
  void begin(std::size_t round) {
    first_step_ = scratch_.steps;
    for (std::size_t at = round; at < std::min(bytes_, round + round_); at += step_) {
      const std::size_t end = std::min({bytes_, round + round_, at + step_});
      std::byte* to = place(at);
      each_part(lists_, at, end, [&](const list_to_host& list, std::size_t first, std::size_t count) {
        check_cuda(cudaMemcpyAsync(to, static_cast<const std::byte*>(list.from) + first, count, cudaMemcpyDeviceToHost,
                                   stream_),
                   "emit");
        to += count;
      });
      tell_kernel<<<1, 1, 0, stream_>>>(told(), ++scratch_.steps);
      check_cuda(cudaGetLastError(), "emit");
      if (at == round) check_cuda(cudaEventRecord(scratch_.arrived, stream_), "emit");
    }
  }

  [[nodiscard]] bool has_arrived(u64 step) const {
    return std::atomic_ref<u64>(*told()).load(std::memory_order_acquire) >= step;
  }

  /// Asks the driver only if the step is late: the device may have failed.
  void wait_for(u64 step) const {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds late(1);
    constexpr int looks = 1 << 10;
    std::optional<clock::time_point> since;
    while (!has_arrived(step)) {
      for (int look = 0; look < looks && !has_arrived(step); ++look) {}
      stop_point();
      const clock::time_point now = clock::now();
      if (!since) since = now;
      if (now - *since < late) continue;
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state != cudaErrorNotReady) check_cuda(state, "emit");
      since = now;
    }
  }

  void copy_on(std::size_t begin, std::size_t end) const {
    const std::byte* from = place(begin);
    each_part(lists_, begin, end, [&](const list_to_host& list, std::size_t first, std::size_t count) {
      std::memcpy(static_cast<std::byte*>(list.to) + first, from, count);
      from += count;
    });
  }

  copy_scratch& scratch_;
  const std::vector<list_to_host>& lists_;
  std::size_t bytes_, round_, step_;
  cudaStream_t stream_;
  u64 first_step_ = 0;
};

}  // namespace to_host

/// Copies lists; they are there when it returns.
inline void copy_to_host(engine::state& on, copy_scratch& scratch, const std::vector<list_to_host>& lists,
                         cudaStream_t stream) {
  std::size_t bytes = 0;
  for (const list_to_host& list : lists) bytes += list.bytes;
  if (bytes != 0) to_host::copying(scratch, lists, bytes, stream).run(on);
}

}  // namespace skerry

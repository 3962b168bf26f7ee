// SPDX-License-Identifier: Apache-2.0
// Threads that wait for work, for lanes and for tables: a thread that is made for a call takes longer than a border.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/portable.hpp"

namespace skerry::label_stages {

class crew {
 public:
  crew() = default;
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() {
    ends_ = true;
    for (const auto& each : members_) each->call();
  }

  /// Calls work(0) on this thread and work(1), … on others at the same time, `count` in all. It must not throw.
  void run(std::size_t count, const std::function<void(std::size_t)>& work) {
    while (members_.size() + 1 < count) members_.push_back(std::make_unique<member>(*this, members_.size() + 1));
    work_ = &work;
    left_.store(static_cast<u32>(count - 1), std::memory_order_relaxed);
    for (std::size_t k = 0; k + 1 < count; ++k) members_[k]->call();
    work(0);
    for (u32 left = left_.load(std::memory_order_acquire); left != 0; left = left_.load(std::memory_order_acquire))
      left_.wait(left, std::memory_order_acquire);
  }

 private:
  // One thread. What it reads was written before call(), which releases it.
  class member {
   public:
    member(crew& of, std::size_t number) : thread_([this, &of, number] { serve(of, number); }) {}

    void call() {
      calls_.fetch_add(1, std::memory_order_release);
      calls_.notify_one();
    }

   private:
    void serve(crew& of, std::size_t number) const {
      for (u32 seen = 0;; ++seen) {
        if (seen != 0) look_out_for_more(seen);
        calls_.wait(seen, std::memory_order_acquire);
        if (of.ends_) return;
        (*of.work_)(number);
        if (of.left_.fetch_sub(1, std::memory_order_acq_rel) == 1) of.left_.notify_one();
      }
    }
    // Two passes over slabs follow each other in a fraction of a millisecond; waking a sleeping thread would take half of that.
    void look_out_for_more(u32 seen) const {
      constexpr std::chrono::microseconds span(500);
      constexpr u32 looks = 64;  // before others may have the processor
      const auto end = std::chrono::steady_clock::now() + span;
      for (u32 k = 1; calls_.load(std::memory_order_relaxed) == seen && std::chrono::steady_clock::now() < end; ++k)
        if (k % looks == 0) std::this_thread::yield();
    }
    std::atomic<u32> calls_ = 0;
    std::jthread thread_;  // after what it reads
  };

  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<u32> left_ = 0;
  bool ends_ = false;
  std::vector<std::unique_ptr<member>> members_;  // last: they end before what they read
};

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <mutex>
#include <string_view>
#include <vector>

#include "skerry/engine.hpp"

namespace skerry {

enum class stage { encode, local, merge, resolve, measure, emit };

// Sums the time that threads spend in each stage, when it is on.
class stage_clock {
 public:
  void start(bool on, int threads) {
    on_ = on;
    threads_ = threads;
    times_ = {};
    phases_.clear();
  }
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] const stage_times& times() const { return times_; }

  // Time spent by one of `threads` that share the stage.
  void add(stage which, std::chrono::nanoseconds spent, bool all_threads) {
    const double milliseconds = static_cast<double>(spent.count()) * 1e-6 / (all_threads ? threads_ : 1);
    const std::lock_guard lock(mutex_);
    times_.milliseconds[static_cast<int>(which)] += milliseconds;
  }

  // Phases of a method that has other parts than the six stages, in order. The calling thread runs one after the other;
  // `name` is kept as it is.
  template <class Work>
  void phase(std::string_view name, Work work) {
    if (!on_) return work();
    const auto begin = std::chrono::steady_clock::now();
    work();
    phases_.push_back(
        {name, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count()});
  }
  // One that was measured elsewhere.
  void add_phase(const phase_time& phase) {
    if (on_) phases_.push_back(phase);
  }
  [[nodiscard]] const std::vector<phase_time>& phases() const { return phases_; }

 private:
  bool on_ = false;
  int threads_ = 1;
  stage_times times_;
  std::vector<phase_time> phases_;
  std::mutex mutex_;
};

// Measures one stretch of work in one thread, possibly in many pieces; reports when it goes out of scope.
class stage_timer {
 public:
  enum class by { one_thread, all_threads };
  stage_timer(stage_clock& clock, stage which, by who) : clock_(clock), which_(which), who_(who) {}
  stage_timer(const stage_timer&) = delete;
  stage_timer& operator=(const stage_timer&) = delete;
  ~stage_timer() {
    if (clock_.on()) clock_.add(which_, spent_, who_ == by::all_threads);
  }

  template <class Work>
  void run(Work work) {
    if (!clock_.on()) return work();
    const auto begin = std::chrono::steady_clock::now();
    work();
    spent_ += std::chrono::steady_clock::now() - begin;
  }

 private:
  stage_clock& clock_;
  stage which_;
  by who_;
  std::chrono::nanoseconds spent_{0};
};

}  // namespace skerry

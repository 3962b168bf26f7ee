// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace skerry::cli {

/// What one thread gives another, in order. How much waits is bounded by how many things there are.
template <class Thing>
class handover {
 public:
  void put(Thing thing) {
    {
      const std::lock_guard lock(mutex_);
      things_.push_back(std::move(thing));
    }
    changed_.notify_all();
  }

  /// No more will come; after what waits, take() gives nothing, or throws the error.
  void close(std::exception_ptr error = nullptr) {
    {
      const std::lock_guard lock(mutex_);
      if (!closed_) error_ = std::move(error);
      closed_ = true;
    }
    changed_.notify_all();
  }

  /// Waits for the next one; nothing after the last.
  [[nodiscard]] std::optional<Thing> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !things_.empty(); });
    if (things_.empty() && error_) std::rethrow_exception(error_);
    if (things_.empty()) return {};
    std::optional<Thing> first(std::move(things_.front()));
    things_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Thing> things_;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace skerry::cli

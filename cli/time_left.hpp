// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "cli/console.hpp"

namespace skerry::cli {

/// One line at the bottom of a terminal that says how much of a long work is done and how long the rest will take; nothing
/// elsewhere. It is gone when the object is.
class time_left {
 public:
  /// `total` is the work of each pass.
  time_left(const console& to, bool quiet, std::int64_t total)
      : to_(to), wanted_(to.err_is_terminal && !quiet), total_(total) {}
  time_left(const time_left&) = delete;
  time_left& operator=(const time_left&) = delete;
  ~time_left() { clear(); }

  /// Starts a pass, of which some may have been done before.
  void begin(const std::string& verb, std::int64_t done);
  void show(std::int64_t done);
  /// Makes room for a line of results.
  void clear();

 private:
  const console& to_;
  bool wanted_, visible_ = false;
  std::int64_t total_, begun_at_ = 0;
  std::string verb_;
  std::chrono::steady_clock::time_point begun_, shown_;
};

/// "45 s", "3 min", "2 h 5 min"
[[nodiscard]] std::string text_of_time(double seconds);

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
// Files are read by threads of their own while others are labelled.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cli/pictures.hpp"

namespace skerry::cli {

/// What is read for one step: the picture, and whatever belongs to it.
struct step_input {
  std::vector<picture> pictures;
  double milliseconds = 0;  // of reading

  [[nodiscard]] std::int64_t bytes() const;
};

/// Reads the inputs of steps 0, 1, … in any order and gives them out in that order. What a step gets, and the error that it
/// gets instead, is what a call of `read` in its turn gives: an input whose reading fails ahead is read again in its turn.
class read_ahead {
 public:
  struct rules {
    std::size_t steps = 0;
    int threads = 0;                              // that read ahead; 0 reads all in their turn
    std::int64_t byte_limit = 0;                  // of what has been read and waits, and is being read
    std::function<step_input(std::size_t)> read;  // called by several threads at a time
    /// Bytes that reading is expected to take at least; nothing for an input that has to wait for its turn, such as a pipe.
    std::function<std::optional<std::int64_t>(std::size_t)> expected_bytes;
  };

  explicit read_ahead(rules how);
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;
  /// Waits for the files that are being read.
  ~read_ahead();

  /// The input of a step; steps may be left out, but not be taken twice or backwards. Throws what `read` throws.
  [[nodiscard]] step_input take(std::size_t step);

  /// The most bytes that have waited at a time.
  [[nodiscard]] std::int64_t most_bytes() const { return most_held_; }

 private:
  enum class state : std::uint8_t { untouched, reading, ready, failed };
  struct slot {
    state now = state::untouched;
    std::int64_t held = 0;  // of the limit
    step_input input;
  };

  void work();
  [[nodiscard]] std::optional<std::size_t> claim();
  void keep(std::size_t step, std::optional<step_input> input);
  void hold(slot& of, std::int64_t bytes);
  [[nodiscard]] step_input read_now(std::size_t step) const;

  rules how_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<slot> slots_;
  std::size_t turn_ = 0;  // steps before it are over
  std::size_t next_ = 0;  // to be looked at by claim()
  std::int64_t held_ = 0, most_held_ = 0;
  std::int64_t largest_ = 0;  // input so far
  bool ending_ = false;
  std::vector<std::thread> threads_;  // last: they use the rest
};

}  // namespace skerry::cli

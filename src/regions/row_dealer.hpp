// SPDX-License-Identifier: Apache-2.0
// Deals the rows of an image out to threads: each has an interval of rows and takes blocks from its front; who is done takes the
// rear half of what another has left, as an interval of its own.
#pragma once
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "regions/shares.hpp"

namespace skerry::regions {

class row_dealer {
 public:
  // Rows of these ranges, in blocks of so many rows; up to `more` intervals are split off.
  row_dealer(std::span<const row_range> ranges, i64 rows_of_block, std::size_t more);

  // How many intervals there can be.
  [[nodiscard]] std::size_t intervals() const { return intervals_.size(); }
  // The rows that an interval began with.
  [[nodiscard]] row_range rows_of(std::size_t interval) const { return intervals_[interval].rows; }
  // The next rows of an interval, or no rows.
  [[nodiscard]] row_range take(std::size_t interval);
  // The rear half of the interval with the most blocks; nothing where none has two, or there is no interval left.
  [[nodiscard]] std::optional<std::size_t> split();

 private:
  // Blocks [front, back) of an interval, whose words change at once.
  struct alignas(8) blocks {
    u32 front, back;
    [[nodiscard]] u32 count() const { return back - front; }
  };
  struct alignas(128) interval {
    row_range rows{};
    std::atomic<blocks> left{};
  };
  static_assert(std::atomic<blocks>::is_always_lock_free);

  void begin(std::size_t at, const row_range& rows);
  [[nodiscard]] interval& longest();

  i64 rows_of_block_;
  std::vector<interval> intervals_;
  std::atomic<std::size_t> used_;
};

}  // namespace skerry::regions

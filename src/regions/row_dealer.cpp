// SPDX-License-Identifier: Apache-2.0
#include "regions/row_dealer.hpp"

#include <algorithm>

namespace skerry::regions {

row_dealer::row_dealer(std::span<const row_range> ranges, i64 rows_of_block, std::size_t more)
    : rows_of_block_(rows_of_block), intervals_(ranges.size() + more), used_(ranges.size()) {
  for (std::size_t i = 0; i < ranges.size(); ++i) begin(i, ranges[i]);
}

// Release: who sees the blocks of an interval reads its rows.
void row_dealer::begin(std::size_t at, const row_range& rows) {
  intervals_[at].rows = rows;
  const i64 count = (rows.end - rows.begin + rows_of_block_ - 1) / rows_of_block_;
  intervals_[at].left.store({0, static_cast<u32>(count)}, std::memory_order_release);
}

row_range row_dealer::take(std::size_t at) {
  interval& from = intervals_[at];
  blocks seen = from.left.load(std::memory_order_relaxed);
  while (seen.count() != 0)
    if (from.left.compare_exchange_weak(seen, {seen.front + 1, seen.back}, std::memory_order_relaxed)) {
      const i64 begin = from.rows.begin + seen.front * rows_of_block_;
      return {begin, std::min(begin + rows_of_block_, from.rows.end)};
    }
  return {0, 0};
}

row_dealer::interval& row_dealer::longest() {
  const std::size_t used = std::min(used_.load(), intervals_.size());
  return *std::max_element(intervals_.begin(), intervals_.begin() + static_cast<std::ptrdiff_t>(used),
                           [](const interval& a, const interval& b) {
                             return a.left.load(std::memory_order_relaxed).count() <
                                    b.left.load(std::memory_order_relaxed).count();
                           });
}

std::optional<std::size_t> row_dealer::split() {
  const auto can_split = [](const blocks& left) { return left.count() >= 2; };
  if (used_ >= intervals_.size() || !can_split(longest().left.load())) return {};
  const std::size_t at = used_++;
  if (at >= intervals_.size()) return {};
  for (;;) {
    interval& from = longest();
    blocks seen = from.left.load(std::memory_order_acquire);
    if (!can_split(seen)) return {};
    const u32 middle = seen.back - seen.count() / 2;
    if (!from.left.compare_exchange_strong(seen, {seen.front, middle}, std::memory_order_relaxed)) continue;
    begin(at, {from.rows.begin + middle * rows_of_block_,
               std::min(from.rows.begin + seen.back * rows_of_block_, from.rows.end)});
    return at;
  }
}

}  // namespace skerry::regions

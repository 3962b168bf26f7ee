// SPDX-License-Identifier: Apache-2.0
// Joins shares by merging their slots in ascending order of labels. What one share alone has in between is copied at once.
#pragma once
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "regions/joined_rows.hpp"

namespace skerry::regions {

class list_merge {
 public:
  explicit list_merge(const joined_rows& rows) : rows_(rows) {}

  [[nodiscard]] range_of_labels count(u64 low, u64 high) const {
    range_of_labels found;
    const auto add = [&](std::size_t count, const part_of_region& least) {
      found.count += count;
      found.first_stays = found.first_stays && first_stays_for(least);
    };
    each_region(
        low, high,
        [&](const cursor& c, std::size_t end) {
          add(end - c.at, {c.share, slot_at(c.share, c.at)});
        },
        [&](std::span<const part_of_region> parts) { add(1, parts.front()); });
    return found;
  }

  void write(u64 low, u64 high, std::size_t row) const {
    constexpr std::size_t most = 256, short_stretch = 16;
    std::vector<part_of_region> parts;  // of rows that are not written yet
    std::vector<std::pair<std::size_t, part_of_region>> more;
    const auto write_parts = [&] {
      rows_.copy(row, parts);
      for (const auto& [at, part] : more) rows_.add(at, part);
      row += parts.size();
      parts.clear(), more.clear();
    };
    const auto take = [&](const part_of_region& part) {
      *rows_.labels(row + parts.size()) = rows_.slots(part.share).labels()[part.slot];
      parts.push_back(part);
    };
    each_region(
        low, high,
        [&](const cursor& c, std::size_t end) {
          if (rows_.ascends(c.share) && end - c.at > short_stretch) {
            write_parts();
            rows_.copy(row, c.share, c.at, end);
            row += end - c.at;
            return;
          }
          for (std::size_t i = c.at; i < end; ++i) {
            take({c.share, slot_at(c.share, i)});
            if (parts.size() >= most) write_parts();
          }
        },
        [&](std::span<const part_of_region> of_region) {
          take(of_region.front());
          for (const part_of_region& part : of_region.subspan(1)) more.emplace_back(row + parts.size() - 1, part);
          if (parts.size() >= most) write_parts();
        });
    write_parts();
  }

 private:
  // What is left of a share's slots in a range of labels.
  struct cursor {
    u32 share;
    std::size_t at, end;
  };

  // Calls alone(cursor, end) for stretches of labels in [low, high] that no other share has in between, and together(parts) for
  // a label of several shares, in ascending order of labels.
  template <class Alone, class Together>
  void each_region(u64 low, u64 high, Alone alone, Together together) const {
    std::vector<cursor> cursors;
    for (u32 s = 0; s < rows_.shares(); ++s) {
      const std::size_t all = rows_.slots(s).labels().size();
      const std::size_t first = first_not_below(s, 0, all, low);
      const std::size_t last = high == ~u64{0} ? all : first_not_below(s, first, all, high + 1);
      if (first != last) cursors.push_back({s, first, last});
    }
    std::vector<part_of_region> parts;
    for (std::size_t turn = 0; !cursors.empty(); ++turn) {
      stop_point(turn);
      std::size_t least = 0;
      u64 label = ~u64{0}, next = ~u64{0};  // the two smallest of the cursors
      for (std::size_t c = 0; c < cursors.size(); ++c) {
        const u64 own = order_at(cursors[c].share, cursors[c].at);
        if (own < label) next = std::exchange(label, own), least = c;
        else next = std::min(next, own);
      }
      if (cursors.size() == 1 || label < next) {
        cursor& c = cursors[least];
        const std::size_t end = cursors.size() == 1 ? c.end : end_of_stretch(c, next);
        alone(c, end);
        c.at = end;
      } else {
        parts.clear();
        for (cursor& c : cursors)
          if (order_at(c.share, c.at) == label) parts.push_back({c.share, slot_at(c.share, c.at++)});
        together(parts);
      }
      std::erase_if(cursors, [](const cursor& c) { return c.at == c.end; });
    }
  }

  // Whether a region leaves the rows of the first share, if these ascend, where they are: it is one of them, or behind.
  [[nodiscard]] bool first_stays_for(const part_of_region& part) const {
    const std::vector<label_bits>& first = rows_.slots(0).labels();
    if (part.share == 0) return rows_.ascends(0);
    return rows_.ascends(0) &&
           (first.empty() || rows_.order(first.back()) < rows_.order(rows_.slots(part.share).labels()[part.slot]));
  }

  [[nodiscard]] u32 slot_at(std::size_t share, std::size_t at) const {
    return rows_.ascends(share) ? static_cast<u32>(at) : rows_.ascending(share)[at];
  }
  [[nodiscard]] u64 order_at(std::size_t share, std::size_t at) const {
    return rows_.order(rows_.slots(share).labels()[slot_at(share, at)]);
  }

  // The first of [begin, end) that has this label or a larger one; or `end`.
  [[nodiscard]] std::size_t first_not_below(std::size_t share, std::size_t begin, std::size_t end, u64 label) const {
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (order_at(share, middle) < label) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }

  // The same for a stretch that is mostly short or all.
  [[nodiscard]] std::size_t end_of_stretch(const cursor& c, u64 label) const {
    std::size_t reach = 1;
    while (reach < c.end - c.at && order_at(c.share, c.at + reach) < label) reach *= 2;
    return first_not_below(c.share, c.at + reach / 2, std::min(c.at + reach, c.end), label);
  }

  const joined_rows& rows_;
};

}  // namespace skerry::regions

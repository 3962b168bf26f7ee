// SPDX-License-Identifier: Apache-2.0
// Joins shares with small labels in any order: a walk along their tables of slots, a stretch of labels at a time. Whose a label is
// cannot be foreseen, so nothing branches on it but where several shares have it.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "regions/joined_rows.hpp"

namespace skerry::regions {

class table_walk {
 public:
  explicit table_walk(const joined_rows& rows) : rows_(rows) {
    for (u32 s = 0; s < rows.shares(); ++s)
      if (!rows.slots(s).labels().empty()) filled_.push_back(s), end_ = std::max(end_, rows.slots(s).end_of_small());
  }

  [[nodiscard]] range_of_labels count(u64 low, u64 high) const {
    if (filled_.size() == 1 && low == 0 && high == ~u64{0})
      return {rows_.slots(filled_.front()).labels().size(), filled_.front() == 0 && rows_.ascends(0)};
    range_of_labels counted{.first_stays = rows_.ascends(0)};
    const std::vector<label_bits>& first = rows_.slots(0).labels();
    const u64 end_of_first = first.empty() ? 0 : first.back();  // below, it must have all labels if it is to stay
    each_stretch(low, high, [&](label_bits begin, const stretch& found, std::size_t size) {
      u32 count = 0, before = 0;
      const auto below = static_cast<std::size_t>(begin < end_of_first ? std::min<u64>(size, end_of_first - begin) : 0);
      for (std::size_t i = 0; i < size; ++i) count += found.slot[i] == label_slots::none ? 0 : 1;
      for (std::size_t i = 0; i < below; ++i) before |= found.share[i];
      counted.count += count;
      counted.first_stays = counted.first_stays && before == 0;
    });
    return counted;
  }

  void write(u64 low, u64 high, std::size_t row) const {
    std::array<part_of_region, most> parts;
    std::array<label_bits, most> label_of;
    std::array<u32, most> place;
    std::vector<std::pair<std::size_t, part_of_region>> more;
    each_stretch(
        low, high,
        [&](label_bits begin, const stretch& found, std::size_t size) {
          u32 count = 0;
          for (std::size_t i = 0; i < size; ++i) {
            parts[count] = {found.share[i], found.slot[i]};
            place[i] = count;
            label_of[count] = begin + i;
            count += found.slot[i] == label_slots::none ? 0 : 1;
          }
          std::copy_n(label_of.begin(), count, rows_.labels(row));
          rows_.copy(row, std::span(parts).first(count));
          for (const auto& [at, part] : more) rows_.add(row + place[at], part);
          more.clear();
          row += count;
        },
        [&](std::size_t at, const part_of_region& part) { more.emplace_back(at, part); });
  }

 private:
  static constexpr std::size_t most = 256;

  // For each of some labels the first share that has it, and its slot there; `none` where there is no share.
  struct stretch {
    std::array<u32, most> share, slot;
  };

  template <class Visit, class Again>
  void each_stretch(u64 low, u64 high, Visit visit, Again again) const {
    const u64 zero = rows_.order(0);
    if (high < zero) return;
    const u64 end = std::min(end_, high - zero + (high == ~u64{0} ? 0 : 1));
    stretch found;
    for (label_bits begin = low < zero ? 0 : low - zero; begin < end; begin += most) {
      stop_point();
      const auto size = static_cast<std::size_t>(std::min<u64>(most, end - begin));
      found.slot.fill(label_slots::none);
      found.share.fill(0);
      for (const u32 s : filled_) {
        const u32* const slots = rows_.slots(s).small_from(begin);
        const u32 origin = rows_.slots(s).origin();
        u32 twice = 0;
        for (std::size_t i = 0; i < size; ++i) {
          const u32 is_here = slots[i] < origin ? 0 : ~u32{0},
                    is_new = found.slot[i] == label_slots::none ? is_here : 0;
          twice |= is_here & ~is_new;
          found.slot[i] = (is_new & (slots[i] - origin)) | (~is_new & found.slot[i]);
          found.share[i] = (is_new & s) | (~is_new & found.share[i]);
        }
        if (twice != 0)
          for (std::size_t i = 0; i < size; ++i)
            if (slots[i] >= origin && found.share[i] != s) again(i, {s, slots[i] - origin});
      }
      visit(begin, found, size);
    }
  }
  template <class Visit>
  void each_stretch(u64 low, u64 high, Visit visit) const {
    each_stretch(low, high, visit, [](std::size_t, const part_of_region&) {});
  }

  const joined_rows& rows_;
  std::vector<u32> filled_;  // shares with labels
  u64 end_ = 0;              // labels are below
};

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// The table that joins those of shares, and the rows that are written there.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "core/label_type.hpp"
#include "engine/cpu/new_memory.hpp"
#include "engine/stop.hpp"
#include "regions/measure.hpp"

namespace skerry::regions {

// Where a region, or a part of it, has its row.
struct part_of_region {
  u32 share, slot;
};

// What a range of labels has.
struct alignas(64) range_of_labels {
  std::size_t count = 0;
  bool first_stays = true;  // rows of the first share are those at the front of the table
};

class joined_rows {
 public:
  joined_rows(const region_request& asked, std::span<const measured_share> shares, region_table& table)
      : asked_(asked), shares_(shares), table_(table), signed_(is_signed_label_type(asked.labels.type)) {}

  [[nodiscard]] std::size_t shares() const { return shares_.size(); }
  [[nodiscard]] const label_slots& slots(std::size_t share) const { return shares_[share].slots; }
  // Labels of a share ascend with its slots.
  [[nodiscard]] bool ascends(std::size_t share) const { return slots(share).ascend(signed_); }
  [[nodiscard]] std::span<const u32> ascending(std::size_t share) const { return shares_[share].ascending; }
  [[nodiscard]] u64 order(label_bits label) const { return order_of_label(label, signed_); }
  [[nodiscard]] bool is_there(std::size_t share) const { return share == 0 && first_stays_; }

  // Makes room for so many rows, where those of the first share may stay.
  void resize(std::size_t rows, measured_share* first) {
    first_stays_ = first != nullptr;
    resize_in_large_pages(table_.labels, rows);
    each_wanted_group(asked_, [&]<class Group>(Group, std::size_t t) {
      auto& to = table_of(table_, t).*Group::rows;
      if (first_stays_) to.swap(table_of(*first, t).*Group::rows);
      resize_in_large_pages(to, rows, first_stays_);
    });
  }

  [[nodiscard]] label_bits* labels(std::size_t row) const { return table_.labels.data() + row; }

  // Writes rows of a share whose labels ascend, slots [begin, end), from `row` on.
  void copy(std::size_t row, std::size_t share, std::size_t begin, std::size_t end) const {
    in_stretches(begin, end, [&](std::size_t first, std::size_t last) {
      std::copy(slots(share).labels().data() + first, slots(share).labels().data() + last, labels(row + first - begin));
      if (is_there(share)) return;
      each_group([&](const auto& rows_of, auto* to) {
        const auto* const from = rows_of(share);
        std::copy(from + first, from + last, to + row + first - begin);
      });
    });
  }

  // Writes rows, but not their labels, from `row` on. Those that lie in no order are asked for ahead: else a processor waits for
  // three or four of them at a time.
  void copy(std::size_t row, std::span<const part_of_region> parts) const {
    constexpr std::size_t ahead = 32;
    each_group([&](const auto& rows_of, auto* to) {
      const auto row_of = [&](const part_of_region& part) { return rows_of(part.share) + part.slot; };
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i + ahead < parts.size() && !is_there(parts[i + ahead].share)) {
          __builtin_prefetch(row_of(parts[i + ahead]));
          __builtin_prefetch(reinterpret_cast<const std::byte*>(row_of(parts[i + ahead]) + 1) - 1);
        }
        if (!is_there(parts[i].share)) to[row + i] = *row_of(parts[i]);
      }
    });
  }

  // Adds another part to a row.
  void add(std::size_t row, const part_of_region& part) const {
    each_group([&](const auto& rows_of, auto* to) { join(to[row], rows_of(part.share)[part.slot], join_alone()); });
  }

 private:
  // Calls visit(rows_of, rows) for each group of features; rows_of(share) are the rows of a share.
  template <class Visit>
  void each_group(Visit visit) const {
    each_wanted_group(asked_, [&]<class Group>(Group, std::size_t t) {
      visit([&](std::size_t share) { return (table_of(shares_[share], t).*Group::rows).data(); },
            (table_of(table_, t).*Group::rows).data());
    });
  }

  const region_request& asked_;
  std::span<const measured_share> shares_;
  region_table& table_;
  bool signed_, first_stays_ = false;
};

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// Every region gets a number, before its pixels are looked at.
#pragma once
#include <vector>

#include "engine/engine_state.hpp"
#include "regions/label_slots.hpp"
#include "regions/row_groups.hpp"
#include "regions/shares.hpp"
#include "skerry/relabel.hpp"

namespace skerry::regions {

class region_numbers {
 public:
  static constexpr u32 none = label_slots::none;

  // The regions of an image, numbered in an order: found on all threads, each in a share of the rows.
  region_numbers(engine::state& on, const image_view& labels, const background& rule, region_order order);
  // These labels in the order in which they are first named, of an image of so many pixels.
  region_numbers(const std::vector<label_bits>& named, i64 pixels);

  // The number of a label, from 0 on, or `none`.
  [[nodiscard]] u32 find(label_bits label) const {
    const u32 slot = slots_.find(label);
    return slot == none || number_.empty() ? slot : number_[slot];
  }
  // Labels by number.
  [[nodiscard]] std::vector<label_bits> labels() const;
  [[nodiscard]] std::size_t size() const { return slots_.labels().size(); }

 private:
  label_slots slots_;
  std::vector<u32> number_;  // of each slot; empty when slots are the numbers
};

// Calls visit(run, number) for the runs of all rows of a range whose labels have numbers and are no background.
template <class Visit>
void each_numbered_run(const image_view& labels, const background& rule, const region_numbers& numbers,
                       const row_range& rows, Visit visit) {
  with_label_type(labels.type, [&]<class Label>(label_type<Label>) {
    const background_test<Label> is_background(rule);
    each_row_group<Label>(labels, rows.begin, rows.end, [&](const row_group<Label>& group) {
      for (std::size_t i = 0; i < group.count; ++i) {
        const Label label = group.label_of(i);
        if (is_background(label)) continue;
        const u32 number = numbers.find(bits_of(label));
        if (number != region_numbers::none) visit(group.place_of(i), number);
      }
    });
  });
}

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// Every region gets a number, before its pixels are looked at.
#pragma once
#include <vector>

#include "core/function_ref.hpp"
#include "engine/engine_state.hpp"
#include "regions/label_slots.hpp"
#include "regions/region_runs.hpp"
#include "regions/shares.hpp"
#include "skerry/relabel.hpp"

namespace skerry::regions {

class region_numbers {
 public:
  static constexpr u32 none = label_slots::none;

  // The regions of an image, numbered in an order: found on all threads, each in a share of the rows.
  region_numbers(engine::state& on, const image_view& labels, const background& rule, region_order order);
  // These labels in the order in which they are first named, for a label image.
  region_numbers(const std::vector<label_bits>& named, const image_view& labels);

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

// Calls visit(runs) for the groups of the rows of a range, in order; labels without a number are left out.
void each_numbered_group(const image_view& labels, const background& rule, const region_numbers& numbers,
                         const row_range& rows, function_ref<void(const region_runs&)> visit);

// Calls visit(run, number) for each of their runs.
template <class Visit>
void each_numbered_run(const image_view& labels, const background& rule, const region_numbers& numbers,
                       const row_range& rows, Visit visit) {
  each_numbered_group(labels, rule, numbers, rows, [&](const region_runs& group) { group.each(visit); });
}

}  // namespace skerry::regions

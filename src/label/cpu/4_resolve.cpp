// SPDX-License-Identifier: Apache-2.0
// Stage 4, CPU: components become labels 1..n in raster order.
//
// A component is numbered by its first run, so components of a strip, and strips one after the other, are in raster order
// already: labels are the components counted on, without the guests, which belong to components of earlier strips or of
// their own. Only components at a border can be guests, so all but few are numbered in one sweep, in parallel.
//
// Reads   parent of each component at a border
// Writes  label of each component, in the same place; guests of each strip
#include <algorithm>
#include <numeric>

#include "core/union_find.hpp"
#include "label/cpu/stages.hpp"

namespace skerry::label_stages {

void find_guests(strip& s, i64 reach, u32* parent) {
  const union_find<u32, sharing::device> sets(parent);
  std::vector<strip::guest>& guests = s.guests;
  guests.clear();
  const u32 of_first_rows = each_border_component(s, reach, [&](u32 c) {
    const u32 component = static_cast<u32>(s.first_component + c), root = sets.find(component);
    if (root != component) guests.push_back({component, root});
  });
  const auto others = std::partition_point(guests.begin(), guests.end(), [&](const strip::guest& guest) {
    return guest.component < s.first_component + of_first_rows;
  });
  std::sort(others, guests.end(),
            [](const strip::guest& a, const strip::guest& b) { return a.component < b.component; });
  guests.erase(std::unique(others, guests.end()), guests.end());
}

void number(const strip& s, u64 first_label, u64 first_guest_label, u32* label) {
  u64 next = s.first_component, next_label = first_label, next_guest_label = first_guest_label;
  const auto number_roots = [&](u64 end) {
    std::iota(label + next, label + end, static_cast<u32>(next_label));
    next_label += end - next;
    next = end;
  };
  for (const strip::guest& guest : s.guests) {
    number_roots(guest.component);
    label[next++] = static_cast<u32>(next_guest_label++);
  }
  number_roots(s.first_component + s.components);
}

void settle(const strip& s, u32* label) {
  for (const strip::guest& guest : s.guests) label[guest.component] = label[guest.root];
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
#include "track/sort_by_id.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/portable.hpp"

namespace skerry::track_steps {

void sort_by_id(std::vector<track_event>& events, std::vector<track_event>& scratch) {
  constexpr std::size_t most_compared = 256;
  constexpr int digit_bits = 10;
  constexpr u32 digits = 1 << digit_bits;
  const auto by_id = [](const track_event& a, const track_event& b) { return a.id < b.id; };
  if (events.size() <= most_compared) {
    std::sort(events.begin(), events.end(), by_id);
    return;
  }
  const auto [least, most] = std::minmax_element(events.begin(), events.end(), by_id);
  const u32 first = least->id;
  const int bits = static_cast<int>(std::bit_width(most->id - first));
  scratch.resize(events.size());
  for (int shift = 0; shift < bits; shift += digit_bits) {
    const auto digit = [&](const track_event& event) { return (event.id - first) >> shift & (digits - 1); };
    std::array<std::size_t, digits + 1> begin{};
    for (const track_event& event : events) ++begin[digit(event) + 1];
    for (u32 k = 0; k < digits; ++k) begin[k + 1] += begin[k];
    for (const track_event& event : events) scratch[begin[digit(event)]++] = event;
    events.swap(scratch);
  }
}

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
#include "track/links.hpp"

#include <algorithm>

namespace skerry::track_steps {
namespace {

constexpr std::size_t least_places = 256;

}  // namespace

void link_table::clear() {
  links_.clear();
  std::fill(places_.begin(), places_.end(), 0);
}

std::size_t link_table::place_of(u32 component, u32 carrier) const {
  const u64 pair = static_cast<u64>(component) << 32 | carrier;
  std::size_t at = static_cast<std::size_t>(pair * 0x9e3779b97f4a7c15ULL >> shift_);  // Fibonacci hashing
  for (; places_[at] != 0; at = (at + 1) & (places_.size() - 1)) {
    const link& taken = links_[places_[at] - 1];
    if (taken.component == component && taken.carrier == carrier) break;
  }
  return at;
}

void link_table::grow() {
  const std::size_t count = std::max(least_places, 2 * places_.size());
  places_.assign(count, 0);
  shift_ = 64;
  for (std::size_t left = count; left > 1; left /= 2) --shift_;
  for (std::size_t i = 0; i < links_.size(); ++i)
    places_[place_of(links_[i].component, links_[i].carrier)] = static_cast<u32>(i) + 1;
}

void link_table::add(u32 component, u32 carrier, u32 pixels) {
  if (2 * (links_.size() + 1) > places_.size()) grow();
  const std::size_t at = place_of(component, carrier);
  if (places_[at] != 0) {
    links_[places_[at] - 1].overlap += pixels;
    return;
  }
  links_.push_back({component, carrier, pixels, 1});
  places_[at] = static_cast<u32>(links_.size());
}

void add_overlaps(const std::vector<labelled_run>& now, const std::vector<labelled_run>& before, link_table& to) {
  auto a = now.begin(), b = before.begin();
  while (a != now.end() && b != before.end()) {
    if (a->row != b->row) {
      a->row < b->row ? ++a : ++b;
      continue;
    }
    const i32 begin = std::max(a->begin, b->begin), end = std::min(a->end, b->end);
    if (begin < end)
      to.add(static_cast<u32>(a->label - 1), static_cast<u32>(b->label - 1), static_cast<u32>(end - begin));
    a->end < b->end ? ++a : ++b;
  }
}

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
#include "features/stored_sums.hpp"

#include <algorithm>
#include <iterator>

#include "core/exact_number.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"

namespace skerry::features {
namespace {

void add_number(u64* to, const u64* from, u32 words) {
  u64 carry = 0;
  for (u32 k = 0; k < words; ++k) {
    const unsigned_wide part = static_cast<unsigned_wide>(to[k]) + from[k] + carry;
    to[k] = static_cast<u64>(part);
    carry = static_cast<u64>(part >> 64);
  }
}

void add_sums(stored_sums& to, const stored_sums& from, const std::vector<u32>& rows) {
  const std::size_t words = std::size_t{from.numbers} * from.words;
  for (std::size_t region = 0; words != 0 && region < rows.size(); ++region) {
    stop_point(region);
    for (std::size_t k = 0; k < words; k += from.words)
      add_number(to.sums.data() + rows[region] * words + k, from.sums.data() + region * words + k, from.words);
  }
}

void add_anchors(stored_sums& to, const stored_sums& from, const std::vector<u32>& rows) {
  for (std::size_t region = 0; region < from.anchors.size(); ++region) {
    const sums_anchor& anchor = from.anchors[region];
    sums_anchor& known = to.anchors[rows[region]];
    if (!anchor.is_set()) continue;
    if (known.is_set() && known != anchor)
      refuse("join: pieces were measured with different tables as `known`; give the table of all blocks to each");
    known = anchor;
  }
}

// Items of both lists, in order, with the rows of the joined list.
template <class Item>
std::vector<Item> merged(const std::vector<Item>& a, const std::vector<Item>& b, const joined_rows& rows) {
  const auto with_rows = [](std::vector<Item> items, const std::vector<u32>& of) {
    for (Item& item : items) item.region = of[item.region];
    return items;
  };
  const std::vector<Item> first = with_rows(a, rows.first), second = with_rows(b, rows.second);
  std::vector<Item> all;
  all.reserve(a.size() + b.size());
  std::merge(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(all));
  return all;
}

// Makes one of neighbours in a list for which unite(item, next) is true, which changes the item.
template <class Item, class Unite>
void unite_neighbours(std::vector<Item>& items, Unite unite) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    stop_point(i);
    if (kept != 0 && unite(items[kept - 1], items[i])) continue;
    items[kept++] = items[i];
  }
  items.resize(kept);
}

void unite_stretches(std::vector<stored_stretch>& stretches, bool spans) {
  unite_neighbours(stretches, [&](stored_stretch& item, const stored_stretch& next) {
    const bool together = item.region == next.region && item.row == next.row && (spans || item.end == next.begin);
    if (together) item.end = std::max(item.end, next.end);
    return together;
  });
}

}  // namespace

u64 stored_sums::memory() const {
  const auto bytes = [](const auto& list) { return u64{list.capacity()} * sizeof(list[0]); };
  return bytes(sums) + bytes(anchors) + bytes(stretches) + bytes(values);
}

void settle(std::vector<stored_stretch>& stretches, bool spans) {
  std::sort(stretches.begin(), stretches.end());
  unite_stretches(stretches, spans);
}

stored_sums joined(const stored_sums& a, const stored_sums& b, const joined_rows& rows) {
  if (rows.first.empty()) return b;
  if (rows.second.empty()) return a;
  stored_sums to;
  to.numbers = a.numbers;
  to.words = a.words;
  to.spans = a.spans;
  to.sums.resize(rows.count * to.numbers * to.words);
  add_sums(to, a, rows.first);
  add_sums(to, b, rows.second);
  if (!a.anchors.empty()) to.anchors.resize(rows.count);
  add_anchors(to, a, rows.first);
  add_anchors(to, b, rows.second);
  to.stretches = merged(a.stretches, b.stretches, rows);
  unite_stretches(to.stretches, to.spans != 0);
  to.values = merged(a.values, b.values, rows);
  unite_neighbours(to.values, [](regions::value_count& item, const regions::value_count& next) {
    if (item < next) return false;
    item.count += next.count;
    return true;
  });
  return to;
}

}  // namespace skerry::features

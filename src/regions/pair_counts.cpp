// SPDX-License-Identifier: Apache-2.0
#include "regions/pair_counts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/cpu/new_memory.hpp"
#include "engine/stop.hpp"

namespace skerry::regions {
namespace {

bool by_pair(const pair_count& a, const pair_count& b) { return a.pair < b.pair; }

// The steps of SplitMix64's mixer, over both labels.
u64 hash_of(const label_pair& pair) {
  u64 h = pair.first * 0x9e3779b97f4a7c15 + static_cast<u64>(pair.kind);
  h = (h ^ (h >> 30) ^ pair.second) * 0xbf58476d1ce4e5b9;
  h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
  return h ^ (h >> 31);
}

// Adds the rows of equal pairs up, which follow each other.
void add_up_equal(std::vector<pair_count>& rows) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    stop_point(i);
    if (kept == 0 || rows[kept - 1].pair != rows[i].pair) {
      rows[kept++] = rows[i];
      continue;
    }
    for (std::size_t c = 0; c < rows[i].counts.size(); ++c) rows[kept - 1].counts[c] += rows[i].counts[c];
  }
  rows.resize(kept);
}

std::vector<pair_count> joined(std::vector<pair_count> a, std::vector<pair_count> b) {
  if (b.empty()) return a;
  std::vector<pair_count> both;
  reserve_in_large_pages(both, a.size() + b.size());
  std::size_t compared = 0;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both), with_stop_points(compared, by_pair));
  add_up_equal(both);
  return both;
}

}  // namespace

std::size_t pair_counts::place_of(const label_pair& pair) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash_of(pair) & mask;
  while (places_[place] != 0 && rows_[places_[place] - 1].pair != pair) place = (place + 1) & mask;
  return place;
}

std::size_t pair_counts::row_of(const label_pair& pair) {
  if (2 * rows_.size() >= places_.size()) grow();
  u64& row = places_[place_of(pair)];
  if (row == 0) {
    push_back_stoppably(rows_, pair_count{pair, {}});
    row = rows_.size();
  }
  return row - 1;
}

void pair_counts::grow() {
  constexpr std::size_t least = 64;
  const std::size_t places = std::max(least, 2 * places_.size());
  places_ = {};
  reserve_in_large_pages(places_, places);
  in_stretches(0, places, [&](std::size_t, std::size_t last) { places_.resize(last); });
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    stop_point(i);
    places_[place_of(rows_[i].pair)] = i + 1;
  }
}

std::vector<pair_count> pair_counts::take_sorted() {
  places_ = {};
  last_ = 0;
  std::vector<pair_count> rows = std::exchange(rows_, {});
  std::size_t compared = 0;
  std::sort(rows.begin(), rows.end(), with_stop_points(compared, by_pair));
  return rows;
}

std::vector<pair_count> join_sorted(std::vector<std::vector<pair_count>>&& tables) {
  if (tables.empty()) return {};
  for (std::size_t step = 1; step < tables.size(); step *= 2)
    for (std::size_t i = 0; i + step < tables.size(); i += 2 * step)
      tables[i] = joined(std::move(tables[i]), std::move(tables[i + step]));
  return std::move(tables.front());
}

}  // namespace skerry::regions

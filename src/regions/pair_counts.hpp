// SPDX-License-Identifier: Apache-2.0
// Counts for pairs of labels: a hash table that remembers the last pair, since borders come in stretches.
#pragma once
#include <array>
#include <vector>

#include "core/portable.hpp"

namespace skerry::regions {

// What a region touches.
enum class neighbour : u8 { region, background, outside };

// Which count of a pair: of faces, by the axis across which they are, of edges, or of corners.
enum class meeting : u8 { face_z, face_y, face_x, edge, corner };

struct label_pair {
  u64 first = 0, second = 0;  // in the order of labels, first < second; `second` is 0 unless it is a region
  neighbour kind = neighbour::region;
  friend constexpr auto operator<=>(const label_pair&, const label_pair&) = default;  // NOLINT: it has no pointer
};

struct pair_count {
  label_pair pair;
  std::array<u64, 5> counts = {};

  [[nodiscard]] u64 of(meeting how) const { return counts[static_cast<std::size_t>(how)]; }
};

class pair_counts {
 public:
  void add(const label_pair& pair, meeting how, u64 count) {
    if (rows_.empty() || rows_[last_].pair != pair) last_ = row_of(pair);
    rows_[last_].counts[static_cast<std::size_t>(how)] += count;
  }

  // The rows by pair; the table is empty afterwards.
  [[nodiscard]] std::vector<pair_count> take_sorted();

 private:
  std::size_t row_of(const label_pair& pair);
  void grow();
  [[nodiscard]] std::size_t place_of(const label_pair& pair) const;

  std::vector<pair_count> rows_;
  std::vector<u64> places_;  // row + 1, or 0; a power of two, or nothing
  std::size_t last_ = 0;
};

// One sorted table of several, which are used up.
[[nodiscard]] std::vector<pair_count> join_sorted(std::vector<std::vector<pair_count>>&& tables);

}  // namespace skerry::regions

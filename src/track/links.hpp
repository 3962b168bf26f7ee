// SPDX-License-Identifier: Apache-2.0
// Which components share pixels with what carries an id, and how many. A few links per component: a table of the pairs
// that there are, not of those that there could be.
#pragma once
#include <vector>

#include "core/portable.hpp"
#include "skerry/label.hpp"

namespace skerry::track_steps {

// Components and carriers are counted from 0.
struct link {
  u32 component, carrier;
  u32 overlap;  // pixels
  u32 whole;    // the score is overlap / whole: 1, or the pixels of the union
};

// Whether the score of a is above, equal or below that of b: > 0, 0, < 0. Exact, since frames have fewer than 2^31
// pixels.
[[nodiscard]] inline int compare_scores(const link& a, const link& b) {
  const u64 left = static_cast<u64>(a.overlap) * b.whole, right = static_cast<u64>(b.overlap) * a.whole;
  return left > right ? 1 : left < right ? -1 : 0;
}

// Links in the order of their first pixels, found by hashing the pair.
class link_table {
 public:
  void clear();
  void add(u32 component, u32 carrier, u32 pixels);
  [[nodiscard]] std::vector<link>& links() { return links_; }

 private:
  [[nodiscard]] std::size_t place_of(u32 component, u32 carrier) const;
  void grow();

  std::vector<link> links_;
  std::vector<u32> places_;  // number of the link + 1, or 0; a power of two of them, at most half of them taken
  int shift_ = 64;           // hash bits that are too many
};

// Adds the overlaps of two lists of runs in raster order, each without overlaps of its own. Labels count from 1.
void add_overlaps(const std::vector<labelled_run>& now, const std::vector<labelled_run>& before, link_table& to);

}  // namespace skerry::track_steps

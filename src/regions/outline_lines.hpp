// SPDX-License-Identifier: Apache-2.0
// A sweep along the line between two groups of rows, which stops at each corner where a run begins.
#pragma once
#include <algorithm>

#include "regions/outline_runs.hpp"

namespace skerry::regions {

// A run, and its number in the image; those outside have none that is used.
struct numbered_run {
  const outline_run* run;
  u64 number;
};

// The four runs around a corner, clockwise from above left. Between two of them lies one of the four ways of a corner: way 0 goes
// up, between 0 and 1; way 1 right; way 2 down; way 3 left. An outline that comes in by way w has its region at w, and it turns
// left into way w + 1, goes straight on into w + 2, or turns right into w + 3.
struct meeting_runs {
  numbered_run at[4];

  [[nodiscard]] bool same(int i, int j) const { return same_region(*at[i & 3].run, *at[j & 3].run); }
  [[nodiscard]] bool comes_in_by(int way) const { return at[way].run->is_region && !same(way, way + 1); }
};

// The runs of a group, or beyond the image's first and last row a run that is outside.
struct group_runs {
  const outline_run* runs;
  u64 first;
};

class line_sweep {
 public:
  explicit line_sweep(const outline_runs& image)
      : image_(image), outside_{{0, 0, false}, {0, image.runs.back().begin, false}} {}

  // Calls visit(x, corner) for each corner at which a run begins or ends, on the line above a group, from left to right.
  template <class Visit>
  void each_corner(std::size_t group, Visit visit) const {
    group_runs above = group == 0 ? beyond() : runs_of(group - 1);
    group_runs below = group == image_.groups() ? beyond() : runs_of(group);
    const u32 width = outside_[1].begin;
    const numbered_run outside{&outside_[0], 0};
    meeting_runs corner{{outside, {above.runs, above.first}, {below.runs, below.first}, outside}};
    visit(0, corner);
    for (u32 x = 0; x < width;) {
      x = std::min(above.runs[1].begin, below.runs[1].begin);
      corner.at[0] = corner.at[1];
      corner.at[3] = corner.at[2];
      if (above.runs[1].begin == x) ++above.runs, ++above.first;
      if (below.runs[1].begin == x) ++below.runs, ++below.first;
      corner.at[1] = {above.runs, above.first};
      corner.at[2] = {below.runs, below.first};
      visit(x, corner);
    }
  }

 private:
  [[nodiscard]] group_runs beyond() const { return {outside_, 0}; }
  [[nodiscard]] group_runs runs_of(std::size_t group) const {
    return {image_.runs.data() + image_.firsts[group], image_.firsts[group]};
  }

  const outline_runs& image_;
  outline_run outside_[2];
};

}  // namespace skerry::regions

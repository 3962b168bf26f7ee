// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "engine/stop.hpp"
#include "label/cpu/stages.hpp"

namespace skerry::label_stages {

// Successive rows of a slice that share their runs.
struct row_group {
  i64 z, top, bottom;
  row_runs runs;
};

template <class Visit>
void each_row_group(const strip& s, const extent& size, Visit visit) {
  for (i64 r = s.row_begin; r < s.row_end;) {
    const i64 z = r / size.height, slice_end = std::min(s.row_end, (z + 1) * size.height);
    const row_runs runs = s.runs_of(r);
    i64 end = r + 1;
    while (end < slice_end && s.runs_of(end) == runs) ++end;
    stop_point();
    if (runs.count != 0) visit(row_group{z, r - z * size.height, end - z * size.height, runs});
    r = end;
  }
}

}  // namespace skerry::label_stages

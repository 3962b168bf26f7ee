// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/label.hpp"

namespace skerry::label_stages {

/// Whether components are dropped; holes that are filled drop none.
[[nodiscard]] constexpr bool selects(const selection& keep) {
  const selection all;
  return keep.min_area > 1 || keep.max_area != all.max_area || keep.clear_border || keep.largest != 0;
}

/// The connectivity of the background, when the foreground's is `connectivity`.
[[nodiscard]] constexpr int dual_of(int connectivity) {
  switch (connectivity) {
    case 4: return 8;
    case 8: return 4;
    case 6: return 26;
    default: return 6;
  }
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/portable.hpp"
#include "skerry/label.hpp"

namespace skerry::track_steps {

// Packed labels (cuda::packed_labels) in memory of the host, as far as they have come from a device.
struct packed_image {
  i64 first_row, rows, words_of_row;
  const u32* bits;
  const u32* labels;

  [[nodiscard]] u64 words() const { return static_cast<u64>(rows * words_of_row); }
  // Stretches of ones of the word that has most of them: so many labels of each word are needed.
  [[nodiscard]] u32 most_stretches() const;
  // The runs of the labels, in raster order.
  void list_runs(std::vector<labelled_run>& runs) const;
};

}  // namespace skerry::track_steps

// SPDX-License-Identifier: Apache-2.0
// The reference engine: every answer from its definition, in plain loops. It shares no algorithm with the other engines
// and is what their tests compare with.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/image.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry::reference {

struct answer {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> labels;  // dense, in (z, y, x) order
  feature_table table;
  std::vector<labelled_run> runs;
};

/// Labels and measures an image whose arguments have been checked.
answer analyse(const image_view& image, const label_options& options, const measure_options& features);

}  // namespace skerry::reference

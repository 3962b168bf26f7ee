// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "skerry/image.hpp"

namespace skerry::track_steps {

// Memory that a stream keeps from frame to frame.
struct otsu_scratch {
  std::vector<double> counts, centres, edges;
};

// As otsu_threshold(), of an image whose type and size have been checked. Throws invalid_argument when no pixel is
// finite.
[[nodiscard]] double otsu_threshold(const image_view& image, otsu_scratch& scratch);

}  // namespace skerry::track_steps

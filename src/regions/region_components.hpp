// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "skerry/regions.hpp"

namespace skerry::regions {

/// Labels the connected parts of regions: 1..n in the raster order of their first pixels, 0 for background. Images may be where
/// label() allows.
std::uint64_t label_parts(engine& on, const image_view& labels, const background& rule, int connectivity,
                          const mutable_image& parts);

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// The random images of every bench; the recipe is in README.md beside this file.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::bench {

struct recipe {
  int granularity = 1;       // side of the blocks of one value, in pixels
  int density_percent = 50;  // share of foreground blocks
  std::uint32_t seed = 0;
};

/// Makes a dense binary image (rank 2) or volume (rank 3) of 0 and 1.
[[nodiscard]] std::vector<std::uint8_t> random_image(const extent& size, const recipe& how);

/// The same for images that would take too long to draw: layers of a plane of 4096² or a volume of 256³ again and again, each time
/// moved along, so that an image is as irregular at every border as inside. On 16 threads.
void fill_with_random(std::uint8_t* to, const extent& size, const recipe& how);

}  // namespace skerry::bench

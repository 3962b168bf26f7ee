// SPDX-License-Identifier: Apache-2.0
#include "regions/values.hpp"

#include "engine/line.hpp"
#include "regions/check.hpp"

namespace skerry::regions {

region_pixels in_plane(const region_pixels& line) {
  return {as_plane("labels", line.labels), as_plane_beside_line("image", line.image), line.background, line.index};
}

void check_values(const region_pixels& asked) {
  check_label_image("labels", asked.labels);
  check_value_image("image", asked.image, asked.labels);
  check_background(asked.background);
}

}  // namespace skerry::regions

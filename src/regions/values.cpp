// SPDX-License-Identifier: Apache-2.0
#include "regions/values.hpp"

#include "regions/check.hpp"

namespace skerry::regions {

void check_values(engine& on, const region_pixels& asked, const char* job) {
  check_engine(on, job);
  check_label_image("labels", asked.labels);
  check_value_image("image", asked.image, asked.labels);
  check_background(asked.background);
}

}  // namespace skerry::regions

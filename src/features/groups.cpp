// SPDX-License-Identifier: Apache-2.0
#include "features/groups.hpp"

namespace skerry::features {

std::span<const feature_group* const> all_groups() {
  static const feature_group* const groups[] = {&basic_group,    &ellipse_group,  &intensity_group, &power_sums_group,
                                                &weighted_group, &patterns_group, &hull_group,      &filled_group};
  return groups;
}

}  // namespace skerry::features

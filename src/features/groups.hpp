// SPDX-License-Identifier: Apache-2.0
// The groups of features, in the order of the table.
#pragma once
#include <span>

#include "features/group.hpp"

namespace skerry::features {

extern const feature_group basic_group;       // basic.cpp
extern const feature_group ellipse_group;     // ellipse.cpp
extern const feature_group intensity_group;   // intensities.cpp
extern const feature_group power_sums_group;  // moments.cpp
extern const feature_group weighted_group;    // weighted_moments.cpp
extern const feature_group patterns_group;    // patterns.cpp
extern const feature_group hull_group;        // hull.cpp
extern const feature_group filled_group;      // filled.cpp

[[nodiscard]] std::span<const feature_group* const> all_groups();

}  // namespace skerry::features

// SPDX-License-Identifier: Apache-2.0
// What every job on given label images checks of its arguments, once, before any work. All throw invalid_argument.
#pragma once
#include <string>

#include "skerry/engine.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

// Regions are computed in host memory; an engine that was chosen automatically has threads for that. `job` is the name of the
// public function.
void check_engine(engine& on, const std::string& job);

// A size within the limits, memory if there are pixels, and a type that has labels.
void check_label_image(const std::string& name, const image_view& labels);

// A known rule.
void check_background(const background& rule);

// `image` has the extent of the label image.
void check_same_size(const std::string& name, const image_view& image, const image_view& labels);

}  // namespace skerry::regions

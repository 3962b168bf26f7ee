// SPDX-License-Identifier: Apache-2.0
// Answers about given label images, each from its definition.
#pragma once
#include "skerry/regions.hpp"

namespace skerry::reference {

/// Measures the regions of a label image; arguments have been checked.
region_table measure_regions(const region_request& asked);

}  // namespace skerry::reference

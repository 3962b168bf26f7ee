// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "reference/reference.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {

/// The table of an image with all features, by the reference: columns follow from the same integers on every engine.
inline feature_table measured(const mask& image, image_view intensity = {}) {
  const label_options options = with_connectivity(image.size.rank == 2 ? 8 : 26);
  return reference::analyse(image.view(), options, {.moments = true, .intensity = intensity}).table;
}

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// What tests of random images ask of an engine.
#pragma once
#include <cstdint>

#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {

/// Everything that can be asked of an image, chosen by a number.
inline question random_question(const mask& image, int connectivity, std::uint32_t choice) {
  selection keep;
  if (choice % 3 == 1) keep = {.min_area = choice / 3 % 4, .max_area = 200, .clear_border = choice / 12 % 2 == 1};
  if (choice % 3 == 2) keep = {.fill_holes = choice / 3 % 4 == 1, .largest = 1 + choice / 6 % 9};
  question asked{.image = image.view(), .options = with_connectivity(connectivity, {}, keep)};
  asked.features.moments = choice % 2 == 1;
  if (choice % 5 == 0) asked.features.intensity = image.view();
  return asked;
}

}  // namespace skerry::test

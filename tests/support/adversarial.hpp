// SPDX-License-Identifier: Apache-2.0
// Images that are hard for some labelling method: deep unions, many late merges, the most components, long paths.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "support/mask.hpp"

namespace skerry::test {

struct named_mask {
  std::string name;
  mask image;
};

/// Planes of height × width; names tell what they are.
std::vector<named_mask> adversarial_planes(std::int64_t height, std::int64_t width);

/// Volumes with the given side.
std::vector<named_mask> adversarial_volumes(std::int64_t side);

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/portable.hpp"
#include "skerry/feature.hpp"

namespace skerry::track_steps {

// The smallest box around some pixels, inclusive; axes as in `geometry`.
struct pixel_box {
  i32 min[3], max[3];

  [[nodiscard]] static constexpr pixel_box everywhere() {
    return {{INT32_MIN, INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX, INT32_MAX}};
  }
  [[nodiscard]] static pixel_box of(const geometry& pixels) {
    pixel_box box{};
    std::copy_n(pixels.min, 3, box.min);
    std::copy_n(pixels.max, 3, box.max);
    return box;
  }
  [[nodiscard]] bool meets(const pixel_box& other) const {
    for (int axis = 0; axis < 3; ++axis)
      if (max[axis] < other.min[axis] || other.max[axis] < min[axis]) return false;
    return true;
  }
  void join(const pixel_box& other) {
    for (int axis = 0; axis < 3; ++axis) {
      min[axis] = std::min(min[axis], other.min[axis]);
      max[axis] = std::max(max[axis], other.max[axis]);
    }
  }
};

}  // namespace skerry::track_steps

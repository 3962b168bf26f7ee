// SPDX-License-Identifier: Apache-2.0
// What a window of 2 × 2 × 2 pixels adds to the Euler number of a region that has some of them.
#pragma once
#include "core/portable.hpp"

namespace skerry::regions {

// The window's pixels are bits: 1 is the one at (z, y, x), 4 the one at x - 1, 2 at y - 1, 16 at z - 1.

// What the cells that have the window's middle as their lowest corner add.
SKERRY_BOTH constexpr int euler_part(int window) {
  const auto any = [&](bool above_z, bool above_y, bool above_x) {  // of the pixels on the upper sides of these axes
    int bits = 0xff;
    if (above_z) bits &= 0x0f;
    if (above_y) bits &= 0x55;
    if (above_x) bits &= 0x33;
    return (window & bits) != 0 ? 1 : 0;
  };
  return any(false, false, false) - any(false, true, false) - any(false, false, true) + any(false, true, true) -
         any(true, false, false) + any(true, true, false) + any(true, false, true) - any(true, true, true);
}

struct euler_parts {
  signed char of[256] = {};
  constexpr euler_parts() {
    for (int window = 0; window < 256; ++window) of[window] = static_cast<signed char>(euler_part(window));
  }
};
inline constexpr euler_parts euler_of_volume;

}  // namespace skerry::regions

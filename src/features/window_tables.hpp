// SPDX-License-Identifier: Apache-2.0
// What a window of 2 × 2 (× 2) pixels adds to the counts of a region that has some of them, and a border pixel by its neighbours.
#pragma once
#include "core/portable.hpp"

namespace skerry::features {

// The window's pixels are bits: 1 is the one at (z, y, x), 4 the one at x - 1, 2 at y - 1, 16 at z - 1.

// What the cells that have the window's middle as their lowest corner add to the Euler number.
constexpr int euler_part(int window, int rank) {
  const auto any = [&](bool above_z, bool above_y, bool above_x) {  // of the pixels on the upper sides of these axes
    int bits = rank == 3 ? 0xff : 0xf;
    if (above_z) bits &= 0x0f;
    if (above_y) bits &= 0x55;
    if (above_x) bits &= 0x33;
    return (window & bits) != 0 ? 1 : 0;
  };
  const int plane =
      any(false, false, false) - any(false, true, false) - any(false, false, true) + any(false, true, true);
  if (rank == 2) return plane;
  return plane - any(true, false, false) + any(true, true, false) + any(true, false, true) - any(true, true, true);
}

template <int Rank>
struct euler_parts {
  signed char of[Rank == 3 ? 256 : 16] = {};
  constexpr euler_parts() {
    for (int window = 0; window < (Rank == 3 ? 256 : 16); ++window)
      of[window] = static_cast<signed char>(euler_part(window, Rank));
  }
};
inline constexpr euler_parts<2> euler_of_plane;
inline constexpr euler_parts<3> euler_of_volume;

// By the pattern of a plane window: what it adds to the Euler number, and its straight and slanted crossings.
inline constexpr u8 straight_of[16] = {0, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0};
inline constexpr u8 slanted_of[16] = {0, 1, 1, 2, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0};

// The weight of a border pixel, by how many of its neighbours are border pixels: beside it, and across a corner.
// Of 1, sqrt 2, (1 + sqrt 2) / 2 and 0.
enum length_class : u8 { side, diagonal, mixed, no_length };
struct length_table {
  length_class of[5][5];
  constexpr length_table() : of() {
    for (auto& row : of)
      for (length_class& each : row) each = no_length;
    for (const int beside : {2, 3})
      for (const int across : {0, 1, 2}) of[beside][across] = side;
    of[0][2] = of[1][3] = diagonal;
    of[1][1] = of[1][2] = mixed;
  }
};
inline constexpr length_table length_classes;

}  // namespace skerry::features

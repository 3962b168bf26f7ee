// SPDX-License-Identifier: Apache-2.0
// Saddles of an image on the device: pixels at which parts of the image meet that are not connected above them. A pixel is
// one if its higher neighbours, in the ring of eight around it, are several parts.
#pragma once
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

// The neighbours of a pixel that are higher than it are bits, from the right on with the rows downward: even ones share a
// side with it. Of equal keys the later pixel is the higher.
enum ring : u32 {
  right = 1,
  right_down = 2,
  down = 4,
  left_down = 8,
  left = 16,
  left_up = 32,
  up = 64,
  right_up = 128
};

template <class Key>
struct surroundings {
  Key above[3], beside[3], below[3];  // from the left to the right

  __device__ u32 higher(u32 there) const {
    const Key key = beside[1];
    const u32 all = (beside[2] >= key ? right : 0) | (below[2] >= key ? right_down : 0) | (below[1] >= key ? down : 0) |
                    (below[0] >= key ? left_down : 0) | (beside[0] > key ? left : 0) | (above[0] > key ? left_up : 0) |
                    (above[1] > key ? up : 0) | (above[2] > key ? right_up : 0);
    return all & there;
  }
};

// One neighbour of each part but when there is one part all around.
template <int Connectivity>
__device__ u32 parts_of(u32 higher) {
  constexpr u32 straight = right | down | left | up;
  const u32 twice = higher | higher << 8, before = twice >> 7, two_before = twice >> 6;
  if constexpr (Connectivity == 4) return higher & straight & ~(before & two_before);
  else return higher & ~(before | (two_before & straight));
}

// From the place of a pixel to that of one in the ring, by the number of its bit.
__device__ inline int ring_step(int bit) {
  constexpr int side = tree_grid<2>::side;
  constexpr u32 columns = 0x901a, rows = 0x01a9;  // two bits each, 1 more than the step
  return ((static_cast<int>(rows >> 2 * bit) & 3) - 1) * side + (static_cast<int>(columns >> 2 * bit) & 3) - 1;
}

}  // namespace skerry::tree_stages::on_device

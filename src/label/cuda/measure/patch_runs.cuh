// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, planes: the runs that a patch of 4 x 8 pixels has parts of. A patch lies in four groups of two rows; a byte of a word
// is of a group, and the groups are looked at together: none of these sums carries from byte to byte.
#pragma once
#include "engine/cuda/patch_bits.cuh"
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

inline constexpr u32 patch_groups = patch_height / 2, every_byte = 0x01010101, low_nibbles = 0x0f0f0f0f;

/// The place of a thread's patch in its tile.
__device__ inline u32 patch_x() { return threadIdx.x % 32 * patch_width; }
__device__ inline u32 patch_y() { return threadIdx.x / 32 * patch_height; }

/// What a patch has of words of four groups: four bits of each, in the lower half of a byte.
__device__ inline u32 nibbles_of_patch(const u32 (&words)[patch_groups]) {
  const u32 nibble = patch_x() % 32 / patch_width, bytes = nibble / 2 * 0x11 + 0x40;  // the byte of either word
  const u32 low = __byte_perm(words[0], words[1], bytes), high = __byte_perm(words[2], words[3], bytes);
  return __byte_perm(low, high, 0x5410) >> nibble % 2 * 4 & low_nibbles;
}

/// Of nibbles in bytes the lowest bit, and those below. Where there is no bit, it is the one above the nibble.
struct lowest_bits {
  u32 bit, below;
  __device__ static lowest_bits of(u32 nibbles) {
    const u32 bounded = nibbles | every_byte << 4, less = bounded - every_byte;
    return {bounded & ~less, ~bounded & less};
  }
};

/// The runs of each group that the patch has pixels of: runs are intervals of columns, so of four columns there are mostly one or two.
template <class Shape>
struct patch_runs {
  u32 pixels;         // of the foreground
  u32 first, second;  // those of the first and of the second run of their group
  u32 first_begins;   // a byte is 1 where the first run begins in the patch

  /// Of the rows of the groups, and of where runs start in them.
  __device__ static patch_runs of(u32 upper, u32 lower, u32 starts) {
    const u32 any = upper | lower;
    const lowest_bits lowest = lowest_bits::of(any);
    u32 of_first, of_second;
    if constexpr (Shape::axes == 1) {
      const u32 next = starts & any & ~(lowest.bit | lowest.below);
      const lowest_bits after = lowest_bits::of(next), last = lowest_bits::of(next & ~after.bit);
      of_first = any & after.below;
      of_second = any & ~of_first & last.below;
    } else {  // an empty column parts runs: a carry runs through the first one, and there are no more than two
      of_second = any & (any + lowest.bit);
      of_first = any & ~of_second;
    }
    const u32 pixels = upper | lower << patch_width;
    const u32 begins = (starts & lowest.bit) + low_nibbles >> 4 & every_byte;
    return {pixels, pixels & of_first * 0x11, pixels & of_second * 0x11, begins};
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Sums of powers of coordinates over the pixels of each region, weighted by intensities or not.
//
//   thread  the pixels of one label in its patch, about the first pixel of the warp's strip, by digits of weights
//   warp    sums of threads that have one row are added up; then each thread has a place, and moves its sum to the corner of the
//           region's box
//   grid    the row of a label, by atomics
//
// Reads   the label image, and intensities under the regions, from memory or caches once for each digit; rows of labels
// Writes  sums of 192 bits, which are 0 before
// Method  regions/power_parts.hpp
#pragma once
#include "engine/cuda/warp.cuh"
#include "regions/cuda/numbers.cuh"
#include "regions/power_parts.hpp"

namespace skerry::regions::on_device {

// Adds to a sum to which other threads add at the same time: a word that wraps around carries 1 to the next.
__device__ inline void add_at_once(u64* to, const long_sum& value) {
  u64 carry = 0;
#pragma unroll
  for (u32 k = 0; k < words_of_sum; ++k) {
    const u64 part = value.words[k] + carry;
    carry = part < carry ? 1 : 0;
    if (part == 0) continue;
    const u64 before = atomicAdd(reinterpret_cast<unsigned long long*>(to + k), static_cast<unsigned long long>(part));
    if (before + part < before) carry = 1;
  }
}

// What threads of a warp have, added up; by all of them.
__device__ inline strip_powers sum_in_warp(strip_powers own) {
#pragma unroll
  for (int place = 0; place < powers * powers; ++place)
#pragma unroll
    for (int step = 16; step > 0; step /= 2) own.of[place] += __shfl_xor_sync(~0u, own.of[place], step);
  return own;
}

struct power_work {
  label_numbers numbers;
  intensity_image weights;  // without data where all are 1
  const sums_anchor* anchors;
  u64* sums;
  u64 rows;
  u32 rank, digits;
  bool has_halves;

  // Of a label that has weights.
  [[nodiscard]] __device__ u32 row_of(u64 label) const {
    const u32 row = numbers.row_of(label);
    return row < rows && anchors[row].unit != no_unit ? row : no_row;
  }

  // A digit of the pixels of a mask.
  [[nodiscard]] __device__ strip_powers powers_of(u32 mask, const pixel_place& strip, i32 unit,
                                                  const weight_digit& digit) const {
    strip_powers own;
    each_bit(mask, [&](int k) {
      const u32 y = static_cast<u32>(k) / patch_width, x = patch_x() + static_cast<u32>(k) % patch_width;
      own.add(digit_at({strip.z, strip.y + y, strip.x + x}, unit, digit), y, x);
    });
    return own;
  }

  // Adds what a strip has of a region; by a warp.
  __device__ void join(u32 row, const strip_powers& of_strip, const pixel_place& strip,
                       const weight_digit& digit) const {
    const sums_anchor from = anchors[row];
    const u32 places = u32{1} << 2 * rank, place_in_slice = lane_of_thread() % (powers * powers);
    u64* const to = sums + (row * (has_halves ? u64{2} : u64{1}) + digit.half) * places * words_of_sum;
    const long_sum in_slice =
        long_sum(u64{1} << digit.shift_in_half) * of_strip.moved(static_cast<int>(place_in_slice / powers),
                                                                 static_cast<int>(place_in_slice % powers),
                                                                 strip.y - from.corner[1], strip.x - from.corner[2]);
    const long_sum z(strip.z - from.corner[0]);
    for (u32 place = lane_of_thread(); place < places; place += 32) {
      long_sum sum = in_slice;
      for (u32 k = 0; k < place / (powers * powers); ++k) sum = sum * z;
      add_at_once(to + place * words_of_sum, sum);
    }
  }

 private:
  [[nodiscard]] __device__ i64 digit_at(const pixel_place& pixel, i32 unit, const weight_digit& digit) const {
    if (weights.data == nullptr) return digit.in(1);
    const real_parts number = parts_at(pixel);
    const i64 found = digit.in(units_of(number, unit));
    return number.negative ? -found : found;
  }
  [[nodiscard]] __device__ real_parts parts_at(const pixel_place& pixel) const {
    const char* const place = weights.place(pixel.z, pixel.y, pixel.x);
    if (weights.type == dtype::u64) return parts_of(intensity_image::read<u64>(place));
    if (weights.type == dtype::i64) return parts_of(intensity_image::read<i64>(place));
    return parts_of(weights.at(pixel.z, pixel.y, pixel.x));
  }
};

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    add_powers_kernel(const label_source from, const tile_grid grid, const background_test<Label> is_background,
                      const power_work work) {
  each_patch<Label>(from, grid, is_background, [&](const pixel_place& tile, const label_patch<Label>& patch, u32 left) {
    const pixel_place strip{tile.z, tile.y + patch_y(), tile.x};
    each_piece(patch, left, [&](Label label, u32 mask) {
      const u32 row = mask == 0 ? no_row : work.row_of(label);
      const i32 unit = row == no_row ? 0 : work.anchors[row].unit;
      for (u32 k = 0; k < work.digits; ++k) {
        const weight_digit digit = weight_digit::of(k, work.has_halves);
        const strip_powers own = work.powers_of(row == no_row ? 0 : mask, strip, unit, digit);
        u32 threads = __ballot_sync(~0u, row != no_row);
        while (threads != 0) {
          const u32 chosen = __shfl_sync(~0u, row, first_of(threads));
          threads &= ~__ballot_sync(~0u, row == chosen);
          work.join(chosen, sum_in_warp(row == chosen ? own : strip_powers()), strip, digit);
          __syncwarp();
        }
      }
    });
  });
}

}  // namespace skerry::regions::on_device

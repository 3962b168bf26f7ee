// SPDX-License-Identifier: Apache-2.0
// Intensities of regions that are floats or integers of 64 bits. Two launches: the range of each region, which says what bins are
// kept, and then the digits of each pixel.
//
//   thread  the pixels of one label in its patch
//   warp    the digits of threads whose pieces belong to one row are added up first
//   grid    everything joins the row of its label by atomics
//
// Method  engine/cuda/real_parts.cuh
#pragma once
#include "engine/cuda/real_parts.cuh"
#include "engine/cuda/warp.cuh"
#include "regions/cuda/numbers.cuh"

namespace skerry::regions::on_device {

// What both launches read and write.
struct real_work {
  label_numbers numbers;
  intensity_image image;
  real_intensity* rows;
  u64 capacity;
};

// Calls visit(row or no_row, mask, first pixel of the patch) for each piece; in a warp at the same time.
template <class Label, class Visit>
__device__ void each_row_of_patches(const label_source& from, const tile_grid& grid,
                                    const background_test<Label>& is_background, const real_work& work, Visit visit) {
  each_patch<Label>(from, grid, is_background, [&](const pixel_place& tile, const label_patch<Label>& patch, u32 left) {
    const pixel_place first{tile.z, tile.y + patch_y(), tile.x + patch_x()};
    each_piece(patch, left, [&](Label label, u32 mask) {
      const u32 row = mask == 0 ? no_row : work.numbers.row_of(label);
      visit(row < work.capacity ? row : no_row, mask, first);
      __syncwarp();
    });
  });
}

// Calls visit(z, y, x) for the pixels of a mask.
template <class Visit>
__device__ void each_pixel(u32 mask, const pixel_place& first, Visit visit) {
  each_bit(mask, [&](int k) {
    visit(first.z, first.y + k / static_cast<int>(patch_width), first.x + k % static_cast<int>(patch_width));
  });
}

// ---- range --------------------------------------------------------------------------------------------------------

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    find_ranges_kernel(const label_source from, const tile_grid grid, const background_test<Label> is_background,
                       const real_work work) {
  each_row_of_patches<Label>(from, grid, is_background, work, [&](u32 row, u32 mask, const pixel_place& first) {
    if (row == no_row) return;
    range_part part;
    each_pixel(mask, first, [&](i64 z, i64 y, i64 x) { add_pixel(part, work.image.at(z, y, x)); });
    join(work.rows[row], part, join_at_once());
  });
}

// ---- digits -------------------------------------------------------------------------------------------------------

// Sums over threads of a warp of numbers whose magnitudes are below 2^31.
__device__ inline i64 sum_in_warp(u32 threads, i64 own) {
  const u32 low = __reduce_add_sync(threads, static_cast<u32>(own) & 0xffff);
  return (i64{__reduce_add_sync(threads, static_cast<i32>(own >> 16))} << 16) + low;
}

__device__ inline digit_part digits_in_warp(u32 threads, const digit_part& own) {
  digit_part all;
#pragma unroll
  for (i32 k = 0; k < bins_kept; ++k) {
    all.sum[k] = sum_in_warp(threads, own.sum[k]);
    all.squares[k] = static_cast<u64>(sum_in_warp(threads, static_cast<i64>(own.squares[k])));
  }
  return all;
}

// A patch has 2^5 pixels of digits below 2^25.
template <class Label, bool Narrow>
__global__ void __launch_bounds__(tile_threads)
    add_digits_kernel(const label_source from, const tile_grid grid, const background_test<Label> is_background,
                      const real_work work) {
  const digits_of_image<Narrow> digits{work.image};
  each_row_of_patches<Label>(from, grid, is_background, work, [&](u32 row, u32 mask, const pixel_place& first) {
    digit_part own;
    if (row != no_row) {
      const kept_units units = kept_units::of(work.rows[row]);
      each_pixel(mask, first, [&](i64 z, i64 y, i64 x) { digits.add_pixel(own, units, z, y, x); });
    }
    __syncwarp();
    constexpr int most_rounds = 4;
    u32 left = __ballot_sync(~0u, row != no_row);
    for (int round = 0; round < most_rounds && left != 0; ++round) {
      const u32 leader = first_of(left);
      const u32 chosen = __shfl_sync(~0u, row, leader), threads = __ballot_sync(~0u, row == chosen);
      left &= ~threads;
      if (row == chosen && __popc(threads) > 1) {
        const digit_part all = digits_in_warp(threads, own);
        if (lane_of_thread() == leader) join(work.rows[row], all, join_at_once());
        row = no_row;
      }
      __syncwarp();
    }
    if (row != no_row) join(work.rows[row], own, join_at_once());
  });
}

}  // namespace skerry::regions::on_device

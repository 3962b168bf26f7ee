// SPDX-License-Identifier: Apache-2.0
// Rows of regions of a plane with the counts of their neighbours: geometry and plane_patterns, in one read of the label image.
//
//   thread  what each pixel of its patch adds, as bits, whatever its label; then counts of these bits under each label
//   block   block_table.cuh
//   grid    as in measure.cuh
//
// Reads   the label image; rows of labels
// Writes  rows, which are empty before
// Method  each count is of pixels. Euler number: with a closed pixel come a face and two edges, one more for each side where its
//         region ends, and those of its corners that no earlier pixel has; what is left of the sum are pixels that begin the
//         region (nothing of it to the left, above, or across that corner), less those that join it from above across the
//         right corner alone. Lines enter a region as often as they leave it.
#pragma once
#include "regions/cuda/measure.cuh"
#include "regions/cuda/neighbour_patch.cuh"
#include "regions/patterns.hpp"

namespace skerry::regions::on_device {

// What each pixel of a patch adds to the counts of its region.
struct pattern_bits {
  u32 begins, joins;          // to the Euler number, and to be taken off
  u32 above, left;            // lines that enter along columns and rows
  u32 falling, rising;        // and along diagonals
  u32 side, diagonal, mixed;  // border pixels

  // By whole warps.
  __device__ explicit pattern_bits(const equal_pairs& equal) {
    const u64 all_left = from_left(equal.right), all_above = from_above(equal.below);
    const u64 border = ~(equal.right & all_left & equal.below & all_above), right_border = from_right(border);
    const u32 is_left = of_patch(all_left), is_above = of_patch(all_above);
    const u32 is_falling = of_patch(from_above(from_left(equal.falling))),
              is_rising = of_patch(from_above(equal.rising));
    begins = ~(is_left | is_above | is_falling);
    joins = ~is_above & is_rising;
    above = ~is_above, left = ~is_left, falling = ~is_falling, rising = ~is_rising;
    const count_of_four beside(of_patch(equal.right & right_border), of_patch(from_left(equal.right & border)),
                               of_patch(equal.below & from_below(border)), of_patch(from_above(equal.below & border)));
    const count_of_four across(
        of_patch(equal.falling & from_below(right_border)), of_patch(from_above(from_left(equal.falling & border))),
        of_patch(from_left(equal.rising & from_below(border))), of_patch(from_above(equal.rising & right_border)));
    const u32 own = of_patch(border);
    side = own & (beside.is_2() | beside.is_3()) & (across.is_0() | across.is_1() | across.is_2());
    diagonal = own & ((beside.is_0() & across.is_2()) | (beside.is_1() & across.is_3()));
    mixed = own & beside.is_1() & (across.is_1() | across.is_2());
  }
};

// Sums of geometry need so few bits in a tile that counts lie above them in their words: fewer words, fewer joins. All words are
// sums, and no field overflows.
namespace above {
inline constexpr u32 half = 16, sum_x = 19, sum_y = 18;
}
inline constexpr u32 own_pixels = own_width * tile_height;
static_assert(own_pixels < 1u << (32 - above::sum_x) && 2 * own_pixels < 1u << (32 - above::sum_y));
static_assert(own_pixels * (tile_width - 1) / 2 < 1u << above::sum_x, "own columns lie in the middle of a tile");
static_assert(own_pixels * (tile_height - 1) / 2 < 1u << above::sum_y);

// After the geometry.
__device__ inline void add_patterns(tile_part<word::words_of_patterns>& to, u32 mask, const pattern_bits& of) {
  to.words[word::area] += ones(mask & of.mixed) << above::half;
  to.words[word::sum_x] += ones(mask & of.begins) << above::sum_x;
  to.words[word::sum_y] += (ones(mask & of.above) + ones(mask & of.left)) << above::sum_y;
  to.words[word::joins_slanted] =
      ones(mask & of.joins) + ((ones(mask & of.falling) + ones(mask & of.rising)) << above::half);
  to.words[word::side_diagonal] = ones(mask & of.side) + (ones(mask & of.diagonal) << above::half);
}

// Takes the counts off the words of geometry, and gives them to the row.
__device__ inline void join_patterns(plane_patterns& to, tile_part<word::words_of_patterns>& part) {
  const auto take = [&](u32 of, u32 shift) {
    const u32 high = part.words[of] >> shift;
    part.words[of] -= high << shift;
    return i64{high};
  };
  const join_at_once with;
  with.sum(to.mixed, take(word::area, above::half));
  with.sum(to.straight, take(word::sum_y, above::sum_y));
  with.sum(to.slanted, take(word::joins_slanted, above::half));
  with.sum(to.euler, take(word::sum_x, above::sum_x) - i64{part.words[word::joins_slanted]});
  with.sum(to.diagonal, take(word::side_diagonal, above::half));
  with.sum(to.side, i64{part.words[word::side_diagonal]});
}

template <class Label>
__global__ void __launch_bounds__(tile_threads, 3)
    measure_patterns_kernel(const label_source from, const overlapping_tiles tiles,
                            const background_test<Label> is_background, const label_numbers numbers,
                            const region_rows to, plane_patterns* patterns) {
  constexpr u32 words = word::words_of_patterns;
  __shared__ block_table<words> table;
  table.clear();
  __syncthreads();
  for (u64 k = blockIdx.x; k < tiles.grid.tiles; k += gridDim.x) {
    const pixel_place tile = tiles.first_of(k);
    const neighbour_patch<Label> patch(from, {tile.z, tile.y + patch_y(), tile.x + patch_x()});
    const pattern_bits bits{equal_pairs(patch)};
    const auto write = [&](u32 row, tile_part<words> part) {
      join_patterns(patterns[row], part);
      join_geometry(to, row, part, tile);
    };
    each_piece(patch.own, tiles.is_own() ? patch.own.foreground(is_background) : 0, [&](Label label, u32 mask) {
      u32 row = mask == 0 ? no_row : numbers.row_of(label);
      if (row >= to.capacity) row = no_row;
      tile_part<words> part;
      if (row != no_row) {
        add_geometry(part, mask);
        add_patterns(part, mask, bits);
      }
      __syncwarp();
      join_by_warp(table, row, part, write);
    });
    __syncthreads();
    table.empty(write);
    __syncthreads();
  }
}

}  // namespace skerry::regions::on_device

// SPDX-License-Identifier: Apache-2.0
// Of the pairs that join, those that others do not imply: two runs are united once where they touch, not at every pixel.
//
//   thread  a word of 32 pixels
//
// Reads   pair_bits
// Method  a pair is left out where a path of other pairs connects its pixels: those that two runs have had one pixel before, and
//         diagonal ones between which two sides of the square join. What a pair is left out for is never left out for that pair:
//         straight ones look at pairs before them in the row, diagonal ones at straight ones. Values need not be equal for this
#pragma once
#include "label/cuda/joins/nodes.cuh"

namespace skerry::label_stages::on_device {

/// A coordinate that may be one step outside of an axis that wraps around.
__device__ inline i32 wrapped(i32 at, i32 side) { return at < 0 ? at + side : at >= side ? at - side : at; }

/// A word of pixels, and its place.
struct pixel_word {
  i32 z, y, x;
  u32 number;  // of the word in the image
  [[nodiscard]] __device__ bool begins_tile() const { return x % tile_width == 0; }
  [[nodiscard]] __device__ bool ends_row(const node_grid& grid) const {
    return x + 32 >= static_cast<i32>(grid.units_x) * tile_width;
  }
};

/// Pairs of a word with those of the row at (dz, dy), straight, left and right.
struct row_pairs {
  u32 straight, left, right;

  /// `k` is the number of the straight step.
  __device__ static row_pairs read(const pair_bits& pairs, u32 number, int k) {
    const int k_left = k == step_above ? step_above_left : k - 1, k_right = k == step_above ? step_above_right : k + 1;
    row_pairs found{pairs.joined[k][number], 0, 0};
    if (pairs.joined[k_left] != nullptr)
      found.left = pairs.joined[k_left][number], found.right = pairs.joined[k_right][number];
    return found;
  }
  /// What lies beside the pairs: those along both rows, the straight pair before the word, and the pair along the other row after it.
  struct beside {
    u32 own_along, other_along, straight_before, after;
  };
  [[nodiscard]] __device__ row_pairs without_implied(const beside& by) const {
    const u32 s = straight, l = left, r = right, s_before = s << 1 | by.straight_before;
    return {s & ~(s_before & by.own_along & by.other_along),
            l & ~((s & by.other_along) | (by.own_along & (s_before | (l << 1 & by.other_along << 1)))),
            r & ~((s & (by.other_along >> 1 | by.after << 31)) | (by.own_along & s) >> 1 |
                  (r << 1 & by.own_along & by.other_along >> 1))};
  }
  [[nodiscard]] __device__ bool none() const { return (straight | left | right) == 0; }

  __device__ static row_pairs of(const node_grid& grid, const pair_bits& pairs, const pixel_word& at, int k) {
    const pixel_step step = step_of(k);
    const row_pairs found = read(pairs, at.number, k);
    if (found.none()) return found;
    const u32* const along = pairs.joined[step_along_row];
    const u32 other = grid.node(wrapped(at.z + step.dz, grid.depth), wrapped(at.y + step.dy, grid.height), at.x) / 32;
    // Where a tile begins, the pair along the row may be left out for straight ones.
    return found.without_implied({along[at.number], along[other],
                                  at.begins_tile() ? 0 : pairs.joined[k][at.number - 1] >> 31,
                                  at.ends_row(grid) ? 0 : along[other + 1]});
  }
};

/// Pairs along the row. Between two tiles, those that the row above joins are left out.
__device__ inline u32 pairs_along_row(const pair_bits& pairs, const node_grid& grid, const pixel_word& at) {
  const u32* const along = pairs.joined[step_along_row];
  const u32 own = along[at.number];
  if ((own & 1) == 0 || !at.begins_tile() || at.x == 0 || at.y == 0) return own;
  const u32* const straight = pairs.joined[step_above];
  const bool is_implied =
      (along[at.number - grid.words_of_row()] & straight[at.number] & 1) != 0 && straight[at.number - 1] >> 31 != 0;
  return is_implied ? own & ~1u : own;
}

/// The bits of all steps.
template <int Rank>
struct word_pairs {
  static constexpr int steps = Rank == 2 ? 4 : most_steps;
  u32 bits[steps];

  __device__ word_pairs(const node_grid& grid, const pair_bits& pairs, const pixel_word& at) {
    bits[step_along_row] = pairs_along_row(pairs, grid, at);
    const row_pairs above = row_pairs::of(grid, pairs, at, step_above);
    bits[step_above] = above.straight, bits[step_above_left] = above.left, bits[step_above_right] = above.right;
    if constexpr (Rank == 3)
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy) {
        const int k = step_behind(dy);
        const row_pairs behind = pairs.joined[k] == nullptr ? row_pairs{} : row_pairs::of(grid, pairs, at, k);
        bits[k] = behind.straight, bits[k - 1] = behind.left, bits[k + 1] = behind.right;
      }
  }
};

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Bit logic on rows: where runs start, and which pairs of runs of two groups of rows touch. Stages 2 and 3 share it.
#pragma once
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

/// A word of each row of a group, and the word to its left.
template <class Shape>
struct group_word {
  using word = typename Shape::word;
  static constexpr int last = Shape::word_bits - 1;
  word row[Shape::group_rows], left[Shape::group_rows];

  /// `rows` are the 64 x 4 words of a tile, in shared or device memory.
  __device__ static group_word of(const u32* rows, int group, int column) {
    group_word g;
#pragma unroll
    for (int k = 0; k < Shape::group_rows; ++k) {
      const word* from = reinterpret_cast<const word*>(rows) + row_of(group, k) * Shape::words + column;
      g.row[k] = from[0];
      g.left[k] = column > 0 ? from[-1] : 0;
    }
    return g;
  }
  /// Row of the tile that is the k-th row of a group, in raster order.
  __device__ static int row_of(int group, int k) {
    const int z = group / Shape::groups_y * Shape::group_depth + k / Shape::group_height;
    const int y = group % Shape::groups_y * Shape::group_height + k % Shape::group_height;
    return z * Shape::height + y;
  }
  /// The pixels of rows for which whole(row of the tile) holds, and of others those of `columns`.
  template <class Whole>
  __device__ word pixels_of(int group, word columns, const Whole& whole) const {
    word found = 0;
#pragma unroll
    for (int k = 0; k < Shape::group_rows; ++k) found |= row[k] & (whole(row_of(group, k)) ? ~word{0} : columns);
    return found;
  }
  __device__ word any() const {
    word all = row[0];
#pragma unroll
    for (int k = 1; k < Shape::group_rows; ++k) all |= row[k];
    return all;
  }
  __device__ word starts() const {
    const word all = any();
    word before = 0, joined = 0;
#pragma unroll
    for (int k = 0; k < Shape::group_rows; ++k) {
      before |= left[k];
      joined |= row[k] & (row[k] << 1 | left[k] >> last);  // in this row, to the pixel on the left
    }
    return all & ~(Shape::axes == 1 ? joined : all << 1 | before >> last);
  }
  /// Pixels of row k, each also one place to the right.
  __device__ word widened(int k) const { return row[k] | row[k] << 1 | left[k] >> last; }
};

/// Bit x is set where the group at (Dz, Dy) from `here` touches it: at x, or between x - 1 and x. In either case the runs
/// that touch are those at or before x.
template <class Shape, int Dz, int Dy>
__device__ typename Shape::word touching(const group_word<Shape>& earlier, const group_word<Shape>& here) {
  typename Shape::word touch = 0;
#pragma unroll
  for (int a = 0; a < Shape::group_rows; ++a)
#pragma unroll
    for (int b = 0; b < Shape::group_rows; ++b) {
      const int dz = b / Shape::group_height - (a / Shape::group_height + Dz * Shape::group_depth);
      const int dy = b % Shape::group_height - (a % Shape::group_height + Dy * Shape::group_height);
      const int reach = reach_of(Shape::axes, dz, dy);
      if (reach > 0) touch |= earlier.widened(a) & here.widened(b);
      else if (reach == 0) touch |= earlier.row[a] & here.row[b];
    }
  return touch;
}

/// Of the bits of `touch`, those that are the first since either run changed; `carry` is 1 when the word to the left
/// ended with a touching bit.
template <class Word>
__device__ Word first_touches(Word touch, Word changes, Word carry) {
  const Word same = ~changes, seeds = (touch << 1 | carry) & same;
  const Word seen =
      (((same + seeds) ^ same) | seeds) & same;  // from each seed up to the next change: a carry runs there
  return touch & ~seen;
}

/// Bits [b, e) where b is the lowest bit of `run` and e the lowest of `later`, or the end of the word.
template <class Word>
__device__ Word span(Word run, Word later) {
  return (later & -later) - (run & -run);
}

template <class Word>
__device__ Word up_to(Word bit) {
  return bit | (bit - 1);
}

}  // namespace skerry::label_stages::on_device

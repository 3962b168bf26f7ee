// SPDX-License-Identifier: Apache-2.0
// Which pixels along the borders of blocks are to be merged with one of the block above or to the left, by a look at the
// pixels around: where the pixel before has done so already, nothing is left, and no atomic operation is needed.
//
// Method  [PlayneHawick2018], as [Lemaitre2021] describes it: local configurations instead of atomics
#pragma once
#include "published/cuda/device_task.hpp"

namespace skerry::published {

// A pixel of the first row or column of a block, whose border lies in the direction of `up`; `back` is the direction of the
// border's pixel before it.
struct border_pixel {
  const device_image& image;
  i64 y, x;
  bool is_row, has_before;  // has_before: the pixel before it lies in the same block

  // So far up, and so far along the border.
  [[nodiscard]] __device__ bool is(i64 up, i64 along) const {
    return is_row ? image.at(y - up, x + along) : image.at(y + along, x - up);
  }
};

// Calls `merge(y, x)` with each pixel across the border that this one is to be merged with.
template <class Merge>
__device__ void each_border_link(const border_pixel& at, bool diagonal, Merge merge) {
  const auto link = [&](i64 along) {
    if (at.is_row) merge(at.y - 1, at.x + along);
    else merge(at.y + along, at.x - 1);
  };
  const bool before = at.has_before && at.is(0, -1), across = at.is(1, 0);
  if (!diagonal) {
    if (across && !(before && at.is(1, -1))) link(0);
    return;
  }
  if (!before) {
    if (across) return link(0);  // it touches both others
    if (at.is(1, -1)) link(-1);
  }
  if (!across && at.is(1, 1)) link(1);
}

// Of the 64 threads of a block of 32 x 32 pixels, which has its first row and column: all links of one of them.
template <class Merge>
__device__ void each_border_link(const device_image& image, u32 side, i64 top, i64 left, bool diagonal, Merge merge) {
  const bool is_row = threadIdx.x < side;
  const i64 along = is_row ? threadIdx.x : threadIdx.x - side;
  const i64 y = is_row ? top : top + along, x = is_row ? left + along : left;
  if (!image.at(y, x)) return;
  each_border_link(border_pixel{image, y, x, is_row, along > 0}, diagonal,
                   [&](i64 row, i64 column) { merge(y, x, row, column); });
}

}  // namespace skerry::published

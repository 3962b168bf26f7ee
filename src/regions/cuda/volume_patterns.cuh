// SPDX-License-Identifier: Apache-2.0
// Counts of neighbours of the regions of a volume: windows of 2 x 2 x 2 pixels, by their part of the Euler number, and faces.
//
//   thread  the windows at one (y, x), through some slices: of the eight pixels four are those of the slice before
//   warp    windows side by side; what is left at the end and belongs to one region is joined first
//   grid    everything else joins the row of its label by atomics
//
// Reads   the label image; rows of labels
// Writes  rows, which are empty before
// Method  most windows lie within one region or in none, and add nothing. Sums of the two regions that a thread met last wait in
//         registers, so that a surface joins rows once for many windows
#pragma once
#include "engine/cuda/join_rows.cuh"
#include "engine/cuda/warp.cuh"
#include "regions/cuda/numbers.cuh"
#include "regions/patterns.hpp"
#include "regions/volume_windows.hpp"

namespace skerry::regions::on_device {

inline constexpr u32 window_threads = 256, slices_of_thread = 32;

// Windows begin at the first pixel and end behind the last of each axis.
struct window_grid {
  u64 of_row, rows, parts;  // blocks of a row of windows; rows of a slice; parts of slices

  [[nodiscard]] static window_grid of(const extent& size) {
    const auto blocks = [](i64 side, u32 each) { return (static_cast<u64>(side) + 1 + each - 1) / each; };
    return {blocks(size.width, window_threads), static_cast<u64>(size.height) + 1,
            blocks(size.depth, slices_of_thread)};
  }
  [[nodiscard]] __host__ __device__ u64 pieces() const { return of_row * rows * parts; }
  [[nodiscard]] u32 blocks() const { return blocks_of(pieces()); }
};

struct window_counts {
  i32 euler = 0, faces[3] = {};
  __device__ void add(u32 window) {
    euler += euler_part(static_cast<int>(window));
    faces[0] += static_cast<i32>((window ^ window >> 4) & 1);
    faces[1] += static_cast<i32>((window ^ window >> 1) & 1);
    faces[2] += static_cast<i32>((window ^ window >> 2) & 1);
  }
};

// Where counts of regions go.
struct window_rows {
  label_numbers numbers;
  volume_patterns* rows;
  __device__ void join(u64 label, const window_counts& counts) const {
    volume_patterns& to = rows[numbers.row_of(label)];
    const join_at_once with;
    with.sum(to.euler, i64{counts.euler});
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) with.sum(to.faces[axis], i64{counts.faces[axis]});
  }
};

// Counts of the two regions that came last.
template <class Label>
class recent_counts {
 public:
  __device__ explicit recent_counts(const window_rows& to) : to_(to) {}

  __device__ void add(Label label, u32 window) {
    if (!(used_ > 0 && label == labels_[0])) turn(label);
    counts_[0].add(window);
  }
  // By whole warps, at the end.
  __device__ void finish() {
    if (used_ == 2) to_.join(labels_[1], counts_[1]);
    const u32 with_counts = __ballot_sync(~0u, used_ != 0);
    if (with_counts == 0) return;
    const u64 own = used_ != 0 ? u64{labels_[0]} : 0, first = __shfl_sync(~0u, own, first_of(with_counts));
    const bool alike = used_ != 0 && own == first;
    const u32 threads = __ballot_sync(~0u, alike);
    if (alike) {
      window_counts all;
      all.euler = __reduce_add_sync(threads, counts_[0].euler);
#pragma unroll
      for (u32 axis = 0; axis < 3; ++axis) all.faces[axis] = __reduce_add_sync(threads, counts_[0].faces[axis]);
      if (lane_of_thread() == first_of(threads)) to_.join(first, all);
    } else if (used_ != 0) {
      to_.join(own, counts_[0]);
    }
    used_ = 0;
    __syncwarp();
  }

 private:
  // Brings the region to the first place.
  __device__ void turn(Label label) {
    const bool is_second = used_ == 2 && labels_[1] == label;
    if (used_ == 2 && !is_second) to_.join(labels_[1], counts_[1]);
    const window_counts second = is_second ? counts_[1] : window_counts();
    labels_[1] = labels_[0], counts_[1] = counts_[0];
    labels_[0] = label, counts_[0] = second;
    if (!is_second && used_ < 2) ++used_;
  }

  const window_rows& to_;
  Label labels_[2] = {};
  window_counts counts_[2];
  u32 used_ = 0;
};

// The four pixels of a slice that windows at (y, x) have, in the order of the bits of volume_windows.hpp.
template <class Label>
struct window_slice {
  Label labels[4];
  u32 regions = 0;  // those that are of a region

  __device__ window_slice() = default;
  __device__ window_slice(const label_source& from, i64 depth, const background_test<Label>& is_background,
                          const pixel_place& at) {
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const i64 y = at.y - (k & 1), x = at.x - (k >> 1);
      labels[k] = 0;
      if (at.z < 0 || at.z >= depth || y < 0 || y >= from.height || x < 0 || x >= from.width) continue;
      labels[k] = from.at<Label>({at.z, y, x});
      regions |= (is_background(labels[k]) ? 0u : 1u) << k;
    }
  }
};

// Adds a window to the regions that have some of its pixels.
template <class Label>
__device__ void add_window(recent_counts<Label>& to, const window_slice<Label>& slice,
                           const window_slice<Label>& before) {
  Label labels[8];
#pragma unroll
  for (u32 k = 0; k < 4; ++k) labels[k] = slice.labels[k], labels[k + 4] = before.labels[k];
  u32 left = slice.regions | before.regions << 4;
  if (left == 0) return;
#pragma unroll
  for (u32 k = 0; k < 8; ++k) {
    if ((left >> k & 1) == 0) continue;
    u32 window = 0;
#pragma unroll
    for (u32 other = 0; other < 8; ++other) window |= (labels[other] == labels[k] ? 1u : 0u) << other;
    window &= left;
    left &= ~window;
    if (window != 0xff) to.add(labels[k], window);
  }
}

template <class Label>
__global__ void __launch_bounds__(window_threads)
    count_volume_patterns_kernel(const label_source from, const i64 depth, const window_grid grid,
                                 const background_test<Label> is_background, const window_rows to) {
  for (u64 piece = blockIdx.x; piece < grid.pieces(); piece += gridDim.x) {
    const u64 row = piece / grid.of_row;
    pixel_place at{static_cast<i64>(row / grid.rows) * slices_of_thread, static_cast<i64>(row % grid.rows),
                   static_cast<i64>(piece % grid.of_row * window_threads + threadIdx.x)};
    recent_counts<Label> counts(to);
    const i64 end = min(depth + 1, at.z + slices_of_thread);
    window_slice<Label> before(from, depth, is_background, {at.z - 1, at.y, at.x});
    for (; at.z < end; ++at.z) {
      const window_slice<Label> slice(from, depth, is_background, at);
      add_window(counts, slice, before);
      before = slice;
    }
    counts.finish();
  }
}

}  // namespace skerry::regions::on_device

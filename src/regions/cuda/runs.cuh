// SPDX-License-Identifier: Apache-2.0
// Runs of regions: pixels side by side in a row that have one label.
//
//   thread  four pixels of a row
//   block   a segment of a row
//   grid    runs that begin in each segment are counted, one block adds the counts up, then runs are written
//
// Reads   the label image, twice; rows of labels
// Writes  how many runs begin before each segment; runs, in raster order
// Method  a run begins where the pixel to the left has another label. The run that ends with a pixel is the last that has begun by
//         then, so a thread that finds its end knows its place, however long it is
#pragma once
#include "regions/cuda/numbers.cuh"
#include "regions/region_runs.hpp"

namespace skerry::regions::on_device {

inline constexpr u32 run_threads = 256, pixels_of_run_thread = 4,
                     pixels_of_segment = run_threads * pixels_of_run_thread;
static_assert(run_threads == digit_values, "sums are over as many threads");

struct row_segments {
  u64 of_row, all;

  [[nodiscard]] static row_segments of(const extent& size) {
    const u64 of_row = static_cast<u64>((size.width + pixels_of_segment - 1) / pixels_of_segment);
    return {of_row, of_row * static_cast<u64>(size.rows())};
  }
  [[nodiscard]] u32 blocks() const { return blocks_of(all); }
};

// What the pixels of a thread begin and end, as bits.
template <class Label>
struct run_ends {
  Label labels[pixels_of_run_thread];
  u32 begins = 0, ends = 0;
  i64 row, x;  // of the first pixel

  __device__ run_ends(const label_source& from, const row_segments& segments,
                      const background_test<Label>& is_background, u64 segment) {
    row = static_cast<i64>(segment / segments.of_row);
    x = static_cast<i64>(segment % segments.of_row) * pixels_of_segment + threadIdx.x * pixels_of_run_thread;
    const auto at = [&](i64 column) { return from.at<Label>({row / from.height, row % from.height, column}); };
    if (x >= from.width) return;
    Label before = x > 0 ? at(x - 1) : Label{0};
    bool begins_here = x == 0;
    for (u32 k = 0; k < pixels_of_run_thread && x + k < from.width; ++k) {
      labels[k] = at(x + k);
      begins_here |= labels[k] != before;
      const bool is_region = !is_background(labels[k]);
      const bool ends_here = x + k + 1 == from.width || at(x + k + 1) != labels[k];
      begins |= (is_region && begins_here ? 1u : 0u) << k;
      ends |= (is_region && ends_here ? 1u : 0u) << k;
      before = labels[k];
      begins_here = false;
    }
  }
};

template <class Label>
__global__ void __launch_bounds__(run_threads)
    count_runs_kernel(const label_source from, const row_segments segments, const background_test<Label> is_background,
                      u64* counts) {
  __shared__ u64 sums_of_warps[run_threads / 32];
  for (u64 segment = blockIdx.x; segment < segments.all; segment += gridDim.x) {
    const run_ends<Label> own(from, segments, is_background, segment);
    const u64 before = sum_of_threads_before(ones(own.begins), sums_of_warps);
    if (threadIdx.x == run_threads - 1) counts[segment] = before + ones(own.begins);
    __syncthreads();
  }
}

// Counts become what is before each of them, and behind them all there are. By one block.
__global__ inline void __launch_bounds__(run_threads) add_up_runs_kernel(const u64 segments, u64* counts) {
  __shared__ u64 sums_of_warps[run_threads / 32];
  const u64 each = (segments + run_threads - 1) / run_threads, begin = min(segments, threadIdx.x * each),
            end = min(segments, begin + each);
  u64 own = 0;
  for (u64 k = begin; k < end; ++k) own += counts[k];
  u64 before = sum_of_threads_before(own, sums_of_warps);
  for (u64 k = begin; k < end; ++k) {
    const u64 count = counts[k];
    counts[k] = before;
    before += count;
  }
  if (threadIdx.x == run_threads - 1) counts[segments] = before;
}

// Where runs go: as the host reads them, or as a region's runs with the region of each.
struct runs_to_host {
  region_runs::run* runs;
  __device__ void begin(u64 run, u32 region, i64, i64 x) const {
    runs[run].begin = static_cast<u32>(x);
    runs[run].number = region;
  }
  __device__ void end(u64 run, i64 x) const { runs[run].end = static_cast<u32>(x); }
};

struct runs_to_sort {
  row_stretch* runs;
  u32* regions;
  __device__ void begin(u64 run, u32 region, i64 row, i64 x) const {
    regions[run] = region;
    runs[run].row = row;
    runs[run].begin = static_cast<i32>(x);
  }
  __device__ void end(u64 run, i64 x) const { runs[run].end = static_cast<i32>(x); }
};

template <class Label, class Runs>
__global__ void __launch_bounds__(run_threads)
    write_runs_kernel(const label_source from, const row_segments segments, const background_test<Label> is_background,
                      const label_numbers numbers, const u64* before_segments, const Runs to) {
  __shared__ u64 sums_of_warps[run_threads / 32];
  for (u64 segment = blockIdx.x; segment < segments.all; segment += gridDim.x) {
    const run_ends<Label> own(from, segments, is_background, segment);
    u64 next = before_segments[segment] + sum_of_threads_before(ones(own.begins), sums_of_warps);
    for (u32 k = 0; k < pixels_of_run_thread; ++k) {
      if ((own.begins >> k & 1) != 0) to.begin(next++, numbers.row_of(own.labels[k]), own.row, own.x + k);
      if ((own.ends >> k & 1) != 0) to.end(next - 1, own.x + k + 1);
    }
    __syncthreads();
  }
}

}  // namespace skerry::regions::on_device

// SPDX-License-Identifier: Apache-2.0
// The values of an image within regions: where the smallest and the largest are, and how many are in each bin.
//
//   thread  the pixels of one label in its patch
//   grid    rows of regions, by atomics
//
// Reads   the label image, the values under the regions; rows of labels
// Writes  the key of the best value of each row, then its first place; counts of bins
// Method  a key is a number whose order is that of the values, so that the least one is found by an atomic minimum; a second read
//         finds where that one is first
#pragma once
#include "core/order_key.hpp"
#include "engine/cuda/intensity_image.cuh"
#include "regions/cuda/numbers.cuh"

namespace skerry::regions::on_device {

// A label image, the rows of its labels, and an image of values.
template <class Label>
struct value_work {
  label_source from;
  tile_grid grid;
  background_test<Label> is_background;
  label_numbers numbers;
  intensity_image image;

  // Calls visit(row, pixel, raster index) for every pixel of a region.
  template <class Visit>
  __device__ void each_pixel(Visit visit) const {
    each_patch<Label>(
        from, grid, is_background, [&](const pixel_place& tile, const label_patch<Label>& patch, u32 left) {
          each_piece(patch, left, [&](Label label, u32 mask) {
            if (mask == 0) return;
            const u32 row = numbers.row_of(label);
            each_bit(mask, [&](int k) {
              const auto bit = static_cast<u32>(k);
              const pixel_place pixel{tile.z, tile.y + patch_y() + bit / patch_width,
                                      tile.x + patch_x() + bit % patch_width};
              visit(row, pixel, static_cast<u64>((pixel.z * from.height + pixel.y) * from.width + pixel.x));
            });
          });
        });
  }
};

// ---- extrema ------------------------------------------------------------------------------------------------------

// The least key is that of the value that is looked for.
struct value_keys {
  bool largest;

  // A NaN goes before all numbers at both ends, so its key is 0, which no number has.
  [[nodiscard]] __device__ u64 of(const intensity_image& image, const pixel_place& pixel) const {
    const char* const at = image.place(pixel.z, pixel.y, pixel.x);
    u64 key;
    if (image.type == dtype::u64) {
      key = intensity_image::read<u64>(at);
    } else if (image.type == dtype::i64) {
      key = order_key(intensity_image::read<i64>(at));
    } else {
      const double value = image.at(pixel.z, pixel.y, pixel.x);
      if (isnan(value)) return 0;
      key = order_key(value);
    }
    return largest ? ~key : key;
  }
};

__device__ inline void lower(u64& word, u64 value) {
  if (atomic_ref<u64, sharing::device>(word).load(relaxed) > value)
    atomicMin(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
}

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    find_best_keys_kernel(const value_work<Label> work, const value_keys keys, u64* best) {
  work.each_pixel([&](u32 row, const pixel_place& pixel, u64) { lower(best[row], keys.of(work.image, pixel)); });
}

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    find_best_places_kernel(const value_work<Label> work, const value_keys keys, const u64* best, u64* places) {
  work.each_pixel([&](u32 row, const pixel_place& pixel, u64 place) {
    if (keys.of(work.image, pixel) == best[row]) lower(places[row], place);
  });
}

// The values at places, as doubles.
__global__ inline void read_values_kernel(const intensity_image image, i64 height, i64 width, const u64* places,
                                          double* values, u64 rows) {
  for (u64 row = u64{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += u64{gridDim.x} * blockDim.x) {
    const i64 place = static_cast<i64>(places[row]), y = place / width;
    values[row] = image.at(y / height, y % height, place % width);
  }
}

// ---- histograms ---------------------------------------------------------------------------------------------------

// Limits of bins, ascending. Bin i has edges[i] <= value < edges[i + 1]; the last one its upper limit, too.
struct bin_edges {
  const double* edges;
  u64 bins;

  // The number of bins for a number that is in none.
  [[nodiscard]] __device__ u64 bin_of(double value) const {
    if (!(value >= edges[0] && value <= edges[bins])) return bins;
    if (value == edges[bins]) return bins - 1;
    u64 begin = 0, end = bins;  // edges[begin] <= value < edges[end]
    while (end - begin > 1) {
      const u64 middle = begin + (end - begin) / 2;
      (edges[middle] <= value ? begin : end) = middle;
    }
    return begin;
  }
};

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    count_bins_kernel(const value_work<Label> work, const bin_edges bins, u64* counts) {
  work.each_pixel([&](u32 row, const pixel_place& pixel, u64) {
    const u64 bin = bins.bin_of(work.image.at(pixel.z, pixel.y, pixel.x));
    if (bin < bins.bins) atomicAdd(reinterpret_cast<unsigned long long*>(counts + row * bins.bins + bin), 1ull);
  });
}

}  // namespace skerry::regions::on_device

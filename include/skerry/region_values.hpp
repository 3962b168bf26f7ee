// SPDX-License-Identifier: Apache-2.0
// Extrema, histograms and quantiles of an image within given regions (regions.hpp), beyond sums.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/regions.hpp"

namespace skerry {

/// An image, and the regions whose values are wanted.
struct region_pixels {
  image_view labels;                   // integers of 8 to 64 bits, or boolean
  image_view image;                    // same extent, any dtype but bit, any strides
  skerry::background background = {};  // labels that are background
  /// As in region_request: these labels, in this order, instead of all in ascending order.
  std::optional<std::vector<label_bits>> index = {};
};

/// A pixel and its value as a double, which is rounded for 64-bit integers beyond 2^53. `z`, `y` and `x` are -1, and
/// the value is NaN, where a region of the index has no pixels.
struct placed_value {
  double value;          // NaN where there is no pixel
  std::int64_t z, y, x;  // of the pixel
};

/// The extrema of each region.
struct region_extrema {
  std::vector<label_bits> labels;  // of each region
  std::vector<placed_value> min;   // of each region
  std::vector<placed_value> max;   // of each region
};

/// Finds the smallest and the largest value of each region, as SciPy's extrema: of equal ones the first in raster
/// order. A NaN counts as smaller and larger than all numbers, as in NumPy's argmin and argmax. Values are compared
/// exactly.
///
///   on     engine. On CUDA images may be in device memory, as in measure_regions()
///   asked  label image and image: sides below 2^31, at most 2^40 pixels and 2^32 - 2 labels, possibly 0
///
/// Throws invalid_argument naming the argument; out_of_memory.
/// Scratch, given back at the end of the call: as measure_regions(), with 32 bytes per thread and region. On CUDA kept: the numbers of
/// labels, and 32 bytes for each region.
/// Cost: one read of `image` under the regions, and two of `labels`; one with an index. On CUDA four, and five.
[[nodiscard]] region_extrema find_extrema(engine& on, const region_pixels& asked);

/// The histogram of each region.
struct region_histograms {
  std::vector<label_bits> labels;     // of each region
  std::size_t bins = 0;               // of each histogram
  std::vector<std::uint64_t> counts;  // `bins` of each region, region by region
};

/// Limits of `bins` bins of the same width from `low` to `high`: bins + 1 of them, as NumPy's linspace has them.
/// Throws invalid_argument unless low < high are finite and 0 < bins <= 2^20.
[[nodiscard]] std::vector<double> equal_bins(double low, double high, std::size_t bins);

/// Counts the values of each region in bins, as SciPy's histogram and NumPy's: bin i has the values of edges[i] <=
/// value < edges[i + 1], the last bin those equal to its upper limit, too. Other values and NaN are not counted.
///
///   on, asked  as in find_extrema()
///   edges      2 to 2^20 + 1 limits, finite and ascending
///
/// 64-bit integers are compared as doubles.
/// Throws invalid_argument naming the argument; out_of_memory.
/// Scratch, given back at the end of the call: as measure_regions(), with 8 bytes for each thread, region and bin. On CUDA
/// kept: the numbers of labels, and 8 bytes for each region and bin.
/// Cost: as find_extrema(); on CUDA one read of `image`, and two of `labels`.
[[nodiscard]] region_histograms count_histograms(engine& on, const region_pixels& asked,
                                                 const std::vector<double>& edges);

/// The quantiles of each region.
struct region_quantiles {
  std::vector<label_bits> labels;  // of each region
  std::size_t quantiles = 0;       // of each region
  std::vector<double> values;      // region by region
};

/// Finds quantiles of the values of each region, as NumPy's quantile with its default method, linear: with the values
/// in order, quantile q of n of them is at place q (n - 1), and between places it is interpolated. 0.5 is the median.
///
///   on         engine: any; CUDA, for images in host or device memory, reads both for each fraction once for each four
///              bits in which values of their type differ, and keeps 184 bytes for each region
///   asked      as in find_extrema()
///   fractions  of 0 to 1, at most 2^20
///
/// The values between which it is interpolated are exact (64-bit integers rounded to doubles, -0.0 is 0.0). A region
/// with a NaN, and one without pixels, has NaN. A quantile at a place, or between equal values, is that value, also
/// where it is infinite; next to an infinity it is what the formula gives.
/// Throws invalid_argument naming the argument; out_of_memory.
/// Scratch, given back at the end of the call: as measure_regions(), 8 bytes per thread and region, and the bytes of
/// `image` under the regions; twice those of f16, whose values are gathered as floats.
/// Cost: as find_extrema() with one read more of `labels`; then a selection in expected linear time for each fraction.
[[nodiscard]] region_quantiles find_quantiles(engine& on, const region_pixels& asked,
                                              const std::vector<double>& fractions);

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// The values of each region, gathered and looked at one by one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/regions.hpp"
#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

struct region_pixel {
  exact value;
  i64 z, y, x;
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<label_bits> labels_of_rows(const region_pixels& asked) {
  return measure_regions({asked.labels, asked.background, {}, asked.index}).labels;
}

// The pixels of one region in raster order.
std::vector<region_pixel> pixels_of(const region_pixels& asked, label_bits label) {
  const std::vector<u64> is_in = membership(asked.labels, asked.background, label);
  std::vector<region_pixel> pixels;
  std::size_t i = 0;
  const extent& size = asked.labels.size;
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x)
        if (is_in[i++] != 0) pixels.push_back({exact_value_at(asked.image, z, y, x), z, y, x});
  return pixels;
}

placed_value place_of(const region_pixel& pixel) {
  return {static_cast<double>(pixel.value), pixel.z, pixel.y, pixel.x};
}

}  // namespace

region_extrema find_extrema(const region_pixels& asked) {
  region_extrema result{labels_of_rows(asked), {}, {}};
  for (const label_bits label : result.labels) {
    const std::vector<region_pixel> pixels = pixels_of(asked, label);
    placed_value min{none, -1, -1, -1}, max = min;
    const auto nan = std::find_if(pixels.begin(), pixels.end(), [](const auto& p) { return std::isnan(p.value); });
    const auto below = [](const region_pixel& a, const region_pixel& b) { return a.value < b.value; };
    if (nan != pixels.end()) {
      min = max = place_of(*nan);
    } else if (!pixels.empty()) {  // both algorithms find the first of equal ones
      min = place_of(*std::min_element(pixels.begin(), pixels.end(), below));
      max = place_of(*std::max_element(pixels.begin(), pixels.end(), below));
    }
    result.min.push_back(min);
    result.max.push_back(max);
  }
  return result;
}

region_histograms count_histograms(const region_pixels& asked, const std::vector<double>& edges) {
  region_histograms result{labels_of_rows(asked), edges.size() - 1, {}};
  for (const label_bits label : result.labels) {
    const std::vector<region_pixel> pixels = pixels_of(asked, label);
    for (std::size_t bin = 0; bin < result.bins; ++bin) {
      const bool is_last = bin + 1 == result.bins;
      result.counts.push_back(
          static_cast<u64>(std::count_if(pixels.begin(), pixels.end(), [&](const region_pixel& pixel) {
            const auto value = static_cast<double>(pixel.value);
            return edges[bin] <= value && (value < edges[bin + 1] || (is_last && value == edges[bin + 1]));
          })));
    }
  }
  return result;
}

region_quantiles find_quantiles(const region_pixels& asked, const std::vector<double>& fractions) {
  region_quantiles result{labels_of_rows(asked), fractions.size(), {}};
  for (const label_bits label : result.labels) {
    std::vector<double> values;
    for (const region_pixel& pixel : pixels_of(asked, label)) values.push_back(static_cast<double>(pixel.value) + 0.0);
    const bool has_nan = std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
    if (!has_nan) std::sort(values.begin(), values.end());
    for (const double fraction : fractions) {
      if (values.empty() || has_nan) {
        result.values.push_back(none);
        continue;
      }
      const double place = static_cast<double>(values.size() - 1) * fraction, share = place - std::floor(place);
      const double a = values[static_cast<std::size_t>(place)], b = values[static_cast<std::size_t>(std::ceil(place))];
      // NumPy's interpolation, and no difference of infinities.
      if (a == b) result.values.push_back(a);
      else result.values.push_back(share >= 0.5 ? b - (b - a) * (1 - share) : a + (b - a) * share);
    }
  }
  return result;
}

}  // namespace skerry::reference

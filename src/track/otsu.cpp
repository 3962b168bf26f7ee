// SPDX-License-Identifier: Apache-2.0
#include "track/otsu.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "core/float16.hpp"
#include "core/pixel_type.hpp"
#include "core/portable.hpp"
#include "engine/begin_call.hpp"
#include "engine/line.hpp"
#include "engine/stop.hpp"
#include "skerry/threshold.hpp"
#include "track/otsu_value.hpp"

namespace skerry {
namespace track_steps {
namespace {

constexpr std::size_t coarse_bins = 256;

// A pixel as a number: binary16 is a float here.
template <class Pixel>
auto number_in(Pixel pixel) {
  if constexpr (std::is_same_v<Pixel, f16>) return number_of(pixel);
  else return pixel;
}

// Calls visit(number) for each pixel in raster order.
template <class Pixel, class Visit>
void each_pixel(const image_view& image, Visit visit) {
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y) {
      stop_point();
      const auto* at = static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y;
      for (i64 x = 0; x < image.size.width; ++x, at += image.strides.x) {
        Pixel value;
        std::memcpy(&value, at, sizeof value);
        if constexpr (std::is_same_v<Pixel, u8>)
          if (image.type == dtype::boolean) value = value != 0 ? 1 : 0;
        visit(number_in(value));
      }
    }
}

template <class Number>
bool is_finite(Number value) {
  if constexpr (std::is_floating_point_v<Number>) return std::isfinite(value);
  else return true;
}

// The bin k with the largest weight(0..k) · weight(k+1..) · (mean(0..k) - mean(k+1..))².
double best_split(const otsu_scratch& bins) {
  double all = 0, all_sum = 0;
  for (std::size_t k = 0; k < bins.counts.size(); ++k) {
    all += bins.counts[k];
    all_sum += bins.counts[k] * bins.centres[k];
  }
  double below = 0, below_sum = 0, best = -1, threshold = bins.centres.front();
  for (std::size_t k = 0; k + 1 < bins.counts.size(); ++k) {
    below += bins.counts[k];
    below_sum += bins.counts[k] * bins.centres[k];
    const double above = all - below;
    if (below == 0 || above == 0) continue;
    const double distance = below_sum / below - (all_sum - below_sum) / above;
    const double variance = below * above * distance * distance;
    if (variance > best) {
      best = variance;
      threshold = bins.centres[k];
    }
  }
  return threshold;
}

// The bins of an image whose values go from `least` to `most`, empty.
template <class Pixel>
void set_bins(double least, double most, otsu_scratch& bins) {
  bins.edges.clear();
  if constexpr (std::is_integral_v<Pixel>)
    if (has_bin_per_value(least, most)) {
      const auto low = static_cast<i64>(least);
      const auto count = static_cast<std::size_t>(static_cast<i64>(most) - low) + 1;
      bins.counts.assign(count, 0);
      bins.centres.resize(count);
      for (std::size_t k = 0; k < count; ++k) bins.centres[k] = static_cast<double>(low + static_cast<i64>(k));
      return;
    }
  // Halves, so that the widest range of doubles does not overflow.
  const double step = most / coarse_bins - least / coarse_bins;
  std::vector<double>& edges = bins.edges;
  edges.resize(coarse_bins + 1);
  for (std::size_t k = 0; k < coarse_bins; ++k) edges[k] = least + static_cast<double>(k) * step;
  edges[coarse_bins] = most;
  if constexpr (std::is_same_v<decltype(number_in(Pixel())), float>)  // NumPy keeps the edges in the type of the image
    for (double& edge : edges) edge = static_cast<float>(edge);
  bins.counts.assign(coarse_bins, 0);
  bins.centres.resize(coarse_bins);
  for (std::size_t k = 0; k < coarse_bins; ++k) bins.centres[k] = edges[k] / 2 + edges[k + 1] / 2;
}

template <class Pixel>
void count_pixels(const image_view& image, otsu_scratch& bins) {
  const std::vector<double>& edges = bins.edges;
  if constexpr (std::is_integral_v<Pixel>)
    if (edges.empty()) {
      const auto low = static_cast<i64>(bins.centres.front());
      const std::size_t last = bins.counts.size() - 1;  // in case another thread changes pixels meanwhile
      each_pixel<Pixel>(image, [&](auto value) {
        ++bins.counts[std::min<u64>(static_cast<u64>(value) - static_cast<u64>(low), last)];
      });
      return;
    }
  each_pixel<Pixel>(image, [&](auto value) {
    if (!is_finite(value)) return;
    const auto above = std::upper_bound(edges.begin(), edges.end() - 1, otsu_value(value));
    ++bins.counts[static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - edges.begin() - 1, 0))];
  });
}

// Bytes need no look at their range first. There are four tables, since a bin that was just counted in is not ready to
// be counted in again.
double otsu_of_bytes(const image_view& image, otsu_scratch& bins) {
  constexpr std::size_t tables = 4, values = 256;
  u64 count[tables][values] = {};
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y) {
      stop_point();
      const auto* at = static_cast<const u8*>(image.data) + z * image.strides.z + y * image.strides.y;
      for (i64 x = 0; x < image.size.width; ++x, at += image.strides.x) ++count[x & 3][*at];
    }
  for (std::size_t value = 0; value < values; ++value)
    for (std::size_t table = 1; table < tables; ++table) count[0][value] += count[table][value];
  if (image.type == dtype::boolean)
    for (std::size_t value = 2; value < values; ++value) count[0][1] += std::exchange(count[0][value], 0);
  std::size_t low = 0, high = values - 1;
  while (count[0][low] == 0) ++low;
  while (count[0][high] == 0) --high;
  bins.counts.clear();
  bins.centres.clear();
  for (std::size_t value = low; value <= high; ++value) {
    bins.counts.push_back(static_cast<double>(count[0][value]));
    bins.centres.push_back(static_cast<double>(value));
  }
  return best_split(bins);
}

template <class Pixel>
value_range range_in(const image_view& image) {
  decltype(number_in(Pixel())) low{}, high{};
  bool any = false;
  each_pixel<Pixel>(image, [&](auto value) {
    if (!is_finite(value)) return;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  });
  if (!any) return {};
  return {otsu_value(low), otsu_value(high)};
}

[[noreturn]] void refuse_range() { refuse("image: no pixel is finite"); }

template <class Pixel>
double otsu(const image_view& image, otsu_scratch& bins) {
  const value_range range = range_in<Pixel>(image);
  if (range.least > range.most) refuse_range();
  if (range.least == range.most) return range.least;
  set_bins<Pixel>(range.least, range.most, bins);
  count_pixels<Pixel>(image, bins);
  return best_split(bins);
}

// Checks a block; Otsu's method is for values, not bits.
void check_otsu_block(const image_view& block) {
  check_image("image", block);
  if (block.type == dtype::bit) refuse("image: dtype bit has no Otsu threshold");
}

}  // namespace

double otsu_threshold(const image_view& image, otsu_scratch& scratch) {
  if (image.type == dtype::bit) refuse("image: dtype bit has no Otsu threshold");
  return with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) {
    if constexpr (std::is_same_v<Pixel, u8>) return otsu_of_bytes(image, scratch);
    else return otsu<Pixel>(image, scratch);
  });
}

}  // namespace track_steps

double otsu_threshold(const image_view& image) {
  if (is_line(image.size)) return otsu_threshold(as_plane("image", image));
  check_image("image", image);
  if (image.size.pixels() == 0) refuse("image: size " + text_of(image.size) + " has no pixels");
  track_steps::otsu_scratch scratch;
  return track_steps::otsu_threshold(image, scratch);
}

double otsu_threshold(engine& on, const image_view& image) {
  const running_call call(on, {{"image", image}});
  return otsu_threshold(image);
}

value_range range_of_values(const image_view& block) {
  track_steps::check_otsu_block(block);
  return with_pixel_type(block.type,
                         [&]<class Pixel>(pixel_type<Pixel>) { return track_steps::range_in<Pixel>(block); });
}

std::vector<std::uint64_t> count_values(const image_view& block, const value_range& range) {
  track_steps::check_otsu_block(block);
  const value_range own = range_of_values(block);
  if (own.least <= own.most && (own.least < range.least || own.most > range.most))
    refuse("range: the image has values outside it; give the range of all blocks");
  if (range.least > range.most) return {};
  return with_pixel_type(block.type, [&]<class Pixel>(pixel_type<Pixel>) {
    track_steps::otsu_scratch bins;
    track_steps::set_bins<Pixel>(range.least, range.most, bins);
    track_steps::count_pixels<Pixel>(block, bins);
    return std::vector<std::uint64_t>(bins.counts.begin(), bins.counts.end());
  });
}

double otsu_threshold(dtype type, const value_range& range, const std::vector<std::uint64_t>& counts) {
  if (range.least > range.most) track_steps::refuse_range();
  if (range.least == range.most) return range.least;
  if (type == dtype::bit) refuse("type: bit has no Otsu threshold");
  track_steps::otsu_scratch bins;
  with_pixel_type(type,
                  [&]<class Pixel>(pixel_type<Pixel>) { track_steps::set_bins<Pixel>(range.least, range.most, bins); });
  if (counts.size() != bins.counts.size())
    refuse("counts: " + std::to_string(counts.size()) + " bins are not the " + std::to_string(bins.counts.size()) +
           " of this type and range");
  std::copy(counts.begin(), counts.end(), bins.counts.begin());
  return track_steps::best_split(bins);
}

}  // namespace skerry

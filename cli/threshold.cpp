// SPDX-License-Identifier: Apache-2.0
#include "cli/threshold.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "cli/console.hpp"

namespace skerry::cli {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t coarse_bins = 256;

struct histogram {
  std::vector<double> counts;
  std::vector<double> centres;
};

// The bin k with the largest weight(0..k) · weight(k+1..) · (mean(0..k) - mean(k+1..))².
double best_split(const histogram& bins) {
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

template <class Pixel>
double otsu(const Pixel* pixels, std::size_t count) {
  Pixel low{}, high{};
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<Pixel>)
      if (!std::isfinite(pixels[i])) continue;
    low = any ? std::min(low, pixels[i]) : pixels[i];
    high = any ? std::max(high, pixels[i]) : pixels[i];
    any = true;
  }
  if (!any) throw usage_error("--threshold otsu: no pixel is finite");
  if (low == high) return static_cast<double>(low);

  histogram bins;
  if (std::is_integral_v<Pixel> && static_cast<double>(high) - static_cast<double>(low) < 65536) {
    const auto base = static_cast<std::int64_t>(low);
    bins.counts.resize(static_cast<std::size_t>(static_cast<std::int64_t>(high) - base) + 1);
    bins.centres.resize(bins.counts.size());
    for (std::size_t i = 0; i < count; ++i)
      ++bins.counts[static_cast<std::size_t>(static_cast<std::int64_t>(pixels[i]) - base)];
    for (std::size_t k = 0; k < bins.centres.size(); ++k)
      bins.centres[k] = static_cast<double>(base + static_cast<std::int64_t>(k));
    return best_split(bins);
  }

  // Halves, so that the widest range of doubles does not overflow.
  const double first = static_cast<double>(low), last = static_cast<double>(high);
  const double step = last / coarse_bins - first / coarse_bins;
  std::vector<double> edges(coarse_bins + 1);
  for (std::size_t k = 0; k < coarse_bins; ++k) edges[k] = first + static_cast<double>(k) * step;
  edges[coarse_bins] = last;
  if constexpr (std::is_same_v<Pixel, float>)  // NumPy keeps the edges in the type of the image
    for (double& edge : edges) edge = static_cast<float>(edge);
  bins.counts.resize(coarse_bins);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(pixels[i]);
    if (!std::isfinite(value)) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end() - 1, value);
    ++bins.counts[static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - edges.begin() - 1, 0))];
  }
  for (std::size_t k = 0; k < coarse_bins; ++k) bins.centres.push_back(edges[k] / 2 + edges[k + 1] / 2);
  return best_split(bins);
}

double number(const std::string& text) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, value);
  if (result.ec != std::errc{} || result.ptr != end || std::isnan(value))
    throw usage_error("--threshold: '" + text + "' is neither a number nor otsu");
  return value;
}

// What a rule leaves out. Every pixel type fits a double, so "below t" is "up to the double before t".
foreground inverse(const foreground& rule) {
  switch (rule.kind) {
    case foreground::rule::nonzero: return foreground::within(0, 0);
    case foreground::rule::above: return foreground::within(-infinity, rule.low);
    case foreground::rule::at_least: return foreground::within(-infinity, std::nextafter(rule.low, -infinity));
    case foreground::rule::within: break;
  }
  throw usage_error("--invert does not go with --range");
}

}  // namespace

double otsu_threshold(const image_view& image) {
  const auto count = static_cast<std::size_t>(image.size.pixels());
  switch (image.type) {
    case dtype::boolean:
    case dtype::u8: return otsu(static_cast<const std::uint8_t*>(image.data), count);
    case dtype::u16: return otsu(static_cast<const std::uint16_t*>(image.data), count);
    case dtype::u32: return otsu(static_cast<const std::uint32_t*>(image.data), count);
    case dtype::i16: return otsu(static_cast<const std::int16_t*>(image.data), count);
    case dtype::i32: return otsu(static_cast<const std::int32_t*>(image.data), count);
    case dtype::f32: return otsu(static_cast<const float*>(image.data), count);
    case dtype::f64: return otsu(static_cast<const double*>(image.data), count);
    case dtype::bit:
    case dtype::u64: break;
  }
  throw usage_error("--threshold otsu: not for this pixel type");
}

foreground_choice choose_foreground(const foreground_options& options, const image_view& image) {
  foreground_choice choice;
  if (options.threshold == "otsu") {
    choice.otsu = otsu_threshold(image);
    choice.rule = foreground::above(*choice.otsu);
  } else if (options.threshold) {
    choice.rule = foreground::above(number(*options.threshold));
  } else if (options.at_least) {
    choice.rule = foreground::at_least(*options.at_least);
  } else if (!options.range.empty()) {
    choice.rule = foreground::within(options.range[0], options.range[1]);
  }
  if (options.invert) choice.rule = inverse(choice.rule);
  return choice;
}

}  // namespace skerry::cli

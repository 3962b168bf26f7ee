// SPDX-License-Identifier: Apache-2.0
// Histograms of regions. Needs products rounded before they are added to (src/CMakeLists.txt), as NumPy's are.
#include <algorithm>
#include <cmath>

#include "engine/begin_call.hpp"
#include "engine/image_checks.hpp"
#include "engine/line.hpp"
#include "reference/regions.hpp"
#include "regions/check.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/values.hpp"

namespace skerry::regions {
namespace {

constexpr std::size_t most_bins = std::size_t{1} << 20;

void check_edges(const std::vector<double>& edges) {
  if (edges.size() < 2 || edges.size() > most_bins + 1)
    refuse("edges: " + std::to_string(edges.size()) + " limits are not 2…2^20 + 1");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!std::isfinite(edges[i])) refuse("edges: limit " + std::to_string(i) + " is not finite");
    if (i > 0 && edges[i] < edges[i - 1]) refuse("edges: limit " + std::to_string(i) + " is below the one before it");
  }
}

// The bin of a number: first where it is if all have the same width, and if it is not there, by bisection.
class bin_finder {
 public:
  explicit bin_finder(const std::vector<double>& edges)
      : edges_(edges), bins_(edges.size() - 1), low_(edges.front()), high_(edges.back()) {
    const double width = high_ - low_;
    scale_ = std::isfinite(width) && width > 0 ? static_cast<double>(bins_) / width : 0;
    if (!std::isfinite(scale_)) scale_ = 0;
  }

  // The number of bins for a number that is in none.
  [[nodiscard]] std::size_t operator()(double value) const {
    if (!(value >= low_ && value <= high_)) return bins_;
    if (value == high_) return bins_ - 1;
    const auto guess = scale_ == 0 ? 0 : std::min(static_cast<std::size_t>((value - low_) * scale_), bins_ - 1);
    if (edges_[guess] <= value && value < edges_[guess + 1]) return guess;
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), value);
    return static_cast<std::size_t>(above - edges_.begin()) - 1;
  }

 private:
  const std::vector<double>& edges_;
  std::size_t bins_;
  double low_, high_, scale_;
};

// Bins of all numbers that a byte can be.
template <class Pixel>
class bin_table {
 public:
  explicit bin_table(const std::vector<double>& edges) {
    const bin_finder find(edges);
    for (int i = 0; i < 256; ++i) bins_[i] = find(static_cast<double>(static_cast<Pixel>(i)));
  }
  [[nodiscard]] std::size_t operator()(Pixel value) const { return bins_[static_cast<u8>(value)]; }

 private:
  std::size_t bins_[256];
};

template <class Pixel, class FindBin>
void count_in_range(const region_pixels& asked, const value_rows& rows, const row_range& range, const FindBin& bin_of,
                    std::size_t bins, std::vector<std::uint64_t>& counts) {
  each_numbered_run(asked.labels, asked.background, rows.numbers, range, [&](const placed_run& run, u32 number) {
    std::uint64_t* const of_region = counts.data() + number * bins;
    each_value<Pixel>(asked.image, run, [&](auto value, i64, i64, i64) {
      std::size_t bin;
      if constexpr (sizeof(Pixel) == 1) bin = bin_of(value);
      else bin = bin_of(static_cast<double>(value));
      if (bin < bins) ++of_region[bin];
    });
  });
}

template <class Pixel>
void count_on_cpu(engine::state& on, const region_pixels& asked, const value_rows& rows,
                  const std::vector<double>& edges, region_histograms& result) {
  using bin_search = std::conditional_t<sizeof(Pixel) == 1, bin_table<Pixel>, bin_finder>;
  const bin_search bin_of(edges);
  const std::size_t bins = result.bins;
  std::vector<std::vector<std::uint64_t>> shares(rows.ranges.size());
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
    shares[s].resize(rows.numbers.size() * bins);
    count_in_range<Pixel>(asked, rows, rows.ranges[s], bin_of, bins, shares[s]);
  });
  result.counts.resize(rows.labels.size() * bins);
  for (std::size_t row = 0; row < rows.labels.size(); ++row) {
    const std::size_t number = rows.numbers.find(rows.labels[row]);
    for (const std::vector<std::uint64_t>& share : shares)
      for (std::size_t bin = 0; bin < bins; ++bin) result.counts[row * bins + bin] += share[number * bins + bin];
  }
}

}  // namespace
}  // namespace skerry::regions

namespace skerry {

std::vector<double> equal_bins(double low, double high, std::size_t bins) {
  const double width = high - low;
  if (!(low < high) || !std::isfinite(width)) refuse("low: it is not below high, or their distance is not finite");
  if (bins == 0 || bins > regions::most_bins) refuse("bins: " + std::to_string(bins) + " is not in 1…2^20");
  std::vector<double> edges(bins + 1);
  const double step = width / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i) edges[i] = static_cast<double>(i) * step + low;
  edges[bins] = high;
  return edges;
}

region_histograms count_histograms(engine& on, const region_pixels& asked, const std::vector<double>& edges) {
  using namespace regions;
  if (is_line(asked.labels.size)) return count_histograms(on, in_plane(asked), edges);
  check_values(asked);
  check_edges(edges);
  engine::state& inside = engine_for(on, {{"labels", asked.labels}, {"image", asked.image}});
  const running_call call(inside);
  return with_memory([&] {
    if (on.kind() == engine_kind::reference) return reference::count_histograms(asked, edges);
    if (asked.labels.size.pixels() != 0 && inside.kind == engine_kind::cuda)
      return count_histograms_on_cuda(inside, asked, edges);
    const value_rows rows(inside, asked);
    region_histograms result{rows.labels, edges.size() - 1, {}};
    with_pixel_type(asked.image.type,
                    [&]<class Pixel>(pixel_type<Pixel>) { count_on_cpu<Pixel>(inside, asked, rows, edges, result); });
    return result;
  });
}

}  // namespace skerry

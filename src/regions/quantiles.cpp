// SPDX-License-Identifier: Apache-2.0
// Quantiles of regions: the values of each region are brought together, and those that are asked for are selected, or all are
// counted, where parts of an image are joined later. Needs products
// rounded before they are added to (src/CMakeLists.txt), as NumPy's are.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "engine/begin_call.hpp"
#include "engine/choose.hpp"
#include "engine/image_checks.hpp"
#include "engine/line.hpp"
#include "engine/stop.hpp"
#include "reference/regions.hpp"
#include "regions/check.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/medians.hpp"
#include "regions/values.hpp"

namespace skerry::regions {
namespace {

constexpr std::size_t most_fractions = std::size_t{1} << 20;

void check_fractions(const std::vector<double>& fractions) {
  if (fractions.size() > most_fractions)
    refuse("fractions: " + std::to_string(fractions.size()) + " are more than 2^20");
  for (std::size_t i = 0; i < fractions.size(); ++i)
    if (!(fractions[i] >= 0 && fractions[i] <= 1)) refuse("fractions: number " + std::to_string(i) + " is not in 0…1");
}

using interpolation = double (*)(double a, double b, double share);

// NumPy's, from the nearer end.
double between(double a, double b, double share) {
  if (share == 0 || a == b) return a;
  return share >= 0.5 ? b - (b - a) * (1 - share) : a + (b - a) * share;
}

double middle(double a, double b, double share) { return share == 0 ? a : std::midpoint(a, b); }

struct quantile_choice {
  explicit quantile_choice(const std::vector<double>& of, interpolation how = between)
      : fractions(of), order(of.size()), interpolate(how) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return of[a] < of[b]; });
  }

  const std::vector<double>& fractions;
  std::vector<std::size_t> order;  // of the fractions, from the smallest on
  interpolation interpolate;
};

// The values of all regions, one region after the other; -0.0 is 0.0, or it would matter which of the two a selection finds.
template <class Number>
class gathered_values {
 public:
  template <class Pixel>
  void gather(engine::state& on, const region_pixels& asked, const value_rows& rows, pixel_type<Pixel>) {
    const std::size_t regions = rows.numbers.size();
    std::vector<std::vector<u64>> next(rows.ranges.size());  // of each share and region: pixels, and then its place
    for_each_in_parallel(on, next.size(), [&](std::size_t s) {
      next[s].resize(regions);
      each_numbered_run(asked.labels, asked.background, rows.numbers, rows.ranges[s],
                        [&](const placed_run& run, u32 number) { next[s][number] += run.width() * run.height(); });
    });
    u64 total = 0;
    begin_.push_back(0);
    for (std::size_t region = 0; region < regions; ++region) {
      for (std::vector<u64>& share : next) total += std::exchange(share[region], total);
      begin_.push_back(total);
    }
    values_.resize(static_cast<std::size_t>(total));
    for_each_in_parallel(on, next.size(), [&](std::size_t s) {
      each_numbered_run(
          asked.labels, asked.background, rows.numbers, rows.ranges[s], [&](const placed_run& run, u32 number) {
            Number* to = values_.data() + next[s][number];
            each_value<Pixel>(asked.image, run,
                              [&](auto value, i64, i64, i64) { *to++ = static_cast<Number>(value + Number{0}); });
            next[s][number] += run.width() * run.height();
          });
    });
  }

  // Orders the values of a region as far as is needed and writes its quantiles.
  void select(std::size_t region, const quantile_choice& choice, double* quantiles) {
    const auto& [fractions, order, interpolate] = choice;
    Number* const first = values_.data() + begin_[region];
    Number* const last = values_.data() + begin_[region + 1];
    if (first == last || std::any_of(first, last, [](Number value) { return is_nan(value); })) {
      std::fill_n(quantiles, fractions.size(), no_value);
      return;
    }
    constexpr std::size_t few = 8;
    const bool sorted = order.size() > few;
    std::size_t compared = 0;
    const auto below = with_stop_points(compared, std::less<>());
    if (sorted) std::sort(first, last, below);
    Number* settled = first;  // what is before it is in order
    for (const std::size_t i : order) {
      const double place = static_cast<double>(last - first - 1) * fractions[i];
      Number* const lower = first + std::min(static_cast<std::ptrdiff_t>(place), last - first - 1);
      if (!sorted) {
        std::nth_element(settled, lower, last, below);
        settled = lower;
      }
      const Number* const upper = lower + 1 == last ? lower : sorted ? lower + 1 : std::min_element(lower + 1, last);
      quantiles[i] = interpolate(static_cast<double>(*lower), static_cast<double>(*upper), place - std::floor(place));
    }
  }

  // Appends the values of a region with how often it has them, from the smallest on.
  void count(std::size_t region, std::vector<value_count>& counts) {
    Number* const first = values_.data() + begin_[region];
    Number* const last = values_.data() + begin_[region + 1];
    Number* const numbers = std::partition(first, last, [](Number value) { return !is_nan(value); });
    std::size_t compared = 0;
    std::sort(first, numbers, with_stop_points(compared, std::less<>()));
    for (const Number* at = first; at != numbers;) {
      const auto value = static_cast<double>(*at);
      const Number* const begin = at;
      while (at != numbers && static_cast<double>(*at) == value) ++at;
      counts.push_back({value, static_cast<u64>(at - begin), static_cast<u32>(region)});
    }
    if (numbers != last) counts.push_back({no_value, static_cast<u64>(last - numbers), static_cast<u32>(region)});
  }

 private:
  std::vector<Number> values_;
  std::vector<u64> begin_;  // of each region, and the end
};

template <class Pixel>
void find_on_cpu(engine::state& on, const region_pixels& asked, const value_rows& rows, const quantile_choice& choice,
                 region_quantiles& result) {
  gathered_values<comparable_of<Pixel>> values;
  values.gather(on, asked, rows, pixel_type<Pixel>());
  const std::size_t regions = rows.numbers.size(), each = choice.fractions.size();
  std::vector<double> of_number(regions * each);
  constexpr std::size_t block = 64;
  for_each_in_parallel(on, (regions + block - 1) / block, [&](std::size_t b) {
    for (std::size_t region = b * block; region < std::min(regions, (b + 1) * block); ++region)
      values.select(region, choice, of_number.data() + region * each);
  });
  for (const label_bits label : rows.labels) {
    const double* const from = of_number.data() + rows.numbers.find(label) * each;
    result.values.insert(result.values.end(), from, from + each);
  }
}

region_quantiles find_on_cuda(engine::state& on, const region_pixels& asked, const quantile_choice& choice) {
  const std::size_t each = choice.fractions.size();
  const selected_values found = select_on_cuda(on, asked, choice.fractions);
  region_quantiles result{found.labels, each, {}};
  const std::size_t regions = found.labels.size();
  for (std::size_t region = 0; region < regions; ++region)
    for (std::size_t i = 0; i < each; ++i) {
      const selected_pair& pair = found.pairs[i * regions + region];
      const double place = static_cast<double>(pair.pixels - 1) * choice.fractions[i];
      result.values.push_back(pair.pixels == 0 ? no_value
                                               : choice.interpolate(pair.lower, pair.upper, place - std::floor(place)));
    }
  return result;
}

region_quantiles choose_quantiles(engine::state& on, const region_pixels& asked, const quantile_choice& choice) {
  if (on.kind == engine_kind::cuda && asked.labels.size.pixels() != 0) return find_on_cuda(on, asked, choice);
  const value_rows rows(on, asked);
  region_quantiles result{rows.labels, choice.fractions.size(), {}};
  with_pixel_type(asked.image.type,
                  [&]<class Pixel>(pixel_type<Pixel>) { find_on_cpu<Pixel>(on, asked, rows, choice, result); });
  return result;
}

template <class Pixel>
std::vector<value_count> count_on_cpu(engine::state& on, const region_pixels& asked) {
  const value_rows rows(on, asked);
  gathered_values<comparable_of<Pixel>> values;
  values.gather(on, asked, rows, pixel_type<Pixel>());
  constexpr std::size_t block = 64;
  std::vector<std::vector<value_count>> parts((rows.numbers.size() + block - 1) / block);
  for_each_in_parallel(on, parts.size(), [&](std::size_t b) {
    for (std::size_t region = b * block; region < std::min(rows.numbers.size(), (b + 1) * block); ++region)
      values.count(region, parts[b]);
  });
  std::vector<value_count> all;
  for (const std::vector<value_count>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::vector<value_count> count_values(engine::state& on, const region_pixels& asked) {
  std::vector<value_count> counts;
  with_pixel_type(asked.image.type, [&]<class Pixel>(pixel_type<Pixel>) { counts = count_on_cpu<Pixel>(on, asked); });
  return counts;
}

double median_of(std::span<const value_count> values) {
  if (values.empty() || std::isnan(values.back().value)) return no_value;
  u64 pixels = 0;
  for (const value_count& each : values) pixels += each.count;
  const auto at = [&](u64 place) {
    std::size_t i = 0;
    for (u64 before = values[0].count; before <= place; before += values[i].count) ++i;
    return values[i].value;
  };
  return middle(at((pixels - 1) / 2), at(pixels / 2), pixels % 2 != 0 ? 0 : 0.5);
}

std::vector<double> find_medians(engine& on, const region_pixels& asked) {
  const std::vector<double> half = {0.5};
  engine::state& inside = engine_for(on, {{"labels", asked.labels}, {"image", asked.image}});
  const running_call call(inside);
  return choose_quantiles(inside, asked, quantile_choice(half, middle)).values;
}

}  // namespace skerry::regions

namespace skerry {

region_quantiles find_quantiles(engine& on, const region_pixels& asked, const std::vector<double>& fractions) {
  using namespace regions;
  if (is_line(asked.labels.size)) return find_quantiles(on, in_plane(asked), fractions);
  check_values(asked);
  check_fractions(fractions);
  engine::state& inside = engine_for(on, {{"labels", asked.labels}, {"image", asked.image}});
  const running_call call(inside);
  return with_memory([&] {
    if (on.kind() == engine_kind::reference) return reference::find_quantiles(asked, fractions);
    return choose_quantiles(inside, asked, quantile_choice(fractions));
  });
}

}  // namespace skerry

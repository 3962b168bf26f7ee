// SPDX-License-Identifier: Apache-2.0
// Where the smallest and the largest value of each region are. Threads have a row for each region; of equal values the
// smaller place wins, so that it does not matter who saw it.
#include "engine/begin_call.hpp"
#include "engine/line.hpp"
#include "reference/regions.hpp"
#include "regions/check.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/values.hpp"

namespace skerry::regions {
namespace {

template <class Number>
struct found_value {
  Number value{};
  i64 place = -1;  // in raster order; -1 where there is none

  // Takes what goes before, or is as good and lies before.
  template <class Before>
  void take(Number other, i64 other_place, Before before) {
    const bool better = place < 0 || before(other, value) || (other_place < place && !before(value, other));
    if (!better) return;
    value = other;
    place = other_place;
  }
};

// A NaN goes before all numbers, at both ends.
struct smaller {
  template <class Number>
  bool operator()(Number a, Number b) const {
    return a < b || (is_nan(a) && !is_nan(b));
  }
};
struct larger {
  template <class Number>
  bool operator()(Number a, Number b) const {
    return a > b || (is_nan(a) && !is_nan(b));
  }
};

template <class Number>
struct extremes {
  found_value<Number> min, max;
};

template <class Number>
placed_value placed(const found_value<Number>& found, const extent& size) {
  if (found.place < 0) return {no_value, -1, -1, -1};
  const i64 row = found.place / size.width;
  return {static_cast<double>(found.value), row / size.height, row % size.height, found.place % size.width};
}

template <class Pixel>
void find_in_range(const region_pixels& asked, const value_rows& rows, const row_range& range,
                   std::vector<extremes<comparable_of<Pixel>>>& found) {
  const extent& size = asked.labels.size;
  each_numbered_run(asked.labels, asked.background, rows.numbers, range, [&](const placed_run& run, u32 number) {
    extremes<comparable_of<Pixel>> best = found[number];
    each_value<Pixel>(asked.image, run, [&](auto value, i64 z, i64 y, i64 x) {
      const i64 place = (z * size.height + y) * size.width + x;
      best.min.take(value, place, smaller());
      best.max.take(value, place, larger());
    });
    found[number] = best;
  });
}

template <class Pixel>
void find_on_cpu(engine::state& on, const region_pixels& asked, const value_rows& rows, region_extrema& result) {
  using row = extremes<comparable_of<Pixel>>;
  std::vector<std::vector<row>> shares(rows.ranges.size());
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
    shares[s].resize(rows.numbers.size());
    find_in_range<Pixel>(asked, rows, rows.ranges[s], shares[s]);
  });
  for (const label_bits label : rows.labels) {
    const u32 number = rows.numbers.find(label);
    row best;
    for (const std::vector<row>& share : shares) {
      if (share[number].min.place < 0) continue;
      best.min.take(share[number].min.value, share[number].min.place, smaller());
      best.max.take(share[number].max.value, share[number].max.place, larger());
    }
    result.min.push_back(placed(best.min, asked.labels.size));
    result.max.push_back(placed(best.max, asked.labels.size));
  }
}

}  // namespace
}  // namespace skerry::regions

namespace skerry {

region_extrema find_extrema(engine& on, const region_pixels& asked) {
  using namespace regions;
  if (is_line(asked.labels.size)) return find_extrema(on, in_plane(asked));
  check_values(asked);
  engine::state& inside = engine_for(on, {{"labels", asked.labels}, {"image", asked.image}});
  const running_call call(inside);
  return with_memory([&] {
    if (on.kind() == engine_kind::reference) return reference::find_extrema(asked);
    if (asked.labels.size.pixels() != 0 && inside.kind == engine_kind::cuda) return find_extrema_on_cuda(inside, asked);
    const value_rows rows(inside, asked);
    region_extrema result{rows.labels, {}, {}};
    with_pixel_type(asked.image.type,
                    [&]<class Pixel>(pixel_type<Pixel>) { find_on_cpu<Pixel>(inside, asked, rows, result); });
    return result;
  });
}

}  // namespace skerry

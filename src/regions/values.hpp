// SPDX-License-Identifier: Apache-2.0
// What jobs on the values of regions share: which regions have rows, and how an index spreads them.
#pragma once
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/run_intensities.hpp"
#include "engine/cpu/parallel.hpp"
#include "regions/region_numbers.hpp"
#include "skerry/region_values.hpp"

namespace skerry::regions {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// A line and its values, as those of a plane of one row.
[[nodiscard]] region_pixels in_plane(const region_pixels& line);
// Checks what all of these jobs are given.
void check_values(const region_pixels& asked);

// The regions that are looked at, and the rows of the result.
struct value_rows {
  value_rows(engine::state& on, const region_pixels& asked)
      : numbers(asked.index.has_value() ? region_numbers(*asked.index, asked.labels)
                                        : region_numbers(on, asked.labels, asked.background, region_order::ascending)),
        labels(asked.index.has_value() ? *asked.index : numbers.labels()),
        ranges(asked.labels.size.pixels() != 0 ? split_rows(on, asked.labels.size) : std::vector<row_range>()) {}

  region_numbers numbers;
  std::vector<label_bits> labels;  // of the rows of the result; a label may be there twice
  std::vector<row_range> ranges;   // shares of the image
};

// A pixel as a number that can be compared.
template <class Pixel>
[[nodiscard]] auto comparable(Pixel pixel, dtype type) {
  if constexpr (std::is_same_v<Pixel, f16>) return number_of(pixel);
  else if constexpr (std::is_floating_point_v<Pixel>) return pixel;
  else return static_cast<Pixel>(type == dtype::boolean && pixel != 0 ? 1 : pixel);
}

template <class Pixel>
using comparable_of = decltype(comparable(Pixel(), dtype::u8));

template <class Number>
[[nodiscard]] bool is_nan(Number number) {
  if constexpr (std::is_floating_point_v<Number>) return std::isnan(number);
  else return false;
}

// Calls visit(number, z, y, x) for the pixels under a run.
template <class Pixel, class Visit>
void each_value(const image_view& image, const placed_run& run, Visit visit) {
  for (placed_run row = run; row.top < run.bottom; ++row.top) {
    row.bottom = row.top + 1;
    i64 x = row.begin;
    each_intensity<Pixel>(image, row, [&](Pixel pixel) { visit(comparable(pixel, image.type), run.z, row.top, x++); });
  }
}

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// The intensities under a run, joined to the row of its component or region. Host only.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/float16.hpp"
#include "core/intensity.hpp"
#include "core/pixel_type.hpp"
#include "core/real_pixels.hpp"
#include "skerry/image.hpp"

namespace skerry {

// Calls visit(value) for each intensity under a run.
template <class Pixel, class Visit>
void each_intensity(const image_view& image, const placed_run& run, Visit visit) {
  for (i64 y = run.top; y < run.bottom; ++y) {
    const std::byte* at = static_cast<const std::byte*>(image.data) + run.z * image.strides.z + y * image.strides.y +
                          run.begin * image.strides.x;
    for (i64 x = run.begin; x < run.end; ++x, at += image.strides.x) {
      Pixel value;
      std::memcpy(&value, at, sizeof(Pixel));
      visit(value);
    }
  }
}

// A pixel whose intensities are summed as reals, as a number that is exact.
template <class Pixel>
auto real_of(Pixel pixel) {
  if constexpr (std::is_same_v<Pixel, f16>) return number_of(pixel);
  else return pixel;
}

// Joins the intensities under a run to a row. A group of its own that reads intensities has such a function here.
template <class Pixel>
void add_pixels(const image_view& image, const placed_run& run, intensity& row) {
  intensity part;
  if constexpr (sizeof(Pixel) <= 2) {
    for (placed_run one = run; one.top < run.bottom; ++one.top) {  // row by row: the sums are for 2^31 pixels
      narrow_sums sums;
      one.bottom = one.top + 1;
      const bool truth = image.type == dtype::boolean;
      each_intensity<Pixel>(image, one, [&](Pixel pixel) { sums.add(truth ? (pixel != 0 ? 1 : 0) : i32{pixel}); });
      sums.add_to(part);
    }
  } else {
    each_intensity<Pixel>(image, run, [&](Pixel pixel) { add_integer(part, i64{pixel}); });
  }
  join(row, part, join_alone());
}

template <class Pixel>
void add_pixels(const image_view& image, const placed_run& run, real_intensity& row) {
  using real = decltype(real_of(Pixel()));
  real_range<real> range;
  each_intensity<Pixel>(image, run, [&](Pixel pixel) { range.add(real_of(pixel)); });
  widen(row, range.min(), range.max());
  row.non_finite |= range.non_finite();
  const digit_adder<real> digits(row);
  if (digits.none()) return;
  each_intensity<Pixel>(image, run, [&](Pixel pixel) { digits.add(row, real_of(pixel)); });
}

}  // namespace skerry

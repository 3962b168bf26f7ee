// SPDX-License-Identifier: Apache-2.0
// The steps of the reference engine, each written from its definition. Pixels are numbered (z · height + y) · width + x.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "core/portable.hpp"
#include "reference/reference.hpp"

namespace skerry::reference {

/// The value of one pixel, exact; a `boolean` is 0 or 1. Integers beyond 2^53 in magnitude are rounded.
double value_at(const image_view& image, i64 z, i64 y, i64 x);

/// 64-bit integers are exact in one, as everything else is.
using exact = long double;
static_assert(std::numeric_limits<exact>::digits >= 64);
exact exact_value_at(const image_view& image, i64 z, i64 y, i64 x);

/// 1 for each pixel that the rule takes, 0 for the others.
std::vector<u8> foreground_of(const image_view& image, const foreground& rule);

/// Sets the background pixels that no path of background pixels joins to the border of the image.
void fill_holes(std::vector<u8>& mask, const extent& size, int connectivity);

struct pixel_place {
  i64 z, y, x;
};

/// Whether two neighbours of the foreground join.
bool pixels_join(const image_view& image, const joining& how, const pixel_place& a, const pixel_place& b);

/// Numbers the components of a mask of an image 1..n in raster order of their first pixels. Returns n.
u64 label(const image_view& image, const std::vector<u8>& mask, const label_options& options, std::vector<u64>& labels);

/// Drops the components that a selection does not keep and numbers the others again. Returns how many stay.
u64 select(const label_options& options, const extent& size, u64 count, std::vector<u64>& labels);

/// Takes a value into the range of its component: the first pass over its pixels.
void add_range(real_intensity& row, double value);

/// Takes a value into the bins of its component: the second pass, when the range is known.
void add_digits(real_intensity& row, double value);
/// The same of whole · 2^exponent.
void add_digits(real_intensity& row, u64 whole, int exponent, bool negative);

feature_table measure(const std::vector<u64>& labels, u64 count, const extent& size, const measure_options& features);

std::vector<labelled_run> runs_of(const std::vector<u64>& labels, const extent& size);

}  // namespace skerry::reference

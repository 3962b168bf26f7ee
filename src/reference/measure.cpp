// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;

void add(wide_integer& sum, wide term) {
  const auto before = static_cast<unsigned __int128>(sum.high) << 64 | sum.low;
  const auto after = before + static_cast<unsigned __int128>(term);
  sum = {static_cast<u64>(after), static_cast<u64>(after >> 64)};
}

// Calls visit(z, y, x, component) for each pixel of each component, in raster order.
template <class Visit>
void each_labelled_pixel(const std::vector<u64>& labels, const extent& size, Visit visit) {
  std::size_t i = 0;
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x, ++i)
        if (labels[i] != 0) visit(z, y, x, static_cast<std::size_t>(labels[i] - 1));
}

void add_pixel(geometry& g, i64 z, i64 y, i64 x) {
  const i64 at[3] = {z, y, x};
  ++g.area;
  for (int axis = 0; axis < 3; ++axis) {
    g.sum[axis] += static_cast<u64>(at[axis]);
    g.min[axis] = std::min(g.min[axis], static_cast<i32>(at[axis]));
    g.max[axis] = std::max(g.max[axis], static_cast<i32>(at[axis]));
  }
}

void add_pixel(second_moments& m, i64 z, i64 y, i64 x) {
  add(m.zz, static_cast<wide>(z) * z);
  add(m.zy, static_cast<wide>(z) * y);
  add(m.zx, static_cast<wide>(z) * x);
  add(m.yy, static_cast<wide>(y) * y);
  add(m.yx, static_cast<wide>(y) * x);
  add(m.xx, static_cast<wide>(x) * x);
}

void measure_integers(const std::vector<u64>& labels, const extent& size, const image_view& image,
                      feature_table& table) {
  each_labelled_pixel(labels, size, [&](i64 z, i64 y, i64 x, std::size_t component) {
    const double value = value_at(image, z, y, x);
    const auto whole = static_cast<wide>(value);
    intensity& i = table.intensities[component];
    i.min = std::min(i.min, value);
    i.max = std::max(i.max, value);
    add(i.sum, whole);
    add(i.squares, whole * whole);
  });
}

}  // namespace

void add_range(real_intensity& row, double value) {
  if (std::isnan(value)) {
    row.non_finite |= intensity_has_nan;
    return;
  }
  const auto below = [](double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); };
  if (below(value, row.min)) row.min = value;
  if (below(row.max, value)) row.max = value;
  if (std::isinf(value)) row.non_finite |= value > 0 ? intensity_has_plus_infinity : intensity_has_minus_infinity;
}

void add_digits(real_intensity& row, u64 whole, int exponent, bool negative) {
  const double largest = std::max(std::fabs(row.min), std::fabs(row.max));
  if (std::isinf(largest) || largest == 0) return;
  // Bin `bins - 1` holds the leading bit of the largest magnitude, or of its square.
  constexpr int bits = 25;
  const auto lowest_unit = [](int exponent) {
    return bits * (static_cast<int>(std::floor(static_cast<double>(exponent) / bits)) - (real_intensity::bins - 1));
  };
  // Bits [from, from + 25) of a number times 2^exponent.
  const auto digit = [](unsigned_wide number, int exponent, int from) {
    const unsigned_wide limit = u64{1} << bits;
    const int down = from - exponent;
    if (down <= 0) return down > -bits ? static_cast<u64>((number << -down) % limit) : 0;
    return down < 128 ? static_cast<u64>((number >> down) % limit) : 0;
  };
  const int sum_unit = lowest_unit(std::ilogb(largest)), square_unit = lowest_unit(2 * std::ilogb(largest) + 1);
  for (int k = 0; k < real_intensity::bins; ++k) {
    const auto part = static_cast<i64>(digit(whole, exponent, sum_unit + bits * k));
    row.sum[k] += negative ? -part : part;
    row.squares[k] += digit(static_cast<unsigned_wide>(whole) * whole, 2 * exponent, square_unit + bits * k);
  }
}

void add_digits(real_intensity& row, double value) {
  if (std::isnan(value)) return;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  if (std::isfinite(value)) add_digits(row, static_cast<u64>(std::ldexp(fraction, 53)), exponent - 53, value < 0);
}

namespace {

// A pixel of 64 bits as a whole number, which a double may not hold.
void add_whole(real_intensity& row, const image_view& image, i64 z, i64 y, i64 x, bool digits) {
  const auto* at =
      static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y + x * image.strides.x;
  u64 bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  const bool negative = image.type == dtype::i64 && bits >> 63 != 0;
  const double rounded =
      image.type == dtype::i64 ? static_cast<double>(static_cast<i64>(bits)) : static_cast<double>(bits);
  if (digits) add_digits(row, negative ? -bits : bits, 0, negative);
  else add_range(row, rounded);
}

void measure_reals(const std::vector<u64>& labels, const extent& size, const image_view& image, feature_table& table) {
  const bool whole = image.type == dtype::i64 || image.type == dtype::u64;
  for (const bool digits : {false, true})
    each_labelled_pixel(labels, size, [&](i64 z, i64 y, i64 x, std::size_t component) {
      real_intensity& row = table.real_intensities[component];
      if (whole) add_whole(row, image, z, y, x, digits);
      else if (digits) add_digits(row, value_at(image, z, y, x));
      else add_range(row, value_at(image, z, y, x));
    });
}

}  // namespace

feature_table measure(const std::vector<u64>& labels, u64 count, const extent& size, const measure_options& features) {
  feature_table table;
  table.rank = size.rank;
  table.has_moments = features.moments;
  table.has_intensities = features.intensity.data != nullptr;
  table.components.assign(count, {});
  each_labelled_pixel(labels, size, [&](i64 z, i64 y, i64 x, std::size_t component) {
    add_pixel(table.components[component], z, y, x);
  });
  if (table.has_moments) {
    table.moments.assign(count, {});
    each_labelled_pixel(labels, size, [&](i64 z, i64 y, i64 x, std::size_t component) {
      add_pixel(table.moments[component], z, y, x);
    });
  }
  if (table.has_intensities && sums_reals(features.intensity.type)) {
    table.real_intensities.assign(count, {});
    measure_reals(labels, size, features.intensity, table);
  } else if (table.has_intensities) {
    table.intensities.assign(count, {});
    measure_integers(labels, size, features.intensity, table);
  }
  return table;
}

}  // namespace skerry::reference

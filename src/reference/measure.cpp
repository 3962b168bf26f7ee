// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

__extension__ using wide = __int128;

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

// What does not go into the sums. Returns true for a finite value.
bool add_range(intensity& i, double value) {
  if (std::isnan(value)) {
    i.non_finite |= intensity_has_nan;
    return false;
  }
  i.min = std::min(i.min, value);
  i.max = std::max(i.max, value);
  if (std::isinf(value)) i.non_finite |= value > 0 ? intensity_has_plus_infinity : intensity_has_minus_infinity;
  return std::isfinite(value);
}

bool is_float(dtype type) { return type == dtype::f32 || type == dtype::f64; }

void measure_integers(const std::vector<u64>& labels, const extent& size, const image_view& image,
                      feature_table& table) {
  each_labelled_pixel(labels, size, [&](i64 z, i64 y, i64 x, std::size_t component) {
    const double value = value_at(image, z, y, x);
    const auto whole = static_cast<wide>(value);
    intensity& i = table.intensities[component];
    add_range(i, value);
    add(i.sum, whole);
    add(i.squares, whole * whole);
  });
}

// Fixed point, so that the order of summing does not matter: every magnitude is below 2^e, and the units of the two
// sums are 2^(e - 62) and 2^(2e - 62).
void measure_floats(const std::vector<u64>& labels, const extent& size, const image_view& image, double largest,
                    feature_table& table) {
  const int e = largest == 0 ? 0 : std::ilogb(largest) + 1;
  if (largest != 0) {
    table.sum_exponent = e - 62;
    table.square_exponent = 2 * e - 62;
  }
  each_labelled_pixel(labels, size, [&](i64 z, i64 y, i64 x, std::size_t component) {
    const double value = value_at(image, z, y, x) + 0.0;  // -0 becomes 0
    intensity& i = table.intensities[component];
    if (!add_range(i, value) || largest == 0) return;
    const double share = std::ldexp(value, -e);
    add(i.sum, static_cast<i64>(std::nearbyint(std::ldexp(value, 62 - e))));
    add(i.squares, static_cast<i64>(std::nearbyint(std::ldexp(share * share, 62))));
  });
}

}  // namespace

double largest_magnitude(const std::vector<u64>& labels, const image_view& image) {
  double largest = 0;
  if (image.data == nullptr) return largest;
  each_labelled_pixel(labels, image.size, [&](i64 z, i64 y, i64 x, std::size_t) {
    const double value = value_at(image, z, y, x);
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  });
  return largest;
}

feature_table measure(const std::vector<u64>& labels, u64 count, const extent& size, const measure_options& features,
                      double largest) {
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
  if (table.has_intensities) {
    table.intensities.assign(count, {});
    if (is_float(features.intensity.type)) measure_floats(labels, size, features.intensity, largest, table);
    else measure_integers(labels, size, features.intensity, table);
  }
  return table;
}

}  // namespace skerry::reference

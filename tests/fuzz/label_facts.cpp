// SPDX-License-Identifier: Apache-2.0
#include "label_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fuzz_input.hpp"

namespace skerry::fuzz {
namespace {

__extension__ using wide = __int128;

template <class Value>
double load(const std::byte* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

double load_f16(const std::byte* from) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, sizeof bits);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(exponent == 0 ? fraction : fraction + 1024, exponent == 0 ? -24 : exponent - 25);
}

// Integers of 64 bits are rounded.
double value_of(dtype type, const std::byte* pixel) {
  switch (type) {
    case dtype::boolean: return *pixel != std::byte{0} ? 1 : 0;
    case dtype::u8: return load<std::uint8_t>(pixel);
    case dtype::u16: return load<std::uint16_t>(pixel);
    case dtype::u32: return load<std::uint32_t>(pixel);
    case dtype::u64: return load<std::uint64_t>(pixel);
    case dtype::i8: return load<std::int8_t>(pixel);
    case dtype::i16: return load<std::int16_t>(pixel);
    case dtype::i32: return load<std::int32_t>(pixel);
    case dtype::f32: return load<float>(pixel);
    case dtype::f64: return load<double>(pixel);
    case dtype::i64: return load<std::int64_t>(pixel);
    case dtype::f16: return load_f16(pixel);
    case dtype::bit: break;
  }
  return 0;
}

// True for integers that doubles hold.
bool is_whole(dtype type) {
  return type != dtype::f16 && type != dtype::f32 && type != dtype::f64 && type != dtype::u64 && type != dtype::i64;
}

template <class Visit>
void each_pixel(const extent& size, Visit visit) {
  std::size_t i = 0;
  for (std::int64_t z = 0; z < size.depth; ++z)
    for (std::int64_t y = 0; y < size.height; ++y)
      for (std::int64_t x = 0; x < size.width; ++x, ++i) visit(z, y, x, i);
}

const std::byte* address_of(const image_view& image, std::int64_t z, std::int64_t y, std::int64_t x) {
  return static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y + x * image.strides.x;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

bool same(const real_intensity& a, const real_intensity& b) {
  return a == b && same(a.min, b.min) && same(a.max, b.max);
}

bool same(const wide_integer& a, wide b) {
  const auto bits = static_cast<unsigned __int128>(b);
  return a == wide_integer{static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits >> 64)};
}

// Sums over the pixels of one label.
struct facts {
  geometry place;
  wide products[6] = {};
  double min = INFINITY, max = -INFINITY;
  wide sum = 0;

  void add(const std::int64_t (&at)[3]) {
    ++place.area;
    for (int axis = 0; axis < 3; ++axis) {
      place.sum[axis] += static_cast<std::uint64_t>(at[axis]);
      place.min[axis] = std::min(place.min[axis], static_cast<std::int32_t>(at[axis]));
      place.max[axis] = std::max(place.max[axis], static_cast<std::int32_t>(at[axis]));
    }
    int next = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b) products[next++] += static_cast<wide>(at[a]) * at[b];
  }
  void add(double value, bool whole) {
    if (std::isnan(value)) return;
    min = std::min(min, value);
    max = std::max(max, value);
    if (whole) sum += static_cast<wide>(value);
  }
};

}  // namespace

std::vector<std::uint64_t> values_of(const image_view& image) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(image.size.pixels()), 0);
  each_pixel(image.size, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::size_t i) {
    std::memcpy(&values[i], address_of(image, z, y, x), size_of(image.type));
  });
  return values;
}

bool same_table(const feature_table& a, const feature_table& b) {
  return a.rank == b.rank && a.has_moments == b.has_moments && a.has_intensities == b.has_intensities &&
         a.components == b.components && a.moments == b.moments && a.intensities == b.intensities &&
         std::equal(a.real_intensities.begin(), a.real_intensities.end(), b.real_intensities.begin(),
                    b.real_intensities.end(),
                    [](const real_intensity& x, const real_intensity& y) { return same(x, y); });
}

void check_labels(const std::vector<std::uint64_t>& labels, std::uint64_t count, const extent& size,
                  const std::vector<labelled_run>& runs) {
  std::uint64_t seen = 0;
  std::size_t next = 0;
  each_pixel(size, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::size_t i) {
    promise(labels[i] <= seen + 1, "labels are numbered in raster order");
    seen = std::max(seen, labels[i]);
    if (labels[i] == 0 || (x > 0 && labels[i - 1] == labels[i])) return;
    std::int64_t end = x + 1;
    while (end < size.width && labels[i + static_cast<std::size_t>(end - x)] == labels[i]) ++end;
    const labelled_run run = {z * size.height + y, static_cast<std::int32_t>(x), static_cast<std::int32_t>(end),
                              labels[i]};
    promise(next < runs.size() && runs[next] == run, "runs are those of the label image");
    ++next;
  });
  promise(seen == count && next == runs.size(), "all labels and runs are in the image");
}

void check_table(const std::vector<std::uint64_t>& labels, const extent& size, const feature_table& table,
                 const image_view& intensity) {
  std::vector<facts> rows(table.size());
  const bool whole = is_whole(intensity.type);
  each_pixel(size, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::size_t i) {
    if (labels[i] == 0) return;
    promise(labels[i] <= rows.size(), "each label has a row");
    facts& row = rows[labels[i] - 1];
    row.add({z, y, x});
    if (table.has_intensities) row.add(value_of(intensity.type, address_of(intensity, z, y, x)), whole);
  });
  const std::vector<double> sums = table.has_intensities ? table.column("intensity_sum") : std::vector<double>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    promise(table.components[i] == rows[i].place, "area, box and sums of a row are those of its pixels");
    if (table.has_moments) {
      const second_moments& m = table.moments[i];
      const wide_integer* const products[6] = {&m.zz, &m.zy, &m.zx, &m.yy, &m.yx, &m.xx};
      for (int k = 0; k < 6; ++k) promise(same(*products[k], rows[i].products[k]), "moments are those of the pixels");
    }
    if (!table.has_intensities) continue;
    if (intensity.type == dtype::u64 || intensity.type == dtype::i64) continue;
    const bool real = sums_reals(intensity.type);
    const double min = real ? table.real_intensities[i].min : table.intensities[i].min;
    const double max = real ? table.real_intensities[i].max : table.intensities[i].max;
    promise(min == rows[i].min && max == rows[i].max, "the range of intensities is that of the pixels");
    if (whole) promise(sums[i] == static_cast<double>(rows[i].sum), "sums of integers are exact");
  }
}

}  // namespace skerry::fuzz

// SPDX-License-Identifier: Apache-2.0
// Columns of positions, moments and intensities: sums over pixels as their definitions have them, in long double.
#include "reference/columns.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/region_points.hpp"
#include "reference/regions.hpp"
#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

constexpr real nothing = std::numeric_limits<real>::quiet_NaN();
constexpr real circle_number = std::numbers::pi_v<real>;
using powers = std::vector<int>;

// Where one weight is infinite or NaN, so is all that follows from weights: NaN.
real weight_of(const region_point& pixel, bool weighted) {
  return !weighted ? 1 : std::isfinite(pixel.weight) ? pixel.weight : nothing;
}

// Sum of weight times powers of distances to a point, which is about the corner of the box.
real moment(const region_points& of, bool weighted, const powers& exponents, const std::array<real, 3>& about) {
  real sum = 0;
  for (const region_point& pixel : of.pixels) {
    real term = weight_of(pixel, weighted);
    for (std::size_t k = 0; k < exponents.size(); ++k) {
      const std::size_t axis = 3 - exponents.size() + k;
      const real place = static_cast<real>(pixel.at[axis] - of.low[axis]) * of.spacing[axis] - about[axis];
      for (int power = 0; power < exponents[k]; ++power) term *= place;
    }
    sum += term;
  }
  return sum;
}

std::array<real, 3> local_centroid(const region_points& of, bool weighted) {
  std::array<real, 3> centre = {0, 0, 0};
  for (int axis = 3 - of.rank; axis < 3; ++axis) {
    powers first(static_cast<std::size_t>(of.rank));
    const int place = axis - 3 + of.rank;
    first[static_cast<std::size_t>(place)] = 1;
    centre[static_cast<std::size_t>(axis)] = moment(of, weighted, first, {}) / moment(of, weighted, {}, {});
  }
  return centre;
}

real central(const region_points& of, bool weighted, const powers& exponents) {
  int order = 0;
  for (const int power : exponents) order += power;
  if (order == 0) return moment(of, weighted, {}, {});
  const real total = moment(of, weighted, {}, {});
  if (total == 0 || std::isnan(total)) return nothing;
  return order == 1 ? 0 : moment(of, weighted, exponents, local_centroid(of, weighted));
}

real normalized(const region_points& of, bool weighted, const powers& exponents) {
  int order = 0;
  for (const int power : exponents) order += power;
  if (order < 2) return nothing;
  const real least = *std::min_element(of.spacing.begin() + (3 - of.rank), of.spacing.end());
  return central(of, weighted, exponents) / std::pow(least, static_cast<real>(order)) /
         std::pow(moment(of, weighted, {}, {}), static_cast<real>(order) / static_cast<real>(of.rank) + 1);
}

// Hu's seven invariants [Hu1962].
real hu(const region_points& of, bool weighted, int which) {
  const auto n = [&](int y, int x) { return normalized(of, weighted, {y, x}); };
  const real a = n(3, 0) + n(1, 2), b = n(2, 1) + n(0, 3), c = n(3, 0) - 3 * n(1, 2), d = 3 * n(2, 1) - n(0, 3);
  switch (which) {
    case 0: return n(2, 0) + n(0, 2);
    case 1: return std::pow(n(2, 0) - n(0, 2), 2.0L) + 4 * n(1, 1) * n(1, 1);
    case 2: return c * c + d * d;
    case 3: return a * a + b * b;
    case 4: return c * a * (a * a - 3 * b * b) + d * b * (3 * a * a - b * b);
    case 5: return (n(2, 0) - n(0, 2)) * (a * a - b * b) + 4 * n(1, 1) * a * b;
    default: return d * a * (a * a - 3 * b * b) - c * b * (3 * a * a - b * b);
  }
}

// Covariance of two axes.
real covariance(const region_points& of, int a, int b) {
  powers exponents(static_cast<std::size_t>(of.rank));
  ++exponents[static_cast<std::size_t>(a)];
  ++exponents[static_cast<std::size_t>(b)];
  return central(of, false, exponents) / static_cast<real>(of.pixels.size());
}

real inertia(const region_points& of, int a, int b) {
  if (a != b) return -covariance(of, a, b);
  real sum = 0;
  for (int axis = 0; axis < of.rank; ++axis) sum += axis == a ? 0 : covariance(of, axis, axis);
  return sum;
}

// Eigenvalues of the covariance, ascending: the plane's from its characteristic polynomial, the volume's by turning the axes
// until nothing is left beside the diagonal.
std::vector<real> spreads(const region_points& of) {
  if (of.rank == 2) {
    const real y = covariance(of, 0, 0), x = covariance(of, 1, 1), across = covariance(of, 0, 1);
    const real root = std::sqrt((y - x) * (y - x) / 4 + across * across), largest = (y + x) / 2 + root;
    return {largest == 0 ? 0 : std::max(0.0L, (y * x - across * across) / largest), largest};
  }
  real m[3][3];
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) m[a][b] = covariance(of, a, b);
  for (int turn = 0; turn < 60; ++turn) {
    const int p = turn % 3 == 2 ? 1 : 0, q = turn % 3 == 0 ? 1 : 2;
    if (m[p][q] == 0) continue;
    const real angle = std::atan2(2 * m[p][q], m[p][p] - m[q][q]) / 2, c = std::cos(angle), s = std::sin(angle);
    for (auto& row : m) {
      const real at_p = row[p], at_q = row[q];
      row[p] = c * at_p + s * at_q;
      row[q] = c * at_q - s * at_p;
    }
    for (int k = 0; k < 3; ++k) {
      const real at_p = m[p][k], at_q = m[q][k];
      m[p][k] = c * at_p + s * at_q;
      m[q][k] = c * at_q - s * at_p;
    }
  }
  std::vector<real> values = {std::max(0.0L, m[0][0]), std::max(0.0L, m[1][1]), std::max(0.0L, m[2][2])};
  std::sort(values.begin(), values.end());
  return values;
}

real orientation(const region_points& of) {
  const real y = covariance(of, 0, 0), x = covariance(of, 1, 1), across = covariance(of, 0, 1);
  if (y == x) return across > 0 ? circle_number / 4 : -circle_number / 4;
  return std::atan2(2 * across, y - x) / 2;
}

bool ellipse_column(const region_points& of, const column_name& name, real& value) {
  const auto is = [&](const char* stem) { return name.stem == stem; };
  if (is("inertia_tensor")) return value = inertia(of, name.numbers[0], name.numbers[1]), true;
  const std::vector<real> spread = spreads(of);
  if (is("axis_major_length")) return value = of.rank == 2 ? 4 * std::sqrt(spread[1]) : std::sqrt(20 * spread[2]), true;
  if (is("axis_minor_length")) return value = of.rank == 2 ? 4 * std::sqrt(spread[0]) : std::sqrt(20 * spread[0]), true;
  if (is("eccentricity")) return value = spread[1] == 0 ? 0 : std::sqrt(1 - spread[0] / spread[1]), true;
  if (is("orientation")) return value = orientation(of), true;
  if (!is("inertia_tensor_eigvals")) return false;
  real sum = 0;
  for (const real each : spread) sum += each;
  value = std::max(0.0L, sum - spread[static_cast<std::size_t>(name.numbers[0])]);
  return true;
}

bool moment_column(const region_points& of, const column_name& name, real& value) {
  const auto is = [&](const std::string& stem) { return name.stem == stem; };
  for (const bool weighted : {false, true}) {
    const std::string stem = weighted ? "moments_weighted" : "moments";
    const std::string centre = weighted ? "centroid_weighted" : "centroid";
    const auto axis = [&] {
      const int number = 3 - of.rank + name.numbers[0];
      return static_cast<std::size_t>(number);
    };
    if (is(stem)) return value = moment(of, weighted, name.numbers, {}), true;
    if (is(stem + "_central")) return value = central(of, weighted, name.numbers), true;
    if (is(stem + "_normalized")) return value = normalized(of, weighted, name.numbers), true;
    if (is(stem + "_hu")) return value = hu(of, weighted, name.numbers[0]), true;
    if (is(centre + "_local")) return value = local_centroid(of, weighted)[axis()], true;
    if (is(centre))
      return value = local_centroid(of, weighted)[axis()] + static_cast<real>(of.low[axis()]) * of.spacing[axis()],
             true;
  }
  return false;
}

bool place_column(const region_points& of, const column_name& name, real& value) {
  const auto is = [&](const char* stem) { return name.stem == stem; };
  const auto area = static_cast<real>(of.pixels.size());
  const i64 sides[3] = {of.image.depth, of.image.height, of.image.width};
  real box = 1;
  bool touches = false;
  for (int axis = 3 - of.rank; axis < 3; ++axis) {
    box *= static_cast<real>(of.high[axis] - of.low[axis] + 1);
    touches = touches || of.low[axis] == 0 || of.high[axis] == sides[axis] - 1;
  }
  if (is("num_pixels")) value = area;
  else if (is("area")) value = area * of.content();
  else if (is("area_bbox")) value = box * of.content();
  else if (is("extent")) value = area / box;
  else if (is("touches_border")) value = touches ? 1 : 0;
  else if (is("equivalent_diameter_area"))
    value =
        std::pow(2 * static_cast<real>(of.rank) * area * of.content() / circle_number, 1 / static_cast<real>(of.rank));
  else if (is("bbox"))
    value = static_cast<real>(name.numbers[0] < of.rank ? of.low[3 - of.rank + name.numbers[0]]
                                                        : of.high[3 - 2 * of.rank + name.numbers[0]] + 1);
  else return false;
  return true;
}

real value_of(const region_points& of, const column_name& name) {
  real value = 0;
  if (place_column(of, name, value) || moment_column(of, name, value) || outline_column(of, name, value) ||
      hull_column(of, name, value) || ellipse_column(of, name, value))
    return value;
  return nothing;
}

column_name split(const std::string& text) {
  column_name name;
  const std::size_t end = text.find('-');
  name.stem = text.substr(0, end);
  for (std::size_t at = end; at != std::string::npos; at = text.find('-', at + 1))
    name.numbers.push_back(text[at + 1] - '0');
  return name;
}

std::vector<region_points> regions_of(const image_view& labels, const column_request& asked) {
  const auto [numbered, found] = relabel(labels, {asked.background, region_order::ascending});
  std::vector<region_points> all(found.size());
  for (std::size_t row = 0; row < found.size(); ++row) {
    all[row].label = found[row];
    all[row].rank = labels.size.rank;
    all[row].image = labels.size;
    all[row].spacing = {labels.size.rank == 3 ? asked.spacing.z : 1, labels.size.rank == 1 ? 1 : asked.spacing.y,
                        asked.spacing.x};
  }
  const u64* number = numbered.data();
  for (i64 z = 0; z < labels.size.depth; ++z)
    for (i64 y = 0; y < labels.size.height; ++y)
      for (i64 x = 0; x < labels.size.width; ++x, ++number) {
        if (*number == 0) continue;
        region_points& of = all[*number - 1];
        const i64 at[3] = {z, y, x};
        of.pixels.push_back(
            {{z, y, x}, asked.intensity.data == nullptr ? 0 : exact_value_at(asked.intensity, z, y, x)});
        for (int axis = 0; axis < 3; ++axis) {
          of.low[axis] = std::min(of.low[axis], at[axis]);
          of.high[axis] = std::max(of.high[axis], at[axis]);
        }
      }
  return all;
}

// NaN where one is among the intensities.
real median(const region_points& of) {
  std::vector<real> values;
  for (const region_point& pixel : of.pixels) {
    if (std::isnan(pixel.weight)) return nothing;
    values.push_back(pixel.weight);
  }
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool is_from_table(const std::string& stem) { return stem.compare(0, 10, "intensity_") == 0; }

}  // namespace

std::vector<u8> region_points::crop(i64 margin, extent& size) const {
  const i64 across = rank == 3 ? margin : 0;
  size = image;
  size.depth = high[0] - low[0] + 1 + 2 * across;
  size.height = high[1] - low[1] + 1 + 2 * margin;
  size.width = high[2] - low[2] + 1 + 2 * margin;
  std::vector<u8> mask(static_cast<std::size_t>(size.pixels()));
  for (const region_point& pixel : pixels)
    mask[static_cast<std::size_t>(((pixel.at[0] - low[0] + across) * size.height + pixel.at[1] - low[1] + margin) *
                                      size.width +
                                  pixel.at[2] - low[2] + margin)] = 1;
  return mask;
}

void measure_columns(const image_view& labels, const column_request& asked, const region_table& regions,
                     column_table& table) {
  const std::vector<region_points> all = regions_of(labels, asked);
  for (table_column& column : table.columns) {
    const column_name name = split(column.name);
    if (name.stem == "intensity_median") {
      for (const region_points& of : all) column.numbers.push_back(static_cast<double>(median(of)));
    } else if (is_from_table(name.stem)) {
      column.numbers = regions.column(column.name);
    }
    if (!column.numbers.empty()) continue;
    for (const region_points& of : all) {
      if (name.stem == "label") column.integers.push_back(static_cast<std::int64_t>(of.label));
      else if (column.is_integer) column.integers.push_back(static_cast<std::int64_t>(value_of(of, name)));
      else column.numbers.push_back(static_cast<double>(value_of(of, name)));
    }
  }
}

}  // namespace skerry::reference

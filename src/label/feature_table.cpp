// SPDX-License-Identifier: Apache-2.0
// From exact integers to the columns that users know. Every engine fills the same integers, so that the columns are the
// same numbers too. Definitions are those of scikit-image's regionprops_table where it has the column; a diagonal
// orientation has the sign that it has there since version 0.21.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/column.hpp"
#include "core/derived.hpp"
#include "skerry/error.hpp"
#include "skerry/measure.hpp"

namespace skerry {
namespace {

// ---- shape --------------------------------------------------------------------------------------------------------

wide central(const feature_table& table, std::size_t row, std::size_t a, std::size_t b) {
  return central_moment(table.components[row], table.moments[row], a, b);
}

intensity_scale scale_of(const feature_table& table) { return {table.sum_exponent, table.square_exponent}; }

// Variance of a plane component along its principal axes, in pixels squared.
struct plane_spread {
  double major, minor, eccentricity;
};

plane_spread plane_spread_of(const feature_table& table, std::size_t row) {
  const wide yy = central(table, row, 1, 1), xx = central(table, row, 2, 2);
  const wide yx = central(table, row, 1, 2);
  const auto difference = static_cast<double>(yy - xx), across = 2 * static_cast<double>(yx);
  const double split = std::sqrt(difference * difference + across * across);
  const double twice_largest = static_cast<double>(yy) + static_cast<double>(xx) + split;
  if (twice_largest == 0) return {0, 0, 0};  // one pixel
  // The smaller eigenvalue from the exact determinant: thin components would leave few digits of a difference.
  const unsigned_wide mixed = magnitude_of(yx);
  const double determinant = positive_difference(product(magnitude_of(yy), magnitude_of(xx)), product(mixed, mixed));
  const auto area = static_cast<double>(table.components[row].area);
  const double unit = area * area;
  return {twice_largest / 2 / unit, 2 * determinant / twice_largest / unit,
          std::sqrt(std::min(1.0, 2 * split / twice_largest))};
}

// Eigenvalues of the covariance of a volume component, ascending. Jacobi rotations: the trigonometric closed form loses
// half of the digits when two axes are equal, as in every cube and every straight line.
std::array<double, 3> volume_spread_of(const feature_table& table, std::size_t row) {
  constexpr int sweeps = 10;  // 4 to 6 reach the last digit
  matrix m;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) m.at[a][b] = static_cast<double>(central(table, row, a, b));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(m, 0, 1);
    rotate(m, 0, 2);
    rotate(m, 1, 2);
  }
  const auto area = static_cast<double>(table.components[row].area);
  std::array<double, 3> spread = {m.at[0][0], m.at[1][1], m.at[2][2]};
  for (double& value : spread) value = std::max(0.0, value) / (area * area);
  std::sort(spread.begin(), spread.end());
  return spread;
}

double axis_major_length(const feature_table& table, std::size_t row, int) {
  if (table.rank == 2) return 4 * std::sqrt(plane_spread_of(table, row).major);
  return std::sqrt(20 * volume_spread_of(table, row)[2]);
}

double axis_minor_length(const feature_table& table, std::size_t row, int) {
  if (table.rank == 2) return 4 * std::sqrt(plane_spread_of(table, row).minor);
  return std::sqrt(20 * volume_spread_of(table, row)[0]);
}

double eccentricity(const feature_table& table, std::size_t row, int) {
  return plane_spread_of(table, row).eccentricity;
}

// Angle from the rows' axis to the major axis, counter-clockwise.
double orientation(const feature_table& table, std::size_t row, int) {
  const wide difference = central(table, row, 1, 1) - central(table, row, 2, 2);
  const wide mixed = central(table, row, 1, 2);
  if (difference == 0) return mixed > 0 ? std::numbers::pi / 4 : -std::numbers::pi / 4;
  return 0.5 * std::atan2(2 * static_cast<double>(mixed), static_cast<double>(difference));
}

// Sum of products of distances to the centroid along two axes.
template <std::size_t A, std::size_t B>
double moments_central(const feature_table& table, std::size_t row, int) {
  return static_cast<double>(central(table, row, A, B)) / static_cast<double>(table.components[row].area);
}

// ---- place --------------------------------------------------------------------------------------------------------

double label_number(const feature_table&, std::size_t row, int) { return static_cast<double>(row + 1); }

double area(const feature_table& table, std::size_t row, int) {
  return static_cast<double>(table.components[row].area);
}

double box(const feature_table& table, std::size_t row, int place) {
  return side_of_box(table.components[row], table.rank, place);
}

double centroid(const feature_table& table, std::size_t row, int place) {
  return centroid_along(table.components[row], table.rank, place);
}

double box_share(const feature_table& table, std::size_t row, int) {
  double box_area = 1;
  for (int place = 0; place < table.rank; ++place)
    box_area *= box(table, row, table.rank + place) - box(table, row, place);
  return area(table, row, 0) / box_area;
}

double coordinate_sum(const feature_table& table, std::size_t row, int place) {
  return static_cast<double>(table.components[row].sum[axis_of(table.rank, place)]);
}

// ---- intensity ----------------------------------------------------------------------------------------------------

double intensity_min(const feature_table& table, std::size_t row, int) {
  const intensity& i = table.intensities[row];
  return has_nan(i) ? not_a_number : i.min;
}

double intensity_max(const feature_table& table, std::size_t row, int) {
  const intensity& i = table.intensities[row];
  return has_nan(i) ? not_a_number : i.max;
}

double intensity_sum(const feature_table& table, std::size_t row, int) {
  const intensity& i = table.intensities[row];
  if (i.non_finite != 0) return sum_of_non_finite(i);
  return std::ldexp(static_cast<double>(signed_from(i.sum)), table.sum_exponent);
}

double intensity_mean(const feature_table& table, std::size_t row, int) {
  return mean_of(table.intensities[row], table.components[row].area, scale_of(table));
}

// Of the population: sqrt(n·Σv² − (Σv)²) / n. The squares of doubles are rounded, which shows up to 2^-27 of the
// largest magnitude, but not in a component of one value.
double intensity_std(const feature_table& table, std::size_t row, int) {
  const intensity& i = table.intensities[row];
  if (i.non_finite != 0) return not_a_number;
  if (i.min == i.max) return 0;
  const u64 pixels = table.components[row].area;
  const double spread = spread_of(i, pixels, scale_of(table));
  return std::ldexp(std::sqrt(spread) / static_cast<double>(pixels), table.sum_exponent);
}

// ---- columns ------------------------------------------------------------------------------------------------------

enum class needs { nothing, moments, intensities };
using feature_column = column_rule<double (*)(const feature_table&, std::size_t row, int place), needs>;

constexpr feature_column feature_columns[] = {
    {"label", label_number, needs::nothing, 0, true},
    {"area", area, needs::nothing, 0, true},
    {"bbox", box, needs::nothing, 2, true},
    {"centroid", centroid, needs::nothing, 1},
    {"extent", box_share},
    {"coordinate_sum", coordinate_sum, needs::nothing, 1, true},
    {"axis_major_length", axis_major_length, needs::moments},
    {"axis_minor_length", axis_minor_length, needs::moments},
    {"eccentricity", eccentricity, needs::moments, 0, false, 2},
    {"orientation", orientation, needs::moments, 0, false, 2},
    {"moments_central-0-2", moments_central<2, 2>, needs::moments, 0, false, 2},
    {"moments_central-1-1", moments_central<1, 2>, needs::moments, 0, false, 2},
    {"moments_central-2-0", moments_central<1, 1>, needs::moments, 0, false, 2},
    {"moments_central-0-0-2", moments_central<2, 2>, needs::moments, 0, false, 3},
    {"moments_central-0-1-1", moments_central<1, 2>, needs::moments, 0, false, 3},
    {"moments_central-0-2-0", moments_central<1, 1>, needs::moments, 0, false, 3},
    {"moments_central-1-0-1", moments_central<0, 2>, needs::moments, 0, false, 3},
    {"moments_central-1-1-0", moments_central<0, 1>, needs::moments, 0, false, 3},
    {"moments_central-2-0-0", moments_central<0, 0>, needs::moments, 0, false, 3},
    {"intensity_min", intensity_min, needs::intensities},
    {"intensity_max", intensity_max, needs::intensities},
    {"intensity_mean", intensity_mean, needs::intensities},
    {"intensity_std", intensity_std, needs::intensities},
    {"intensity_sum", intensity_sum, needs::intensities},
};

}  // namespace

std::vector<std::string> feature_table::column_names() const {
  std::vector<std::string> names;
  each_column(feature_columns, rank, [&](const feature_column& column, int, const std::string& name) {
    if (column.input == needs::moments && !has_moments) return;
    if (column.input == needs::intensities && !has_intensities) return;
    names.push_back(name);
  });
  return names;
}

std::vector<double> feature_table::column(std::string_view name) const {
  std::vector<double> numbers;
  with_column(feature_columns, rank, name, [&](const feature_column& column, int place) {
    if (column.input == needs::moments && !(has_moments && moments.size() == size()))
      throw invalid_argument("name: column '" + std::string(name) + "' needs moments, which were not measured");
    if (column.input == needs::intensities && !(has_intensities && intensities.size() == size()))
      throw invalid_argument("name: column '" + std::string(name) +
                             "' needs an intensity image, which was not measured");
    numbers.reserve(size());
    for (std::size_t row = 0; row < size(); ++row) numbers.push_back(column.value(*this, row, place));
  });
  return numbers;
}

bool feature_table::is_integer_column(std::string_view name) { return is_integer_among(feature_columns, name); }

}  // namespace skerry

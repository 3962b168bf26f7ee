// SPDX-License-Identifier: Apache-2.0
// From exact integers to the columns that users know. Every engine fills the same integers, so that the columns are the
// same numbers too. Definitions are those of scikit-image's regionprops_table; a diagonal orientation has the sign that
// it has there since version 0.21.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/exact_number.hpp"
#include "skerry/error.hpp"
#include "skerry/measure.hpp"

namespace skerry {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// ---- shape --------------------------------------------------------------------------------------------------------

// Covariance of two axes times the area squared: n·Σab − Σa·Σb. The terms may wrap; the result does not, and it is
// exact.
wide central(const feature_table& table, std::size_t row, std::size_t a, std::size_t b) {
  const geometry& g = table.components[row];
  const second_moments& m = table.moments[row];
  const wide_integer* const products[3][3] = {{&m.zz, &m.zy, &m.zx}, {&m.zy, &m.yy, &m.yx}, {&m.zx, &m.yx, &m.xx}};
  return static_cast<wide>(unsigned_from(*products[a][b]) * g.area - static_cast<unsigned_wide>(g.sum[a]) * g.sum[b]);
}

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

using matrix = std::array<std::array<double, 3>, 3>;

// Turns axes p and q of a symmetric matrix so that their mixed element vanishes.
void rotate(matrix& m, std::size_t p, std::size_t q) {
  if (m[p][q] == 0) return;
  const double ratio = (m[q][q] - m[p][p]) / (2 * m[p][q]);
  const double tangent = std::copysign(1.0, ratio) / (std::fabs(ratio) + std::sqrt(ratio * ratio + 1));
  const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
  m[p][p] -= tangent * m[p][q];
  m[q][q] += tangent * m[p][q];
  m[p][q] = m[q][p] = 0;
  const std::size_t r = 3 - p - q;
  const double with_p = m[r][p], with_q = m[r][q];
  m[r][p] = m[p][r] = cosine * with_p - sine * with_q;
  m[r][q] = m[q][r] = sine * with_p + cosine * with_q;
}

// Eigenvalues of the covariance of a volume component, ascending. Jacobi rotations: the trigonometric closed form loses
// half of the digits when two axes are equal, as in every cube and every straight line.
std::array<double, 3> volume_spread_of(const feature_table& table, std::size_t row) {
  constexpr int sweeps = 10;  // 4 to 6 reach the last digit
  matrix m;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) m[a][b] = static_cast<double>(central(table, row, a, b));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(m, 0, 1);
    rotate(m, 0, 2);
    rotate(m, 1, 2);
  }
  const auto area = static_cast<double>(table.components[row].area);
  std::array<double, 3> spread = {m[0][0], m[1][1], m[2][2]};
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

// ---- place --------------------------------------------------------------------------------------------------------

double label_number(const feature_table&, std::size_t row, int) { return static_cast<double>(row + 1); }

double area(const feature_table& table, std::size_t row, int) {
  return static_cast<double>(table.components[row].area);
}

int axis_of(const feature_table& table, int place) { return 3 - table.rank + place; }

// Half-open: first all minima, then all maxima plus 1.
double box(const feature_table& table, std::size_t row, int place) {
  const geometry& g = table.components[row];
  if (place < table.rank) return g.min[axis_of(table, place)];
  return g.max[axis_of(table, place - table.rank)] + 1.0;
}

double centroid(const feature_table& table, std::size_t row, int place) {
  const geometry& g = table.components[row];
  return static_cast<double>(g.sum[axis_of(table, place)]) / static_cast<double>(g.area);
}

double box_share(const feature_table& table, std::size_t row, int) {
  double box_area = 1;
  for (int place = 0; place < table.rank; ++place)
    box_area *= box(table, row, table.rank + place) - box(table, row, place);
  return area(table, row, 0) / box_area;
}

// ---- intensity ----------------------------------------------------------------------------------------------------

// Sums of numbers with infinities or NaN among them, as IEEE arithmetic has them; nothing for finite ones.
bool has_nan(const intensity& i) { return (i.non_finite & intensity_has_nan) != 0; }

double sum_of_non_finite(const intensity& i) {
  constexpr std::uint32_t both = intensity_has_plus_infinity | intensity_has_minus_infinity;
  if (has_nan(i) || (i.non_finite & both) == both) return not_a_number;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return i.non_finite == intensity_has_plus_infinity ? infinity : -infinity;
}

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
  const intensity& i = table.intensities[row];
  if (i.non_finite != 0) return sum_of_non_finite(i);
  return std::ldexp(static_cast<double>(signed_from(i.sum)) / area(table, row, 0), table.sum_exponent);
}

// Of the population: sqrt(n·Σv² − (Σv)²) / n. The squares of doubles are rounded, which shows up to 2^-27 of the
// largest magnitude, but not in a component of one value.
double intensity_std(const feature_table& table, std::size_t row, int) {
  const intensity& i = table.intensities[row];
  if (i.non_finite != 0) return not_a_number;
  if (i.min == i.max) return 0;
  const u64 pixels = table.components[row].area;
  const unsigned_wide magnitude = magnitude_of(signed_from(i.sum));
  // Both in units of 2^(2·sum_exponent): 1 for integers; the squares of floats count larger units.
  const auto finer = static_cast<unsigned_wide>(1) << (table.square_exponent - 2 * table.sum_exponent);
  const double spread =
      positive_difference(product(unsigned_from(i.squares), finer * pixels), product(magnitude, magnitude));
  return std::ldexp(std::sqrt(spread) / static_cast<double>(pixels), table.sum_exponent);
}

// ---- columns ------------------------------------------------------------------------------------------------------

enum class needs { nothing, moments, moments_of_plane, intensities };

struct feature_column {
  std::string_view name;
  double (*value)(const feature_table&, std::size_t row, int place);
  needs input = needs::nothing;
  int per_axis = 0;  // columns name-0, name-1, …: this many for each axis; 0 for one column without a number
  bool integer = false;
};

constexpr feature_column feature_columns[] = {
    {"label", label_number, needs::nothing, 0, true},
    {"area", area, needs::nothing, 0, true},
    {"bbox", box, needs::nothing, 2, true},
    {"centroid", centroid, needs::nothing, 1},
    {"extent", box_share},
    {"axis_major_length", axis_major_length, needs::moments},
    {"axis_minor_length", axis_minor_length, needs::moments},
    {"eccentricity", eccentricity, needs::moments_of_plane},
    {"orientation", orientation, needs::moments_of_plane},
    {"intensity_min", intensity_min, needs::intensities},
    {"intensity_max", intensity_max, needs::intensities},
    {"intensity_mean", intensity_mean, needs::intensities},
    {"intensity_std", intensity_std, needs::intensities},
    {"intensity_sum", intensity_sum, needs::intensities},
};

// Calls visit(column, place, name) for each column that a table of this rank can have.
template <class Visit>
void each_column(int rank, Visit visit) {
  for (const feature_column& column : feature_columns) {
    if (column.input == needs::moments_of_plane && rank != 2) continue;
    if (column.per_axis == 0) visit(column, 0, std::string(column.name));
    for (int place = 0; place < column.per_axis * rank; ++place)
      visit(column, place, std::string(column.name) + "-" + std::to_string(place));
  }
}

}  // namespace

std::vector<std::string> feature_table::column_names() const {
  std::vector<std::string> names;
  each_column(rank, [&](const feature_column& column, int, const std::string& name) {
    const bool wants_moments = column.input == needs::moments || column.input == needs::moments_of_plane;
    if (wants_moments && !has_moments) return;
    if (column.input == needs::intensities && !has_intensities) return;
    names.push_back(name);
  });
  return names;
}

std::vector<double> feature_table::column(std::string_view name) const {
  std::vector<double> numbers;
  bool found = false;
  each_column(rank, [&](const feature_column& column, int place, const std::string& column_name) {
    if (column_name != name) return;
    found = true;
    const bool wants_moments = column.input == needs::moments || column.input == needs::moments_of_plane;
    if (wants_moments && !(has_moments && moments.size() == size()))
      throw invalid_argument("name: column '" + column_name + "' needs moments, which were not measured");
    if (column.input == needs::intensities && !(has_intensities && intensities.size() == size()))
      throw invalid_argument("name: column '" + column_name + "' needs an intensity image, which was not measured");
    numbers.reserve(size());
    for (std::size_t row = 0; row < size(); ++row) numbers.push_back(column.value(*this, row, place));
  });
  if (!found)
    throw invalid_argument("name: a table of rank " + std::to_string(rank) + " has no column '" + std::string(name) +
                           "'");
  return numbers;
}

bool feature_table::is_integer_column(std::string_view name) {
  bool integer = false;
  each_column(3, [&](const feature_column& column, int, const std::string& column_name) {
    if (column_name == name) integer = column.integer;
  });
  return integer;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Reads the exact second moments of a row. Needs each product rounded before it is added to (src/CMakeLists.txt).
// Method: eigenvalues of the covariance, whose elements are scaled along their axes; differences and determinants are
// taken of the exact integers wherever the scale lets them be.
#include "label/columns/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/derived.hpp"

namespace skerry {
namespace {

// Covariance of rows and columns times the area squared.
struct plane_covariance {
  double sum, difference, across;  // yy + xx, yy - xx, 2 yx
};

plane_covariance plane_covariance_of(const feature_table& table, std::size_t row, const axis_scale& scale) {
  const wide yy = central_moment(table, row, 1, 1), xx = central_moment(table, row, 2, 2),
             yx = central_moment(table, row, 1, 2);
  const double y = scale.of[1], x = scale.of[2];
  const double scaled_yy = y * y * static_cast<double>(yy), scaled_xx = x * x * static_cast<double>(xx);
  return {scaled_yy + scaled_xx, y == x ? y * y * static_cast<double>(yy - xx) : scaled_yy - scaled_xx,
          2 * (y * x * static_cast<double>(yx))};
}

// Variance of a plane component along its principal axes.
struct plane_spread {
  double major, minor, eccentricity;
};

plane_spread plane_spread_of(const feature_table& table, std::size_t row, const axis_scale& scale) {
  const plane_covariance of = plane_covariance_of(table, row, scale);
  const double split = std::sqrt(of.difference * of.difference + of.across * of.across);
  const double twice_largest = of.sum + split;
  if (twice_largest == 0) return {0, 0, 0};  // one pixel
  // The smaller eigenvalue from the exact determinant: thin components would leave few digits of a difference.
  const auto magnitude = [&](std::size_t a, std::size_t b) {
    return natural_of(magnitude_of(central_moment(table, row, a, b)));
  };
  const natural<2> mixed = magnitude(1, 2);
  const double cell = scale.of[1] * scale.of[2];
  const double determinant =
      cell * cell * rounded(positive_difference(product(magnitude(1, 1), magnitude(2, 2)), product(mixed, mixed)));
  const auto area = static_cast<double>(table.components[row].area);
  const double unit = area * area;
  return {twice_largest / 2 / unit, 2 * determinant / twice_largest / unit,
          std::sqrt(std::min(1.0, 2 * split / twice_largest))};
}

// Eigenvalues of the covariance of a volume component, ascending. Jacobi rotations: the trigonometric closed form loses
// half of the digits when two axes are equal, as in every cube and every straight line.
std::array<double, 3> volume_spread_of(const feature_table& table, std::size_t row, const axis_scale& scale) {
  constexpr int sweeps = 10;  // 4 to 6 reach the last digit
  matrix m;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      m.at[a][b] = scale.of[a] * scale.of[b] * static_cast<double>(central_moment(table, row, a, b));
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

// A region that is asked for and has no pixels: its shape is NaN.
bool is_missing(const feature_table& table, std::size_t row) { return table.components[row].area == 0; }

}  // namespace

double axis_major_length(const feature_table& table, std::size_t row, const axis_scale& scale) {
  if (is_missing(table, row)) return not_a_number;
  if (table.rank == 2) return 4 * std::sqrt(plane_spread_of(table, row, scale).major);
  return std::sqrt(20 * volume_spread_of(table, row, scale)[2]);
}

double axis_minor_length(const feature_table& table, std::size_t row, const axis_scale& scale) {
  if (is_missing(table, row)) return not_a_number;
  if (table.rank == 2) return 4 * std::sqrt(plane_spread_of(table, row, scale).minor);
  return std::sqrt(20 * volume_spread_of(table, row, scale)[0]);
}

double eccentricity(const feature_table& table, std::size_t row, const axis_scale& scale) {
  if (is_missing(table, row)) return not_a_number;
  return plane_spread_of(table, row, scale).eccentricity;
}

double orientation(const feature_table& table, std::size_t row, const axis_scale& scale) {
  if (is_missing(table, row)) return not_a_number;
  const plane_covariance of = plane_covariance_of(table, row, scale);
  if (of.difference == 0) return of.across > 0 ? std::numbers::pi / 4 : -std::numbers::pi / 4;
  return 0.5 * std::atan2(of.across, of.difference);
}

}  // namespace skerry

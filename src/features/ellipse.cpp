// SPDX-License-Identifier: Apache-2.0
// Group "ellipse": the inertia tensor, and the ellipse or ellipsoid of equal second moments. From the exact second moments of
// the table of regions.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/derived.hpp"
#include "features/groups.hpp"
#include "label/columns/shape.hpp"

namespace skerry::features {
namespace {

// Spacing relative to its largest, so that equal sides give the ratios of pixels.
struct relative_scale {
  explicit relative_scale(const region_frame& frame) {
    const int first = 3 - frame.size.rank;
    largest = *std::max_element(frame.spacing + first, frame.spacing + 3);
    for (int axis = first; axis < 3; ++axis) of.of[axis] = frame.spacing[axis] / largest;
  }
  axis_scale of;
  double largest;
};

double axis_major_length(const column_source& from, std::size_t row, int) {
  const relative_scale scale(from.frame);
  return skerry::axis_major_length(from.frame.features(), row, scale.of) * scale.largest;
}

double axis_minor_length(const column_source& from, std::size_t row, int) {
  const relative_scale scale(from.frame);
  return skerry::axis_minor_length(from.frame.features(), row, scale.of) * scale.largest;
}

double eccentricity(const column_source& from, std::size_t row, int) {
  return skerry::eccentricity(from.frame.features(), row, relative_scale(from.frame).of);
}

double orientation(const column_source& from, std::size_t row, int) {
  return skerry::orientation(from.frame.features(), row, relative_scale(from.frame).of);
}

// Variance of two axes.
double covariance(const column_source& from, std::size_t row, std::size_t a, std::size_t b) {
  const geometry& g = from.frame.region(row);
  const auto area = static_cast<double>(g.area);
  return rounded(central_moment(g, from.frame.features().moments[row], a, b)) / area / area * from.frame.spacing[a] *
         from.frame.spacing[b];
}

double inertia_tensor(const column_source& from, std::size_t row, int place) {
  const int rank = from.frame.size.rank;
  const std::size_t a = axis_of(rank, place / rank), b = axis_of(rank, place % rank);
  if (a != b) return 0 - covariance(from, row, a, b);
  double others = 0;
  for (int axis = 3 - rank; axis < 3; ++axis)
    if (static_cast<std::size_t>(axis) != a)
      others += covariance(from, row, static_cast<std::size_t>(axis), static_cast<std::size_t>(axis));
  return others;
}

// Variances along the principal axes of a volume, ascending.
std::array<double, 3> volume_spread(const column_source& from, std::size_t row) {
  constexpr int sweeps = 10;  // 4 to 6 reach the last digit
  matrix m;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) m.at[a][b] = covariance(from, row, a, b);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(m, 0, 1);
    rotate(m, 0, 2);
    rotate(m, 1, 2);
  }
  std::array<double, 3> spread = {std::max(0.0, m.at[0][0]), std::max(0.0, m.at[1][1]), std::max(0.0, m.at[2][2])};
  std::sort(spread.begin(), spread.end());
  return spread;
}

// Descending.
double inertia_tensor_eigvals(const column_source& from, std::size_t row, int place) {
  if (from.frame.size.rank == 2) {
    const double quarter = (place == 0 ? axis_major_length(from, row, 0) : axis_minor_length(from, row, 0)) / 4;
    return quarter * quarter;
  }
  const std::array<double, 3> spread = volume_spread(from, row);
  const double sums[3] = {spread[1] + spread[2], spread[0] + spread[2], spread[0] + spread[1]};
  return sums[place];
}

constexpr feature_column ellipse_columns[] = {
    {"axis_major_length", axis_major_length, column_shape::single, needs_many_axes},
    {"axis_minor_length", axis_minor_length, column_shape::single, needs_many_axes},
    {"eccentricity", eccentricity, column_shape::single, needs_rank_2},
    {"orientation", orientation, column_shape::single, needs_rank_2},
    {"inertia_tensor", inertia_tensor, column_shape::matrix, needs_many_axes},
    {"inertia_tensor_eigvals", inertia_tensor_eigvals, column_shape::per_axis, needs_many_axes},
};

}  // namespace

const feature_group ellipse_group = {.name = "ellipse", .columns = ellipse_columns, .reads_second_moments = true};

}  // namespace skerry::features

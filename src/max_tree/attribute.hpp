// SPDX-License-Identifier: Apache-2.0
// Attributes that follow from the sums of one node: one formula for the table of the host and for the columns of a device,
// so that both have the same bits (core/derived.hpp says what that takes).
#pragma once
#include <numbers>

#include "core/derived.hpp"
#include "skerry/image.hpp"

namespace skerry {

// ---- levels ---------------------------------------------------------------------------------------------------------

SKERRY_BOTH inline double levels_apart(double a, double b) { return a == b ? 0 : fabs(a - b); }

// `base` is the level of the parent.
SKERRY_BOTH inline double volume_of(const intensity& grey, u64 pixels, double base) {
  const wide_integer all = times(wide_from(static_cast<i64>(base)), pixels);
  return rounded(magnitude_of(signed_from(grey.sum) - signed_from(all)));
}
SKERRY_BOTH inline double volume_of(const real_intensity& grey, u64 pixels, double base) {
  if (grey.non_finite != 0 || base - base != 0) return infinity;
  // The differences of bins that hold both.
  real_intensity difference = real_intensity_of(-base, pixels);
  join(difference, grey, join_alone());
  const natural<3> total = total_of(difference.sum).magnitude;
  return ldexp(rounded(total), kept_bins::of(difference).sum_unit());
}

// ---- shape ----------------------------------------------------------------------------------------------------------

SKERRY_BOTH inline double bbox_diagonal_of(const geometry& g, int rank) {
  double squares = 0;
  for (int axis = 3 - rank; axis < 3; ++axis) {
    const double side = g.max[axis] + 1.0 - g.min[axis];
    squares += side * side;
  }
  return sqrt(squares);
}

// Along one axis with the spread of a unit square.
SKERRY_BOTH inline double covariance(const geometry& g, const second_moments& m, std::size_t a, std::size_t b) {
  const auto n = static_cast<double>(g.area);
  return rounded(central_moment(g, m, a, b)) / n / n + (a == b ? 1.0 / 12 : 0.0);
}

template <std::size_t First>  // axis: 1 in planes, 0 in volumes
SKERRY_BOTH double elongation_from(const geometry& g, const second_moments& m) {
  constexpr int sweeps = First == 1 ? 1 : 10;  // one rotation solves a plane
  matrix c;
  for (std::size_t a = First; a < 3; ++a)
    for (std::size_t b = First; b < 3; ++b) c.at[a][b] = covariance(g, m, a, b);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if constexpr (First == 0) {
      rotate(c, 0, 1);
      rotate(c, 0, 2);
    }
    rotate(c, 1, 2);
  }
  double least = c.at[2][2], most = c.at[2][2];
  for (std::size_t axis = First; axis < 2; ++axis) {
    const double spread = c.at[axis][axis];
    least = spread < least ? spread : least;
    most = spread > most ? spread : most;
  }
  return sqrt(most / least);
}

SKERRY_BOTH inline double elongation_of(const geometry& g, const second_moments& m, int rank) {
  return rank == 2 ? elongation_from<1>(g, m) : elongation_from<0>(g, m);
}

// Of a number from 1/8 on, by Newton's steps from at most twice the root: cbrt() has other bits in every library. Seven steps
// leave the rounding of the last one.
SKERRY_BOTH inline double cube_root(double of) {
  double root = ldexp(1.0, (ilogb(of) + 3) / 3);
  for (int step = 0; step < 7; ++step) root -= (root - of / (root * root)) / 3;
  return root;
}

SKERRY_BOTH inline double compactness_of(const geometry& g, const second_moments& m, int rank) {
  double inertia = 0;  // over the area
  for (std::size_t axis = axis_of(rank, 0); axis < 3; ++axis) inertia += covariance(g, m, axis, axis);
  const auto n = static_cast<double>(g.area);
  // A disc of area n has n / 2π; a ball of volume n has 3/5 of its squared radius.
  if (rank == 2) return n / (2 * std::numbers::pi) / inertia;
  const double radius = cube_root(3 * n / (4 * std::numbers::pi));
  return 0.6 * (radius * radius) / inertia;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Numbers that follow from the exact sums of one component: what the tables of components and of tree nodes share, on the
// host and on devices. They are the same bits where every product is rounded before it is added to, so whoever includes this
// is compiled without fused products (src/CMakeLists.txt).
#pragma once
#include <cmath>
#include <limits>

#include "core/exact_number.hpp"

namespace skerry {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- geometry -----------------------------------------------------------------------------------------------------

// Axes are z, y, x; tables of rank 2 begin with y.
SKERRY_BOTH inline std::size_t axis_of(int rank, int place) {
  const int axis = 3 - rank + place;
  return static_cast<std::size_t>(axis);
}

// Half-open: first all minima, then all maxima plus 1.
SKERRY_BOTH inline double side_of_box(const geometry& g, int rank, int place) {
  if (place < rank) return g.min[axis_of(rank, place)];
  return g.max[axis_of(rank, place - rank)] + 1.0;
}

SKERRY_BOTH inline double centroid_along(const geometry& g, int rank, int place) {
  return static_cast<double>(g.sum[axis_of(rank, place)]) / static_cast<double>(g.area);
}

// ---- second moments -----------------------------------------------------------------------------------------------

// Covariance of two axes times the area squared: n·Σab − Σa·Σb. The terms may wrap; the result does not, and it is
// exact.
SKERRY_BOTH inline wide central_moment(const geometry& g, const second_moments& m, std::size_t a, std::size_t b) {
  const wide_integer* const products[3][3] = {{&m.zz, &m.zy, &m.zx}, {&m.zy, &m.yy, &m.yx}, {&m.zx, &m.yx, &m.xx}};
  return static_cast<wide>(unsigned_from(*products[a][b]) * g.area - static_cast<unsigned_wide>(g.sum[a]) * g.sum[b]);
}

struct matrix {
  double at[3][3] = {};
};

// Turns axes p and q of a symmetric matrix so that their mixed element vanishes (Jacobi).
SKERRY_BOTH inline void rotate(matrix& of, std::size_t p, std::size_t q) {
  double(&m)[3][3] = of.at;
  if (m[p][q] == 0) return;
  const double ratio = (m[q][q] - m[p][p]) / (2 * m[p][q]);
  const double tangent = copysign(1.0, ratio) / (fabs(ratio) + sqrt(ratio * ratio + 1));
  const double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
  m[p][p] -= tangent * m[p][q];
  m[q][q] += tangent * m[p][q];
  m[p][q] = m[q][p] = 0;
  const std::size_t r = 3 - p - q;
  const double with_p = m[r][p], with_q = m[r][q];
  m[r][p] = m[p][r] = cosine * with_p - sine * with_q;
  m[r][q] = m[q][r] = sine * with_p + cosine * with_q;
}

// ---- intensity ----------------------------------------------------------------------------------------------------

SKERRY_BOTH inline bool has_nan(const intensity& i) { return (i.non_finite & intensity_has_nan) != 0; }

// Sums of numbers with infinities or NaN among them, as IEEE arithmetic has them; nothing for finite ones.
SKERRY_BOTH inline double sum_of_non_finite(const intensity& i) {
  constexpr std::uint32_t both = intensity_has_plus_infinity | intensity_has_minus_infinity;
  if (has_nan(i) || (i.non_finite & both) == both) return not_a_number;
  return i.non_finite == intensity_has_plus_infinity ? +infinity : -infinity;
}

SKERRY_BOTH inline double mean_of(const intensity& i, u64 pixels, const intensity_scale& scale) {
  if (i.non_finite != 0) return sum_of_non_finite(i);
  return ldexp(rounded(signed_from(i.sum)) / static_cast<double>(pixels), scale.sum_exponent);
}

// Variance times the pixels squared, of finite values that differ: n·Σv² − (Σv)², in units of 2^(2·sum_exponent): 1 for
// integers; the squares of floats count larger units.
SKERRY_BOTH inline double spread_of(const intensity& i, u64 pixels, const intensity_scale& scale) {
  const unsigned_wide magnitude = magnitude_of(signed_from(i.sum));
  const auto finer = static_cast<unsigned_wide>(1) << (scale.square_exponent - 2 * scale.sum_exponent);
  return positive_difference(product(unsigned_from(i.squares), finer * pixels), product(magnitude, magnitude));
}

}  // namespace skerry

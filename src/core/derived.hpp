// SPDX-License-Identifier: Apache-2.0
// Numbers that follow from the exact sums of one component: what the tables of components and of tree nodes share, on the
// host and on devices. They are the same bits where every product is rounded before it is added to, so whoever includes this
// is compiled without fused products (src/CMakeLists.txt).
#pragma once
#include <cmath>
#include <limits>

#include "core/exact_number.hpp"
#include "core/real_intensity.hpp"

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
SKERRY_BOTH inline u64 side_of_box(const geometry& g, int rank, int place) {
  if (place < rank) return static_cast<u64>(g.min[axis_of(rank, place)]);
  return static_cast<u64>(g.max[axis_of(rank, place - rank)]) + 1;
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

// ---- intensity of integers ------------------------------------------------------------------------------------------

SKERRY_BOTH inline double with_sign(double magnitude, bool negative) { return negative ? -magnitude : magnitude; }

SKERRY_BOTH inline double sum_of(const intensity& i) { return rounded(signed_from(i.sum)); }

SKERRY_BOTH inline double mean_of(const intensity& i, u64 pixels) {
  constexpr unsigned_wide exact_doubles = unsigned_wide{1} << 53;
  const wide sum = signed_from(i.sum);
  const unsigned_wide magnitude = magnitude_of(sum);
  if (magnitude < exact_doubles) return static_cast<double>(static_cast<i64>(sum)) / static_cast<double>(pixels);
  return with_sign(rounded_quotient(natural_of(magnitude), pixels, 0), sum < 0);
}

// Variance times the pixels squared: n·Σv² − (Σv)².
SKERRY_BOTH inline double spread_of(const intensity& i, u64 pixels) {
  const natural<2> sum = natural_of(magnitude_of(signed_from(i.sum)));
  const natural<1> count = {{pixels}};
  return rounded(
      positive_difference(shifted_up<4>(product(natural_of(unsigned_from(i.squares)), count), 0), product(sum, sum)));
}

SKERRY_BOTH inline double deviation_of(const intensity& i, u64 pixels) {
  if (i.min == i.max) return 0;
  return sqrt(spread_of(i, pixels)) / static_cast<double>(pixels);
}

SKERRY_BOTH inline double variance_of(const intensity& i, u64 pixels) {
  if (i.min == i.max) return 0;
  const auto n = static_cast<double>(pixels);
  return spread_of(i, pixels) / n / n;
}

SKERRY_BOTH inline bool has_nan(const intensity&) { return false; }

// ---- intensity of floats and 64-bit integers ------------------------------------------------------------------------

SKERRY_BOTH inline bool has_nan(const real_intensity& i) { return (i.non_finite & intensity_has_nan) != 0; }

// Sums of numbers with infinities or NaN among them, as IEEE arithmetic has them; nothing for finite ones.
SKERRY_BOTH inline double sum_of_non_finite(const real_intensity& i) {
  constexpr u64 both = intensity_has_plus_infinity | intensity_has_minus_infinity;
  if (has_nan(i) || (i.non_finite & both) == both) return not_a_number;
  return i.non_finite == intensity_has_plus_infinity ? +infinity : -infinity;
}

SKERRY_BOTH inline double sum_of(const real_intensity& i) {
  if (i.non_finite != 0) return sum_of_non_finite(i);
  const exact_sum sum = total_of(i.sum);
  return with_sign(ldexp(rounded(sum.magnitude), kept_bins::of(i).sum_unit()), sum.negative);
}

SKERRY_BOTH inline double mean_of(const real_intensity& i, u64 pixels) {
  if (i.non_finite != 0) return sum_of_non_finite(i);
  const exact_sum sum = total_of(i.sum);
  return with_sign(rounded_quotient(sum.magnitude, pixels, kept_bins::of(i).sum_unit()), sum.negative);
}

// Whether one number is all there is. Extremes of 64-bit integers are rounded, where these do not fit a double: there nothing is
// known. The spread of equal numbers is 0 without this, too, which only saves the time.
SKERRY_BOTH inline bool has_one_value(const real_intensity& i) {
  constexpr double exact_doubles = 1LL << 53;
  return i.min == i.max && fabs(i.min) < exact_doubles;
}

// As above, in units of the lowest bin squared.
SKERRY_BOTH inline double spread_of(const real_intensity& i, u64 pixels) {
  const kept_bins kept = kept_bins::of(i);
  const natural<3> sum = total_of(i.sum).magnitude;
  const natural<1> count = {{pixels}};
  return rounded(positive_difference(
      shifted_up<6>(product(total_of(i.squares), count), kept.square_unit() - 2 * kept.sum_unit()), product(sum, sum)));
}

SKERRY_BOTH inline double deviation_of(const real_intensity& i, u64 pixels) {
  if (i.non_finite != 0) return not_a_number;
  if (has_one_value(i)) return 0;
  return ldexp(sqrt(spread_of(i, pixels)) / static_cast<double>(pixels), kept_bins::of(i).sum_unit());
}

SKERRY_BOTH inline double variance_of(const real_intensity& i, u64 pixels) {
  if (i.non_finite != 0) return not_a_number;
  if (has_one_value(i)) return 0;
  const auto n = static_cast<double>(pixels);
  return ldexp(spread_of(i, pixels) / n / n, 2 * kept_bins::of(i).sum_unit());
}

}  // namespace skerry

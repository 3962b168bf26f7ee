// SPDX-License-Identifier: Apache-2.0
// Definitions are those of scikit-image's measure._moments. With the weight W and first sums S of a region, Σ (W z - S_z)^k
// (W y - S_y)^j (W x - S_x)^i is an integer, and W^(k + j + i) times the central moment. It is made of the sums M axis by axis:
// those of exponent p along an axis become Σ binomial(p, i) · (-S)^(p - i) · W^i · M_i. What cancels there is 0 here.
#include "features/power_sums.hpp"

#include <array>

#include "core/derived.hpp"

namespace skerry::features {
namespace {

struct exponent_list {
  int of[3] = {0, 0, 0};  // along the axes that there are, in order
  int total = 0;
};

exponent_list exponents_of(int rank, int place) {
  exponent_list list;
  for (int axis = rank - 1; axis >= 0; --axis, place /= exponents) {
    list.of[axis] = place % exponents;
    list.total += list.of[axis];
  }
  return list;
}

int place_of(int rank, const int (&of)[3]) {
  int place = 0;
  for (int axis = 0; axis < rank; ++axis) place = place * exponents + of[axis];
  return place;
}

int first_place(int rank, int axis) {
  int of[3] = {0, 0, 0};
  of[axis] = 1;
  return place_of(rank, of);
}

const power_sums& sums_of(const column_source& from) { return static_cast<const power_sums&>(*from.sums); }

double scaled(double value, const column_source& from, const exponent_list& list) {
  const int rank = sums_of(from).rank();
  for (int axis = 0; axis < rank; ++axis)
    for (int power = 0; power < list.of[axis]; ++power) value *= from.frame.spacing[3 - rank + axis];
  return value;
}

long_integer power_of(const long_integer& base, int exponent) {
  long_integer result(1);
  for (int k = 0; k < exponent; ++k) result = result * base;
  return result;
}

constexpr u64 binomial[exponents][exponents] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 3, 3, 1}};

// binomial(p, i) · (-S)^(p - i) · W^i of an axis.
struct centring {
  centring(const long_integer& weight, const long_integer& first) {
    for (std::size_t p = 1; p < exponents; ++p)
      for (std::size_t i = 0; i <= p; ++i)
        of[p][i] = long_integer(binomial[p][i]) * power_of(first, static_cast<int>(p - i)) *
                   power_of(weight, static_cast<int>(i));
  }
  std::array<std::array<long_integer, exponents>, exponents> of;
};

// Moves sums along one axis, whose neighbouring exponents are `step` places apart.
void centre_along(std::vector<long_integer>& sums, std::size_t step, const centring& by) {
  for (std::size_t start = 0; start < sums.size(); ++start) {
    if (start / step % exponents != 0) continue;
    for (std::size_t p = exponents; p-- > 1;) {  // downwards: what is needed is overwritten last
      long_integer moved;
      for (std::size_t i = 0; i <= p; ++i) moved += by.of[p][i] * sums[start + i * step];
      sums[start + p * step] = moved;
    }
  }
}

// W times the second central moment of two axes.
long_integer second_numerator(const power_sums& sums, std::size_t row, const exponent_list& list, int place) {
  const int rank = sums.rank();
  long_integer product(u64{1});
  for (int axis = 0; axis < rank; ++axis)
    for (int power = 0; power < list.of[axis]; ++power)
      product = product * long_integer(sums.sum(row, first_place(rank, axis)));
  long_integer total = long_integer(sums.sum(row, 0)) * long_integer(sums.sum(row, place));
  return total += product.negated();
}

}  // namespace

power_sums::power_sums(const region_frame& frame)
    : regions_(&frame.features()), rank_(frame.size.rank), per_region_(rank_ == 2 ? 16 : 64),
      sums_(frame.count() * per_region_) {}

void power_sums::join(feature_sums& later) {
  const auto& other = static_cast<const power_sums&>(later);
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
}

void power_sums::add_stretch(u32 index, i64 z, i64 y, const row_powers& along) {
  const geometry& box = region(index);
  long_sum* to = sums_.data() + index * per_region_;
  long_sum of_z(u64{1});
  for (int k = 0; k < (rank_ == 3 ? exponents : 1); ++k) {
    long_sum of_zy = of_z;
    for (int j = 0; j < exponents; ++j) {
      for (const long_sum& of_x : along.of) *to++ += of_zy * of_x;
      of_zy = of_zy * long_sum(static_cast<u64>(y - box.min[1]));
    }
    of_z = of_z * long_sum(static_cast<u64>(z - box.min[0]));
  }
}

void power_sums::finish(const region_frame& frame, std::size_t row) {
  if ((frame.wanted & uses_central_moments) == 0) return;
  const long_sum* const from = sums_.data() + row * per_region_;
  double* const to = central_.data() + row * per_region_;
  const long_integer weight(from[0]);
  std::vector<long_integer> moved;
  for (std::size_t place = 0; place < per_region_; ++place) moved.emplace_back(from[place]);
  for (int axis = 0; axis < rank_; ++axis) {
    const int place = first_place(rank_, axis);
    centre_along(moved, static_cast<std::size_t>(place), centring(weight, long_integer(from[place]).negated()));
  }
  for (int place = 0; place < static_cast<int>(per_region_); ++place) {
    const exponent_list list = exponents_of(rank_, place);
    double& central = to[place];
    if (list.total == 0) central = weight.rounded();
    else if (weight.is_zero()) central = not_a_number;
    else if (list.total == 1) central = 0;
    else if (list.total == 2) central = second_numerator(*this, row, list, place).rounded() / weight.rounded();
    else central = moved[static_cast<std::size_t>(place)].rounded() / power_of(weight, list.total).rounded();
  }
}

void power_sums::prepare(const region_frame& frame) {
  if ((frame.wanted & uses_central_moments) != 0) central_.resize(sums_.size());
}

double raw_moment(const column_source& from, std::size_t row, int place) {
  const power_sums& sums = sums_of(from);
  return scaled(long_integer(sums.sum(row, place)).rounded(), from, exponents_of(sums.rank(), place));
}

double central_moment(const column_source& from, std::size_t row, int place) {
  const power_sums& sums = sums_of(from);
  return scaled(sums.central(row, place), from, exponents_of(sums.rank(), place));
}

double normalized_moment(const column_source& from, std::size_t row, int place) {
  const power_sums& sums = sums_of(from);
  const int rank = sums.rank();
  const exponent_list list = exponents_of(rank, place);
  if (list.total < 2) return not_a_number;
  double least = from.frame.spacing[3 - rank];
  for (int axis = 3 - rank; axis < 3; ++axis) least = std::min(least, from.frame.spacing[axis]);
  const double weight = long_integer(sums.sum(row, 0)).rounded();
  return central_moment(from, row, place) / std::pow(least, list.total) /
         std::pow(weight, static_cast<double>(list.total) / rank + 1);
}

// [Hu1962], in scikit-image's order of operations.
double hu_moment(const column_source& from, std::size_t row, int place) {
  const auto nu = [&](int y, int x) { return normalized_moment(from, row, exponents * y + x); };
  const double difference = nu(2, 0) - nu(0, 2), across = nu(1, 1);
  double t0 = nu(3, 0) + nu(1, 2), t1 = nu(2, 1) + nu(0, 3);
  double q0 = t0 * t0, q1 = t1 * t1;
  if (place == 0) return nu(2, 0) + nu(0, 2);
  if (place == 1) return difference * difference + 4 * across * across;
  if (place == 3) return q0 + q1;
  if (place == 5) return difference * (q0 - q1) + 4 * across * t0 * t1;
  t0 *= q0 - 3 * q1;
  t1 *= 3 * q0 - q1;
  q0 = nu(3, 0) - 3 * nu(1, 2);
  q1 = 3 * nu(2, 1) - nu(0, 3);
  if (place == 2) return q0 * q0 + q1 * q1;
  return place == 4 ? q0 * t0 + q1 * t1 : q1 * t0 - q0 * t1;
}

double local_centroid(const column_source& from, std::size_t row, int place) {
  const power_sums& sums = sums_of(from);
  const double first = long_integer(sums.sum(row, first_place(sums.rank(), place))).rounded();
  return first / long_integer(sums.sum(row, 0)).rounded() * from.frame.spacing[3 - sums.rank() + place];
}

}  // namespace skerry::features

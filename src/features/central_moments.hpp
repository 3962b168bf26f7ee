// SPDX-License-Identifier: Apache-2.0
// Central moments of a region from its sums of powers. Definitions are those of scikit-image's measure._moments. With the weight W
// and first sums S of a region, Σ (W z - S_z)^k (W y - S_y)^j (W x - S_x)^i is an integer, and W^(k + j + i) times the central
// moment. It is made of the sums axis by axis. What cancels there is 0 here.
#pragma once
#include <array>
#include <cstddef>

#include "core/derived.hpp"
#include "core/portable.hpp"

namespace skerry::features {

inline constexpr int exponents = 4;  // 0 to 3

struct exponent_list {
  int of[3] = {0, 0, 0};  // along the axes that there are, in order
  int total = 0;
};

// Sums of a region: 4, 16 or 64.
constexpr std::size_t places_of(int rank) { return std::size_t{1} << (2 * rank); }

constexpr exponent_list exponents_of(int rank, int place) {
  exponent_list list;
  for (int axis = rank - 1; axis >= 0; --axis, place /= exponents) {
    list.of[axis] = place % exponents;
    list.total += list.of[axis];
  }
  return list;
}

constexpr int place_of(int rank, const int (&of)[3]) {
  int place = 0;
  for (int axis = 0; axis < rank; ++axis) place = place * exponents + of[axis];
  return place;
}

constexpr int first_place(int rank, int axis) {
  int of[3] = {0, 0, 0};
  of[axis] = 1;
  return place_of(rank, of);
}

// Moves four sums along an axis, which are `step` places apart: with the weight W and the first sum S, each difference W m(i) - S m(i - 1)
// takes a factor W x - S into the sum.
template <class Integer>
void centre_along(Integer* sums, std::size_t step, const Integer& weight, const Integer& minus_first) {
  for (std::size_t p = 1; p < exponents; ++p)
    for (std::size_t i = exponents; i-- > p;) {
      Integer moved = weight * sums[i * step];
      sums[i * step] = moved += minus_first * sums[(i - 1) * step];
    }
}

// The exponents of each place.
template <int Rank>
struct place_list {
  exponent_list of[places_of(Rank)];
  constexpr place_list() {
    for (std::size_t place = 0; place < places_of(Rank); ++place)
      of[place] = exponents_of(Rank, static_cast<int>(place));
  }
};
template <int Rank>
inline constexpr place_list<Rank> exponents_at;

// W times the second central moment of two axes.
template <class Integer, int Rank>
Integer second_numerator(const Integer* sums, const exponent_list& list, std::size_t place) {
  Integer product(u64{1});
  for (int axis = 0; axis < Rank; ++axis)
    for (int power = 0; power < list.of[axis]; ++power)
      product = product * sums[static_cast<std::size_t>(first_place(Rank, axis))];
  Integer total = sums[0] * sums[place];
  return total += product.negated();
}

// The central moments of a region with these sums, `stride` places apart.
template <int Rank, class Integer>
void centre(const std::array<Integer, places_of(Rank)>& sums, std::size_t stride, double* to) {
  constexpr std::size_t places = places_of(Rank), totals = 3 * Rank + 1;
  std::array<Integer, places> moved = sums;
  const Integer weight = sums[0];
  for (int axis = 0; axis < Rank; ++axis) {
    const auto step = static_cast<std::size_t>(first_place(Rank, axis));
    for (std::size_t start = 0; start < places; ++start)
      if (start / step % exponents == 0) centre_along(moved.data() + start, step, weight, sums[step].negated());
  }
  std::array<Integer, totals> powers;  // of the weight
  powers[0] = Integer(u64{1});
  for (std::size_t total = 1; total < totals; ++total) powers[total] = powers[total - 1] * weight;
  for (std::size_t place = 0; place < places; ++place) {
    const exponent_list& list = exponents_at<Rank>.of[place];
    double& central = to[place * stride];
    if (list.total == 0) central = weight.rounded();
    else if (weight.is_zero()) central = not_a_number;
    else if (list.total == 1) central = 0;
    else if (list.total == 2) central = second_numerator<Integer, Rank>(sums.data(), list, place).over(weight);
    else central = moved[place].over(powers[static_cast<std::size_t>(list.total)]);
  }
}

}  // namespace skerry::features

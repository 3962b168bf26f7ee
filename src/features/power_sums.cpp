// SPDX-License-Identifier: Apache-2.0
// Definitions are those of scikit-image's measure._moments. With the weight W and first sums S of a region, Σ (W z - S_z)^k
// (W y - S_y)^j (W x - S_x)^i is an integer, and W^(k + j + i) times the central moment. It is made of the sums M axis by axis:
// those of exponent p along an axis become Σ binomial(p, i) · (-S)^(p - i) · W^i · M_i. What cancels there is 0 here.
#include "features/power_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "core/derived.hpp"
#include "engine/image_checks.hpp"

namespace skerry::features {
namespace {

struct exponent_list {
  int of[3] = {0, 0, 0};  // along the axes that there are, in order
  int total = 0;
};

// Sums of a region: 4, 16 or 64.
constexpr std::size_t places_of(int rank) { return std::size_t{1} << (2 * rank); }

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

template <class Integer>
Integer power_of(const Integer& base, int exponent) {
  Integer result(u64{1});
  for (int k = 0; k < exponent; ++k) result = result * base;
  return result;
}

constexpr u64 binomial[exponents][exponents] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 3, 3, 1}};

// binomial(p, i) · (-S)^(p - i) · W^i of an axis.
template <class Integer>
struct centring {
  centring(const Integer& weight, const Integer& first) {
    for (std::size_t p = 1; p < exponents; ++p)
      for (std::size_t i = 0; i <= p; ++i)
        of[p][i] =
            Integer(binomial[p][i]) * power_of(first, static_cast<int>(p - i)) * power_of(weight, static_cast<int>(i));
  }
  std::array<std::array<Integer, exponents>, exponents> of;
};

// Moves sums along one axis, whose neighbouring exponents are `step` places apart.
template <class Integer>
void centre_along(std::span<Integer> sums, std::size_t step, const centring<Integer>& by) {
  for (std::size_t start = 0; start < sums.size(); ++start) {
    if (start / step % exponents != 0) continue;
    for (std::size_t p = exponents; p-- > 1;) {  // downwards: what is needed is overwritten last
      Integer moved;
      for (std::size_t i = 0; i <= p; ++i) moved += by.of[p][i] * sums[start + i * step];
      sums[start + p * step] = moved;
    }
  }
}

// W times the second central moment of two axes.
template <class Integer>
Integer second_numerator(std::span<const Integer> sums, int rank, const exponent_list& list, int place) {
  Integer product(u64{1});
  for (int axis = 0; axis < rank; ++axis)
    for (int power = 0; power < list.of[axis]; ++power)
      product = product * sums[static_cast<std::size_t>(first_place(rank, axis))];
  Integer total = sums[0] * sums[static_cast<std::size_t>(place)];
  return total += product.negated();
}

// The central moments of a region with these sums.
template <class Integer, std::size_t Places>
void centre(const std::array<Integer, Places>& sums, double* to) {
  constexpr int rank = Places == places_of(1) ? 1 : Places == places_of(2) ? 2 : 3;
  std::array<Integer, Places> moved = sums;
  const Integer weight = sums[0];
  for (int axis = 0; axis < rank; ++axis) {
    const auto place = static_cast<std::size_t>(first_place(rank, axis));
    centre_along<Integer>(moved, place, centring<Integer>(weight, sums[place].negated()));
  }
  for (int place = 0; place < static_cast<int>(Places); ++place) {
    const exponent_list list = exponents_of(rank, place);
    double& central = to[place];
    if (list.total == 0) central = weight.rounded();
    else if (weight.is_zero()) central = not_a_number;
    else if (list.total == 1) central = 0;
    else if (list.total == 2) central = second_numerator<Integer>(sums, rank, list, place).over(weight);
    else central = moved[static_cast<std::size_t>(place)].over(power_of(weight, list.total));
  }
}

}  // namespace

power_sums::power_sums(const region_frame& frame, int weight_bits)
    : regions_(&frame.features()), rank_(frame.size.rank), weight_bits_(weight_bits), halves_(weight_bits > 32 ? 2 : 1),
      per_region_(places_of(rank_)), sums_(frame.count() * halves_ * per_region_) {}

void power_sums::join(feature_sums& later) {
  const auto& other = static_cast<const power_sums&>(later);
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
}

void power_sums::store(stored_sums& to, const block_origin& block) const {
  to.numbers = static_cast<u32>(halves_ * per_region_);
  to.words = sizeof(long_sum) / sizeof(u64);
  for (const long_sum& sum : sums_) to.sums.insert(to.sums.end(), std::begin(sum.words), std::end(sum.words));
  const i64 begin[3] = {block.z, block.y, block.x};
  to.anchors.resize(regions_->size());
  for (std::size_t row = 0; row < to.anchors.size(); ++row) {
    const geometry& box = regions_->components[row];
    if (box.area == 0) continue;  // not a region of the block, but of pixels around it
    for (int axis = 0; axis < 3; ++axis) to.anchors[row].corner[axis] = static_cast<i32>(box.min[axis] + begin[axis]);
    to.anchors[row].unit = units_.empty() ? 0 : units_[row];
  }
}

void power_sums::restore(const stored_sums& from) {
  for (std::size_t row = 0; row < regions_->size(); ++row) {
    const geometry& box = regions_->components[row];
    const sums_anchor right = {{box.min[0], box.min[1], box.min[2]}, units_.empty() ? 0 : units_[row]};
    if (from.anchors[row] != right)
      refuse("pieces: `known` was not the table of these blocks; measure the blocks again with that of all of them");
  }
  const u64* next = from.sums.data();
  for (long_sum& sum : sums_)
    for (u64& word : sum.words) word = *next++;
}

void power_sums::add_stretch(u32 index, i64 z, i64 y, const row_powers& along, std::size_t half) {
  const geometry& box = region(index);
  long_sum* to = sums_.data() + place_of_sums(index, half);
  const auto from_z = static_cast<u64>(z - box.min[0]), from_y = static_cast<u64>(y - box.min[1]);
  const int exponents_of_y = rank_ == 1 ? 1 : exponents;
  const bool is_short =
      std::all_of(std::begin(along.of), std::end(along.of), [](const long_sum& s) { return s.is_short(); });
  if (is_short && std::bit_width(from_z) + std::bit_width(from_y) <= 21) {
    for (u64 k = 0, of_z = 1; k < (rank_ == 3 ? exponents : 1); ++k, of_z *= from_z) {
      u64 of_zy = of_z;
      for (int j = 0; j < exponents_of_y; ++j, of_zy *= from_y)
        for (const long_sum& of_x : along.of) to++->add_product(of_zy, of_x.words[0]);
    }
    return;
  }
  long_sum of_z(u64{1});
  for (int k = 0; k < (rank_ == 3 ? exponents : 1); ++k) {
    long_sum of_zy = of_z;
    for (int j = 0; j < exponents_of_y; ++j) {
      for (const long_sum& of_x : along.of) *to++ += of_zy * of_x;
      of_zy = of_zy * long_sum(from_y);
    }
    of_z = of_z * long_sum(from_z);
  }
}

void power_sums::finish(const region_frame& frame, std::size_t row) {
  if ((frame.wanted & uses_central_moments) == 0) return;
  if (rank_ == 1) finish_of_rank<1>(row);
  else if (rank_ == 2) finish_of_rank<2>(row);
  else finish_of_rank<3>(row);
}

template <int Rank>
void power_sums::finish_of_rank(std::size_t row) {
  constexpr std::size_t places = places_of(Rank);
  double* const to = central_.data() + row * places;
  if (has_short_moments(row)) {
    std::array<short_integer, places> sums;
    for (std::size_t place = 0; place < places; ++place) sums[place] = short_integer(sums_[row * places + place]);
    centre(sums, to);
  } else {
    std::array<long_integer, places> sums;
    for (std::size_t place = 0; place < places; ++place) sums[place] = sum(row, static_cast<int>(place));
    centre(sums, to);
  }
  for (std::size_t place = 0; place < places; ++place) to[place] = in_units(to[place], row);
}

long_integer power_sums::sum(std::size_t row, int place) const {
  const auto at = static_cast<std::size_t>(place);
  long_integer total(sums_[place_of_sums(row) + at]);
  if (halves_ == 2) total += long_integer(u64{1} << bits_of_half) * long_integer(sums_[place_of_sums(row, 1) + at]);
  return total;
}

double power_sums::in_units(double number, std::size_t row) const {
  if (units_.empty()) return number;
  return units_[row] == no_unit ? not_a_number : std::ldexp(number, units_[row]);
}

// With at most w bits of the total weight and e of a coordinate about the corner of the box, each axis multiplies a sum by 8 (W e)³
// at most, where 8 is the sum of the binomials.
bool power_sums::has_short_moments(std::size_t row) const {
  const geometry& box = regions_->components[row];
  const int weight = static_cast<int>(std::bit_width(box.area)) + weight_bits_;
  int bits = weight;
  for (int axis = 3 - rank_; axis < 3; ++axis)
    bits += 3 * (1 + weight + static_cast<int>(std::bit_width(static_cast<u64>(box.max[axis] - box.min[axis]))));
  return bits < 127;
}

void power_sums::prepare(const region_frame& frame) {
  if ((frame.wanted & uses_central_moments) != 0) central_.resize(frame.count() * per_region_);
}

double raw_moment(const column_source& from, std::size_t row, int place) {
  const power_sums& sums = sums_of(from);
  return scaled(sums.in_units(sums.sum(row, place).rounded(), row), from, exponents_of(sums.rank(), place));
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
  const double weight = sums.in_units(sums.sum(row, 0).rounded(), row);
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
  const double first = sums.sum(row, first_place(sums.rank(), place)).rounded();
  return first / sums.sum(row, 0).rounded() * from.frame.spacing[3 - sums.rank() + place];
}

}  // namespace skerry::features

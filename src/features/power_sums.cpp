// SPDX-License-Identifier: Apache-2.0
// Sums of pixels and of rows, as they are added, stored and finished; and the columns, as scikit-image's measure._moments has
// them.
#include "features/power_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "core/derived.hpp"
#include "engine/cpu/new_memory.hpp"
#include "engine/image_checks.hpp"

namespace skerry::features {
namespace {

const power_sums& sums_of(const column_source& from) { return static_cast<const power_sums&>(*from.sums); }

bool has_unit_sides(const column_source& from) {
  const double(&side)[3] = from.frame.spacing;
  return side[0] == 1 && side[1] == 1 && side[2] == 1;
}

double scaled(double value, const column_source& from, const exponent_list& list) {
  const int rank = sums_of(from).rank();
  for (int axis = 0; axis < rank; ++axis)
    for (int power = 0; power < list.of[axis]; ++power) value *= from.frame.spacing[3 - rank + axis];
  return value;
}

int bits_of_side(const geometry& box, int axis) {
  // Without a sign, since the box of a region without pixels ends far before it begins.
  const u32 length = static_cast<u32>(box.max[axis]) - static_cast<u32>(box.min[axis]);
  return static_cast<int>(std::bit_width(length));
}

}  // namespace

power_sums::power_sums(const region_frame& frame, int weight_bits)
    : regions_(&frame.features()), rank_(frame.size.rank), weight_bits_(weight_bits), halves_(weight_bits > 32 ? 2 : 1),
      per_region_(places_of(rank_)), short_(frame.memory), long_of_(frame.memory), long_(frame.memory),
      central_(frame.memory) {
  if (weight_bits_ != 0) {
    resize_in_large_pages(long_, count() * halves_ * per_region_);
    return;
  }
  u32 longs = 0;
  long_of_.reserve(count());
  for (std::size_t row = 0; row < count(); ++row) long_of_.push_back(bits_of_sums(row) <= 64 ? no_long : longs++);
  resize_in_large_pages(short_, count() * per_region_);
  resize_in_large_pages(long_, longs * per_region_);
}

void power_sums::join(feature_sums& later) {
  const auto& other = static_cast<const power_sums&>(later);
  for (std::size_t k = 0; k < short_.size(); ++k) short_[k] += other.short_[k];
  for (std::size_t k = 0; k < long_.size(); ++k) long_[k] += other.long_[k];
}

void power_sums::add_short(u32 index, const stacked_rows& rows) {
  u64* to = short_.data() + index * per_region_;
  const power_list of_y = powers_of(rows.top, rows.bottom);
  for (u64 k = 0, of_z = 1; k < (rank_ == 3 ? exponents : 1); ++k, of_z *= rows.z)
    for (int j = 0; j < (rank_ == 1 ? 1 : exponents); ++j)
      for (const u64 of_x : rows.along.of) *to++ += of_z * of_y.of[j] * of_x;
}

void power_sums::store(stored_sums& to, const block_origin& block) {
  to.numbers = static_cast<u32>(halves_ * per_region_);
  to.words = sizeof(long_sum) / sizeof(u64);
  to.sums.reserve(count() * to.numbers * to.words);
  for (std::size_t row = 0; row < count(); ++row)
    for (std::size_t k = 0; k < to.numbers; ++k) {
      const long_sum sum =
          has_short_sums(row) ? long_sum(short_[row * per_region_ + k]) : long_[place_of_sums(row) + k];
      to.sums.insert(to.sums.end(), std::begin(sum.words), std::end(sum.words));
    }
  to.anchors = anchors(block);
}

std::vector<sums_anchor> power_sums::anchors(const block_origin& block) const {
  const i64 begin[3] = {block.z, block.y, block.x};
  std::vector<sums_anchor> found(count());
  for (std::size_t row = 0; row < found.size(); ++row) {
    const geometry& box = regions_->components[row];
    if (box.area == 0) continue;  // not a region of the block, but of pixels around it
    for (int axis = 0; axis < 3; ++axis) found[row].corner[axis] = static_cast<i32>(box.min[axis] + begin[axis]);
    found[row].unit = units_.empty() ? 0 : units_[row];
  }
  return found;
}

void power_sums::restore(const stored_sums& from) {
  for (std::size_t row = 0; row < regions_->size(); ++row) {
    const geometry& box = regions_->components[row];
    const sums_anchor right = {{box.min[0], box.min[1], box.min[2]}, units_.empty() ? 0 : units_[row]};
    if (from.anchors[row] != right)
      refuse("pieces: `known` was not the table of these blocks; measure the blocks again with that of all of them");
  }
  take(from.sums, 0, count());
}

void power_sums::take(std::span<const u64> sums, std::size_t begin, std::size_t end) {
  const std::size_t numbers = halves_ * per_region_;
  const u64* next = sums.data() + begin * numbers * std::size(long_sum().words);
  for (std::size_t row = begin; row < end; ++row)
    for (std::size_t k = 0; k < numbers; ++k, next += std::size(long_sum().words)) {
      if (has_short_sums(row)) short_[row * per_region_ + k] = next[0];
      else std::copy_n(next, std::size(long_sum().words), long_[place_of_sums(row) + k].words);
    }
}

void power_sums::add_stretch(u32 index, i64 z, i64 y, const row_powers& along, std::size_t half) {
  const geometry& box = region(index);
  long_sum* to = long_.data() + place_of_sums(index, half);
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
  const auto centre_as = [&]<class Integer>(Integer) {
    std::array<Integer, places> sums;
    for (std::size_t place = 0; place < places; ++place) {
      if (has_short_sums(row)) sums[place] = Integer(short_[row * places + place]);
      else sums[place] = Integer(long_[place_of_sums(row) + place]);
    }
    centre<Rank>(sums, count(), central_.data() + row);
  };
  const int bits = bits_of_moments(row);
  if (halves_ == 1 && bits <= 64) centre_as(wrapping_integer<i64>());
  else if (halves_ == 1 && bits <= 128) centre_as(wrapping_integer<wide>());
  else {
    std::array<long_integer, places> sums;
    for (std::size_t place = 0; place < places; ++place) sums[place] = sum(row, static_cast<int>(place));
    centre<Rank>(sums, count(), central_.data() + row);
  }
  if (!units_.empty())
    for (std::size_t place = 0; place < places; ++place) {
      double& central = central_[place * count() + row];
      central = in_units(central, row);
    }
}

long_integer power_sums::sum(std::size_t row, int place) const {
  const auto at = static_cast<std::size_t>(place);
  if (has_short_sums(row)) return long_integer(short_[row * per_region_ + at]);
  long_integer total(long_[place_of_sums(row) + at]);
  if (halves_ == 2)
    total += long_integer(u64{1} << regions::bits_of_half) * long_integer(long_[place_of_sums(row, 1) + at]);
  return total;
}

double power_sums::in_units(double number, std::size_t row) const {
  if (units_.empty()) return number;
  return units_[row] == regions::no_unit ? not_a_number : std::ldexp(number, units_[row]);
}

int power_sums::bits_of_sums(std::size_t row) const {
  const geometry& box = regions_->components[row];
  int bits = static_cast<int>(std::bit_width(box.area)) + weight_bits_;
  for (int axis = 3 - rank_; axis < 3; ++axis) bits += (exponents - 1) * bits_of_side(box, axis);
  return bits;
}

// With at most w bits of the total weight and e of a coordinate about the corner of the box, W x - S has w + e, and one more where
// weights have a sign; the sums are of three such factors for each axis. On the way numbers may wrap around. The sign takes a bit.
int power_sums::bits_of_moments(std::size_t row) const {
  const geometry& box = regions_->components[row];
  const int weight = static_cast<int>(std::bit_width(box.area)) + weight_bits_;
  int bits = 1 + weight;
  for (int axis = 3 - rank_; axis < 3; ++axis)
    bits += (exponents - 1) * ((weight_bits_ != 0 ? 1 : 0) + weight + bits_of_side(box, axis));
  return bits;
}

void power_sums::prepare(const region_frame& frame) {
  if ((frame.wanted & uses_central_moments) != 0) resize_in_large_pages(central_, count() * per_region_);
}

double raw_moment(const column_source& from, std::size_t row, int place) {
  const power_sums& sums = sums_of(from);
  return scaled(sums.in_units(sums.sum(row, place).rounded(), row), from, exponents_of(sums.rank(), place));
}

double central_moment(const column_source& from, std::size_t row, int place) {
  const power_sums& sums = sums_of(from);
  return scaled(sums.central(place)[row], from, exponents_of(sums.rank(), place));
}

const double* central_moments(const column_source& from, int place) {
  return has_unit_sides(from) ? sums_of(from).central(place) : nullptr;
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

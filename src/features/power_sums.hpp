// SPDX-License-Identifier: Apache-2.0
// Sums of weight · z^k · y^j · x^i over the pixels of each region, every exponent from 0 to 3, about the corner of its
// box; and the moments that follow. The weight is 1 (moments.cpp) or an intensity (weighted_moments.cpp): an integer, in a
// unit that can be the region's own.
#pragma once
#include <memory_resource>
#include <span>
#include <vector>

#include "features/central_moments.hpp"
#include "features/group.hpp"
#include "features/long_integer.hpp"

namespace skerry::features {

// Sums of a stretch of pixels of one row: weight · x^i.
struct row_powers {
  long_sum of[exponents];
};

// The same where 64 bits are enough.
struct power_list {
  u64 of[exponents];
};

// Sums of x^i for begin <= x < end, which is at most 2^20; of those that 64 bits do not hold the lower bits.
inline power_list powers_of(u64 begin, u64 end) {
  const auto first = [](u64 n) { return n * (n - 1) / 2; };
  const auto second = [](u64 n) { return n * (n - 1) * (2 * n - 1) / 6; };
  const u64 to_begin = first(begin), to_end = first(end);
  return {{end - begin, to_end - to_begin, second(end) - second(begin), to_end * to_end - to_begin * to_begin}};
}

class power_sums : public feature_sums {
 public:
  // No weight has more bits, without its sign. Those of more than 32 come as halves, whose sums are kept apart.
  power_sums(const region_frame& frame, int weight_bits);

  void join(feature_sums& later) override;
  void prepare(const region_frame& frame) override;
  void finish(const region_frame& frame, std::size_t row) override;
  void store(stored_sums& to, const block_origin& block) override;
  [[nodiscard]] std::size_t bytes() const override {
    return short_.size() * sizeof(u64) + long_.size() * sizeof(long_sum) + long_of_.size() * sizeof(u32);
  }
  void restore(const stored_sums& from) override;
  // Takes the sums of some rows, out of those of all as they are stored; several threads do so at a time.
  void take(std::span<const u64> sums, std::size_t begin, std::size_t end);
  // Of each region of a block, in coordinates of the whole image.
  [[nodiscard]] std::vector<sums_anchor> anchors(const block_origin& block) const;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int weight_bits() const { return weight_bits_; }
  // The sum with the exponents of a place: those of the axes in order, as digits of base 4.
  [[nodiscard]] long_integer sum(std::size_t row, int place) const;
  // A number of units of weight; NaN where weights have none.
  [[nodiscard]] double in_units(double number, std::size_t row) const;
  // The central moments of a place, in pixels, of all regions.
  [[nodiscard]] const double* central(int place) const {
    return central_.data() + static_cast<std::size_t>(place) * count();
  }

 protected:
  // Adds pixels of row (z, y), whose x-powers are about the corner of the region's box; to the sums of a half of weights.
  void add_stretch(u32 region, i64 z, i64 y, const row_powers& along, std::size_t half = 0);
  // Adds rows [top, bottom) of slice z, all three about the corner of the box, to a region that has short sums.
  struct stacked_rows {
    u64 z, top, bottom;
    power_list along;
  };
  void add_short(u32 region, const stacked_rows& rows);
  // Whether 64 bits hold the sums of a region; of the others, where weights are 1, its place among them.
  [[nodiscard]] bool has_short_sums(std::size_t region) const { return !short_.empty() && long_of_[region] == no_long; }
  [[nodiscard]] std::size_t long_regions() const { return long_.size() / per_region_; }
  [[nodiscard]] u32 long_place(u32 region) const { return long_of_[region]; }
  [[nodiscard]] const geometry& region(u32 row) const { return regions_->components[row]; }

  std::vector<i32> units_;  // powers of two, of each region, or regions::no_unit; none when all are 1

 private:
  static constexpr u32 no_long = ~u32{0};

  [[nodiscard]] std::size_t count() const { return regions_->components.size(); }
  // The sums of a half of a region's weights, among the long ones.
  [[nodiscard]] std::size_t place_of_sums(std::size_t row, std::size_t half = 0) const {
    const std::size_t at = short_.empty() ? row : long_of_[row];
    return (at * halves_ + half) * per_region_;
  }
  // Bits of the largest sum that the region can have, of its central moments' numerators, and of all that these are made of.
  [[nodiscard]] int bits_of_sums(std::size_t row) const;
  [[nodiscard]] int bits_of_moments(std::size_t row) const;

  template <int Rank>
  void finish_of_rank(std::size_t row);

  const feature_table* regions_;
  int rank_, weight_bits_;
  std::size_t halves_, per_region_;
  // Where the weight is 1, sums of regions that 64 bits are enough for, and the places of the others among long ones.
  std::pmr::vector<u64> short_;
  std::pmr::vector<u32> long_of_;
  std::pmr::vector<long_sum> long_;
  std::pmr::vector<double> central_;  // where a column asks for them: place by place
};

// All of these take a source whose sums are power_sums. Numbers are rounded from exact ones twice, then multiplied by the
// spacing of each axis as often as its exponent says. NaN where a weight
// is infinite or NaN; central moments of a total weight of 0 are, too.
double raw_moment(const column_source& from, std::size_t row, int place);
double central_moment(const column_source& from, std::size_t row, int place);
const double* central_moments(const column_source& from, int place);  // null where they have to be scaled
double normalized_moment(const column_source& from, std::size_t row, int place);
double hu_moment(const column_source& from, std::size_t row, int place);
// Along an axis, from the corner of the box; the corner's own place is added for the centroid in the image.
double local_centroid(const column_source& from, std::size_t row, int place);

}  // namespace skerry::features

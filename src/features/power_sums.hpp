// SPDX-License-Identifier: Apache-2.0
// Sums of weight · z^k · y^j · x^i over the pixels of each region, every exponent from 0 to 3, about the corner of its
// box; and the moments that follow. The weight is 1 (moments.cpp) or an intensity (weighted_moments.cpp): an integer, in a
// unit that can be the region's own.
#pragma once
#include <vector>

#include "features/group.hpp"
#include "features/long_integer.hpp"

namespace skerry::features {

inline constexpr int exponents = 4;  // 0 to 3

// Sums of a stretch of pixels of one row: weight · x^i.
struct row_powers {
  long_sum of[exponents];
};

class power_sums : public feature_sums {
 public:
  // No weight has more bits, without its sign. Those of more than 32 come as halves, whose sums are kept apart.
  power_sums(const region_frame& frame, int weight_bits);

  void join(feature_sums& later) override;
  void prepare(const region_frame& frame) override;
  void finish(const region_frame& frame, std::size_t row) override;
  void store(stored_sums& to, const block_origin& block) const override;
  void restore(const stored_sums& from) override;

  [[nodiscard]] int rank() const { return rank_; }
  // The sum with the exponents of a place: those of the axes in order, as digits of base 4.
  [[nodiscard]] long_integer sum(std::size_t row, int place) const;
  // A number of units of weight; NaN where weights have none.
  [[nodiscard]] double in_units(double number, std::size_t row) const;
  // The central moment of a place, in pixels.
  [[nodiscard]] double central(std::size_t row, int place) const {
    return central_[row * per_region_ + static_cast<std::size_t>(place)];
  }

 protected:
  static constexpr int bits_of_half = 31;  // of the lower one

  // Adds pixels of row (z, y), whose x-powers are about the corner of the region's box; to the sums of a half of weights.
  void add_stretch(u32 region, i64 z, i64 y, const row_powers& along, std::size_t half = 0);
  [[nodiscard]] const geometry& region(u32 row) const { return regions_->components[row]; }

  static constexpr i32 no_unit = INT32_MAX;
  std::vector<i32> units_;  // powers of two, of each region; none when all are 1

 private:
  // The sums of a half of a region's weights.
  [[nodiscard]] std::size_t place_of_sums(std::size_t row, std::size_t half = 0) const {
    return (row * halves_ + half) * per_region_;
  }
  // Whether 127 bits hold all that the region's central moments are made of.
  [[nodiscard]] bool has_short_moments(std::size_t row) const;

  template <int Rank>
  void finish_of_rank(std::size_t row);

  const feature_table* regions_;
  int rank_, weight_bits_;
  std::size_t halves_, per_region_;
  std::vector<long_sum> sums_;
  std::vector<double> central_;  // where a column asks for them
};

// All of these take a source whose sums are power_sums. Numbers are rounded from exact ones twice, then multiplied by the
// spacing of each axis as often as its exponent says. NaN where a weight
// is infinite or NaN; central moments of a total weight of 0 are, too.
double raw_moment(const column_source& from, std::size_t row, int place);
double central_moment(const column_source& from, std::size_t row, int place);
double normalized_moment(const column_source& from, std::size_t row, int place);
double hu_moment(const column_source& from, std::size_t row, int place);
// Along an axis, from the corner of the box; the corner's own place is added for the centroid in the image.
double local_centroid(const column_source& from, std::size_t row, int place);

}  // namespace skerry::features

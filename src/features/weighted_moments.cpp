// SPDX-License-Identifier: Apache-2.0
// Group "weighted_sums": moments of pixels that weigh what their intensity is.
#include "features/groups.hpp"
#include "features/power_sums.hpp"

namespace skerry::features {
namespace {

// So many pixels that their sums, about the first, fit 64 bits: 32 of the intensity, 3 · 7 of x³, 7 of the number.
constexpr i64 pixels_of_piece = 128;

// Sums of weight · x^i for count pixels, from x = 0 on.
void sum_piece(const i64* weights, i64 count, i64 (&sums)[exponents]) {
  for (i64 x = 0; x < count; ++x) {
    i64 term = weights[x];
    for (i64& sum : sums) {
      sum += term;
      term *= x;
    }
  }
}

// The same from x = begin on.
row_powers moved(const i64 (&sums)[exponents], i64 begin) {
  const long_sum by(begin);
  const long_sum s0(sums[0]), s1(sums[1]), s2(sums[2]), s3(sums[3]);
  const long_sum two(u64{2}), three(u64{3});
  row_powers to;
  to.of[0] = s0;
  to.of[1] = by * s0;
  to.of[1] += s1;
  to.of[2] = by * (by * s0);
  to.of[2] += two * (by * s1);
  to.of[2] += s2;
  to.of[3] = by * (by * (by * s0));
  to.of[3] += three * (by * (by * s1));
  to.of[3] += three * (by * s2);
  to.of[3] += s3;
  return to;
}

// The x-powers of a run, about the corner of its region's box; `weights_of` gives the weights of count pixels from x on.
template <class WeightsOf>
row_powers run_powers(const region_run& run, i64 corner, WeightsOf weights_of) {
  row_powers total;
  for (i64 begin = run.begin; begin < run.end; begin += pixels_of_piece) {
    const i64 count = std::min(pixels_of_piece, run.end - begin);
    i64 sums[exponents] = {};
    sum_piece(weights_of(begin, count), count, sums);
    const row_powers piece = moved(sums, begin - corner);
    for (int i = 0; i < exponents; ++i) total.of[i] += piece.of[i];
  }
  return total;
}

// Integers of up to 32 bits; those with a sign have 2^31 at most.
class integer_power_sums final : public power_sums {
 public:
  explicit integer_power_sums(const region_frame& frame) : power_sums(frame, frame.weight_bits) {}

  void add(const image_row& row) override {
    for (const region_run& run : row.runs)
      add_stretch(run.region, row.z, row.y,
                  run_powers(run, region(run.region).min[2], [&](i64 begin, i64) { return row.weights + begin; }));
  }
};

// Floats and integers of 64 bits: as integers of 62 bits, in a unit that the largest magnitude of the region gives.
class real_power_sums final : public power_sums {
 public:
  explicit real_power_sums(const region_frame& frame) : power_sums(frame, weight_bits) {
    units_.reserve(frame.count());
    for (const real_intensity& region : frame.intensities->real_intensities)
      units_.push_back(region.non_finite != 0 ? regions::no_unit
                                              : largest_exponent(region.min, region.max) - (weight_bits - 1));
  }

  void add(const image_row& row) override {
    for (const region_run& run : row.runs) {
      if (units_[run.region] == regions::no_unit) continue;
      for (std::size_t half = 0; half < 2; ++half) {
        i64 weights[pixels_of_piece];
        const row_powers powers = run_powers(run, region(run.region).min[2], [&](i64 begin, i64 count) {
          for (i64 x = 0; x < count; ++x) weights[x] = half_of(row.real_weights[begin + x], units_[run.region], half);
          return static_cast<const i64*>(weights);
        });
        add_stretch(run.region, row.z, row.y, powers, half);
      }
    }
  }

 private:
  static constexpr int weight_bits = 2 * regions::bits_of_half;

  // Of a number in units, cut off towards 0: its lower bits or its higher ones, with its sign.
  static i64 half_of(const real_parts& number, i32 unit, std::size_t half) {
    constexpr int bits = regions::bits_of_half;
    const u64 units = regions::units_of(number, unit);
    const auto part = static_cast<i64>(half == 0 ? units & ((u64{1} << bits) - 1) : units >> bits);
    return number.negative ? -part : part;
  }
};

double weighted_centroid(const column_source& from, std::size_t row, int place) {
  const int axis = 3 - from.frame.size.rank + place;
  return local_centroid(from, row, place) + from.frame.region(row).min[axis] * from.frame.spacing[axis];
}

constexpr feature_column weighted_columns[] = {
    {"centroid_weighted", weighted_centroid, column_shape::per_axis, needs_intensities},
    {"centroid_weighted_local", local_centroid, column_shape::per_axis, needs_intensities},
    {"moments_weighted", raw_moment, column_shape::powers, needs_intensities},
    {"moments_weighted_central", central_moment, column_shape::powers, needs_intensities | uses_central_moments,
     central_moments},
    {"moments_weighted_normalized", normalized_moment, column_shape::powers, needs_intensities | uses_central_moments},
    {"moments_weighted_hu", hu_moment, column_shape::seven,
     needs_intensities | needs_rank_2 | needs_unit_sides | uses_central_moments},
};

std::unique_ptr<feature_sums> start_weighteds(const region_frame& frame) {
  if (frame.intensities->real_intensities.empty()) return std::make_unique<integer_power_sums>(frame);
  return std::make_unique<real_power_sums>(frame);
}

}  // namespace

const feature_group weighted_group = {.name = "weighted_sums",
                                      .columns = weighted_columns,
                                      .start = start_weighteds,
                                      .reads_weights = true,
                                      .has_power_sums = true};

}  // namespace skerry::features

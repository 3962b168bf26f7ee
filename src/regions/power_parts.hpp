// SPDX-License-Identifier: Apache-2.0
// Sums of weight · z^k · y^j · x^i, every exponent from 0 to 3, as a device adds them up: 64 bits are enough for digits of
// weights in a strip of pixels, about its first one; the sums are then moved to the corner of a region's box.
#pragma once
#include <span>

#include "core/long_sum.hpp"
#include "core/real_intensity.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

inline constexpr int powers = 4;  // 0 to 3
inline constexpr u32 words_of_sum = sizeof(long_sum) / sizeof(u64);

// ---- weights ------------------------------------------------------------------------------------------------------

// Weights of more than 32 bits come as halves, whose sums are kept apart; so many bits are in the lower one.
inline constexpr int bits_of_half = 31;
// Of a region whose weights have none, since one of them is not finite.
inline constexpr i32 no_unit = INT32_MAX;

// The magnitude of a weight in units of 2^unit, cut off towards 0.
SKERRY_BOTH inline u64 units_of(const real_parts& number, i32 unit) {
  const i32 up = number.exponent - unit;
  if (up >= 0) return up < 64 ? number.mantissa << up : 0;
  return up > -64 ? number.mantissa >> -up : 0;
}

// Bits [shift, shift + bits) of a magnitude, which are bits of one half from `shift_in_half` on.
struct weight_digit {
  static constexpr u32 most_bits = 16;
  u32 half, shift, bits, shift_in_half;

  // Digit k of weights that are whole, or come as halves.
  [[nodiscard]] SKERRY_BOTH static weight_digit of(u32 k, bool has_halves) {
    const u32 half = has_halves ? k / 2 : 0, in_half = most_bits * (k - 2 * half);
    return {half, bits_of_half * half + in_half, has_halves && in_half != 0 ? bits_of_half - most_bits : most_bits,
            in_half};
  }
  [[nodiscard]] SKERRY_BOTH i64 in(u64 magnitude) const {
    return static_cast<i64>(magnitude >> shift & ((u64{1} << bits) - 1));
  }
};

// How many of them hold a weight of so many bits.
[[nodiscard]] constexpr u32 digits_of_weight(int weight_bits) {
  return weight_bits <= static_cast<int>(weight_digit::most_bits) ? 1 : weight_bits <= 32 ? 2 : 4;
}

// ---- sums ---------------------------------------------------------------------------------------------------------

// Sums of digit · y^j · x^i over pixels of a strip of 8 rows of 128: magnitudes are below 2^(16 + 3·3 + 3·7 + 10).
struct strip_powers {
  i64 of[powers * powers] = {};  // 4 j + i

  SKERRY_BOTH void add(i64 digit, i64 y, i64 x) {
    for (int j = 0; j < powers; ++j, digit *= y) {
      i64 term = digit;
      for (int i = 0; i < powers; ++i, term *= x) of[powers * j + i] += term;
    }
  }

  // The sum of digit · y^j · x^i about a place from which the strip begins at (y, x), by the binomial theorem.
  [[nodiscard]] SKERRY_BOTH long_sum moved(int j, int i, i64 y, i64 x) const {
    const long_sum by_y(y), by_x(x);
    long_sum sum;
    SKERRY_UNROLL
    for (int n = 0; n < powers; ++n) {
      if (n > j) continue;
      long_sum of_x;
      SKERRY_UNROLL
      for (int m = 0; m < powers; ++m) {
        if (m > i) continue;
        of_x = of_x * by_x;
        of_x += long_sum(choices(i, m) * choices(j, n) * of[powers * n + m]);
      }
      sum = sum * by_y;
      sum += of_x;
    }
    return sum;
  }

 private:
  // In how many ways k of n can be chosen, for n up to 3.
  [[nodiscard]] SKERRY_BOTH static i64 choices(int n, int k) { return k == 0 || k == n ? 1 : n; }
};

// ---- requests -----------------------------------------------------------------------------------------------------

// Where the sums of a region begin and in which unit they are; the same in all blocks.
struct sums_anchor {
  static constexpr i32 unset = -1;  // of a region without pixels in these blocks
  i32 corner[3] = {unset, unset, unset};
  i32 unit = 0;
  [[nodiscard]] bool is_set() const { return corner[0] != unset; }
  friend bool operator==(const sums_anchor&, const sums_anchor&) = default;
};

// Of the regions of a label image, which have an anchor each, in ascending order of labels.
struct power_request {
  image_view labels;
  background rule;
  image_view weights;  // none where each pixel weighs 1
  int weight_bits;     // of magnitudes
  int rank;            // sums of 4^rank places, which are exponents of the axes as digits of base 4
  std::span<const sums_anchor> anchors;

  [[nodiscard]] bool has_halves() const { return weight_bits > 32; }
  // Of a region.
  [[nodiscard]] u64 sums() const { return (has_halves() ? u64{2} : u64{1}) << 2 * rank; }
};

}  // namespace skerry::regions

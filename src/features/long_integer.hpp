// SPDX-License-Identifier: Apache-2.0
// Integers for moments: for what follows from sums of 192 bits longer ones, or shorter ones where those are enough; exact until one
// rounding to a double.
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/exact_number.hpp"
#include "core/long_sum.hpp"

namespace skerry::features {

// A number with a sign, of 64 or 128 bits with it. What is added and multiplied on the way to it may wrap around.
template <class Signed>
class wrapping_integer {
  using natural = std::conditional_t<sizeof(Signed) == sizeof(u64), u64, unsigned_wide>;

 public:
  wrapping_integer() = default;
  explicit wrapping_integer(u64 value) : value_(value) {}
  explicit wrapping_integer(const long_sum& value)
      : value_(static_cast<natural>(static_cast<unsigned_wide>(value.words[1]) << 64 | value.words[0])) {}

  [[nodiscard]] bool is_zero() const { return value_ == 0; }
  [[nodiscard]] wrapping_integer negated() const { return wrapping_integer(-value_, 0); }
  // Numerator and denominator are rounded once each.
  [[nodiscard]] double over(const wrapping_integer& divisor) const { return rounded() / divisor.rounded(); }
  // The nearest double.
  [[nodiscard]] double rounded() const {
    const auto number = static_cast<Signed>(value_);
    const auto low = static_cast<i64>(number);
    return low == number ? static_cast<double>(low) : static_cast<double>(number);
  }

  friend wrapping_integer operator*(const wrapping_integer& a, const wrapping_integer& b) {
    return wrapping_integer(a.value_ * b.value_, 0);
  }
  wrapping_integer& operator+=(const wrapping_integer& other) {
    value_ += other.value_;
    return *this;
  }

 private:
  wrapping_integer(natural value, int) : value_(value) {}
  natural value_ = 0;
};

// A number with a sign, of up to 1152 bits: central moments need 845, and 1123 where weights have 62 bits.
class long_integer {
 public:
  static constexpr int capacity = 18;

  long_integer() = default;
  explicit long_integer(u64 value) : used_(value != 0 ? 1 : 0) { magnitude_.words[0] = value; }
  explicit long_integer(const long_sum& value) : used_(3), negative_(value.is_negative()) {
    const long_sum size = negative_ ? value * long_sum(i64{-1}) : value;
    std::copy_n(size.words, 3, magnitude_.words);
    trim();
  }

  [[nodiscard]] bool is_zero() const { return used_ == 0; }
  [[nodiscard]] long_integer negated() const {
    long_integer result = *this;
    result.negative_ = !negative_ && used_ != 0;
    return result;
  }
  // The nearest double.
  [[nodiscard]] double rounded() const {
    const double size = skerry::rounded(magnitude_);
    return negative_ ? -size : size;
  }
  // Numerator and denominator are rounded once each, and may be larger than doubles can be.
  [[nodiscard]] double over(const long_integer& divisor) const {
    const leading_bits top = leading_bits_of(magnitude_), below = leading_bits_of(divisor.magnitude_);
    const double size =
        std::ldexp(skerry::rounded(top.leading) / skerry::rounded(below.leading), top.exponent - below.exponent);
    return negative_ != divisor.negative_ ? -size : size;
  }

  friend long_integer operator*(const long_integer& a, const long_integer& b) {
    long_integer result;
    for (int i = 0; i < a.used_; ++i) {
      u64 carry = 0;
      for (int j = 0; j < b.used_ && i + j < capacity; ++j) {
        u64& word = result.magnitude_.words[i + j];
        const unsigned_wide part =
            static_cast<unsigned_wide>(a.magnitude_.words[i]) * b.magnitude_.words[j] + word + carry;
        word = static_cast<u64>(part);
        carry = static_cast<u64>(part >> 64);
      }
      if (i + b.used_ < capacity) result.magnitude_.words[i + b.used_] = carry;
    }
    result.used_ = std::min(capacity, a.used_ + b.used_);
    result.trim();
    result.negative_ = result.used_ != 0 && a.negative_ != b.negative_;
    return result;
  }

  long_integer& operator+=(const long_integer& other) {
    if (negative_ == other.negative_) add_magnitude(other);
    else if (is_below(other)) *this = difference(other, *this);
    else *this = difference(*this, other);
    return *this;
  }

 private:
  void trim() {
    while (used_ > 0 && magnitude_.words[used_ - 1] == 0) --used_;
    negative_ = negative_ && used_ != 0;
  }
  [[nodiscard]] bool is_below(const long_integer& other) const {
    if (used_ != other.used_) return used_ < other.used_;
    for (int k = used_ - 1; k >= 0; --k)
      if (magnitude_.words[k] != other.magnitude_.words[k]) return magnitude_.words[k] < other.magnitude_.words[k];
    return false;
  }
  void add_magnitude(const long_integer& other) {
    const int longer = std::max(used_, other.used_);
    u64 carry = 0;
    for (int k = 0; k < longer; ++k) {
      const unsigned_wide part = static_cast<unsigned_wide>(magnitude_.words[k]) + other.magnitude_.words[k] + carry;
      magnitude_.words[k] = static_cast<u64>(part);
      carry = static_cast<u64>(part >> 64);
    }
    used_ = longer;
    if (carry != 0 && used_ < capacity) magnitude_.words[used_++] = carry;
  }
  // The larger magnitude less the smaller, with the sign of the larger.
  static long_integer difference(const long_integer& larger, const long_integer& smaller) {
    long_integer result;
    result.magnitude_ = positive_difference(larger.magnitude_, smaller.magnitude_);
    result.used_ = larger.used_;
    result.negative_ = larger.negative_;
    result.trim();
    return result;
  }

  natural<capacity> magnitude_;
  int used_ = 0;  // words up to the highest that is not 0
  bool negative_ = false;
};

}  // namespace skerry::features

// SPDX-License-Identifier: Apache-2.0
// Sums of 192 bits, which hold every power sum of an image.
#pragma once
#include "core/exact_number.hpp"

namespace skerry {

// A two's complement integer of 192 bits. Sums of x³y³z³ times 32 bits over 2^40 pixels need 188.
struct long_sum {
  u64 words[3] = {0, 0, 0};

  long_sum() = default;
  SKERRY_BOTH explicit long_sum(u64 value) : words{value, 0, 0} {}
  SKERRY_BOTH explicit long_sum(unsigned_wide value)
      : words{static_cast<u64>(value), static_cast<u64>(value >> 64), 0} {}
  SKERRY_BOTH explicit long_sum(i64 value) : words{static_cast<u64>(value), 0, 0} {
    words[1] = words[2] = value < 0 ? ~u64{0} : 0;
  }

  [[nodiscard]] SKERRY_BOTH bool is_negative() const { return (words[2] >> 63) != 0; }
  [[nodiscard]] SKERRY_BOTH bool is_short() const { return (words[1] | words[2]) == 0; }

  SKERRY_BOTH long_sum& operator+=(const long_sum& other) {
    u64 carry = 0;
    for (int k = 0; k < 3; ++k) {
      const unsigned_wide part = static_cast<unsigned_wide>(words[k]) + other.words[k] + carry;
      words[k] = static_cast<u64>(part);
      carry = static_cast<u64>(part >> 64);
    }
    return *this;
  }
  SKERRY_BOTH void add_product(u64 a, u64 b) {
    const unsigned_wide product = static_cast<unsigned_wide>(a) * b;
    const unsigned_wide low = static_cast<unsigned_wide>(words[0]) + static_cast<u64>(product);
    const unsigned_wide high = (product >> 64) + words[1] + static_cast<u64>(low >> 64);
    words[0] = static_cast<u64>(low);
    words[1] = static_cast<u64>(high);
    words[2] += static_cast<u64>(high >> 64);
  }
  friend bool operator==(const long_sum&, const long_sum&) = default;
};

SKERRY_BOTH inline long_sum operator*(const long_sum& a, const long_sum& b) {
  if (a.is_short() && b.is_short()) return long_sum(static_cast<unsigned_wide>(a.words[0]) * b.words[0]);
  long_sum result;
  for (int i = 0; i < 3; ++i) {
    u64 carry = 0;
    for (int j = 0; i + j < 3; ++j) {
      const unsigned_wide part = static_cast<unsigned_wide>(a.words[i]) * b.words[j] + result.words[i + j] + carry;
      result.words[i + j] = static_cast<u64>(part);
      carry = static_cast<u64>(part >> 64);
    }
  }
  return result;
}

}  // namespace skerry

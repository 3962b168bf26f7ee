// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sums that 64 bits do not hold.
#pragma once
#include <array>
#include <cstddef>

#include "core/portable.hpp"
#include "skerry/feature.hpp"

namespace skerry {

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;

inline unsigned_wide unsigned_from(const wide_integer& value) {
  return static_cast<unsigned_wide>(value.high) << 64 | value.low;
}
inline wide signed_from(const wide_integer& value) { return static_cast<wide>(unsigned_from(value)); }
inline unsigned_wide magnitude_of(wide value) {
  return value < 0 ? -static_cast<unsigned_wide>(value) : static_cast<unsigned_wide>(value);
}

// 256 bits, lowest word first: differences of products without rounding.
using wider = std::array<u64, 4>;

inline wider product(unsigned_wide a, unsigned_wide b) {
  const u64 left[2] = {static_cast<u64>(a), static_cast<u64>(a >> 64)};
  const u64 right[2] = {static_cast<u64>(b), static_cast<u64>(b >> 64)};
  wider result = {};
  for (std::size_t i = 0; i < 2; ++i) {
    u64 carry = 0;
    for (std::size_t j = 0; j < 2; ++j) {
      const unsigned_wide part = static_cast<unsigned_wide>(left[i]) * right[j] + result[i + j] + carry;
      result[i + j] = static_cast<u64>(part);
      carry = static_cast<u64>(part >> 64);
    }
    result[i + 2] = carry;
  }
  return result;
}

// a − b as a number; 0 when b is larger, which only rounded squares of floats can cause.
inline double positive_difference(const wider& a, const wider& b) {
  wider rest;
  u64 borrow = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const unsigned_wide part = static_cast<unsigned_wide>(a[i]) - b[i] - borrow;
    rest[i] = static_cast<u64>(part);
    borrow = static_cast<u64>(part >> 64) & 1;
  }
  if (borrow != 0) return 0;
  double value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value * 0x1p64 + static_cast<double>(rest[i]);
  return value;
}

}  // namespace skerry

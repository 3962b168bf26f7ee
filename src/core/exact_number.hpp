// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sums that 64 bits do not hold.
#pragma once
#include <cmath>
#include <cstddef>

#include "core/portable.hpp"
#include "skerry/feature.hpp"

namespace skerry {

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;

SKERRY_BOTH inline unsigned_wide unsigned_from(const wide_integer& value) {
  return static_cast<unsigned_wide>(value.high) << 64 | value.low;
}
SKERRY_BOTH inline wide signed_from(const wide_integer& value) { return static_cast<wide>(unsigned_from(value)); }
SKERRY_BOTH inline unsigned_wide magnitude_of(wide value) {
  return value < 0 ? -static_cast<unsigned_wide>(value) : static_cast<unsigned_wide>(value);
}

// As the conversion of the compiler, to nearest and even, which is not the same bits on every device.
SKERRY_BOTH inline double rounded(unsigned_wide value) {
  const auto high = static_cast<u64>(value >> 64);
  if (high == 0) return static_cast<double>(static_cast<u64>(value));
  // 63 or 64 bits from the highest one on; of the others it only matters whether there are any.
  const int cut = ilogb(static_cast<double>(high)) + 1;
  const auto kept = static_cast<u64>(value >> cut);
  const u64 more = static_cast<unsigned_wide>(kept) << cut == value ? 0 : 1;
  return ldexp(static_cast<double>(kept | more), cut);
}
SKERRY_BOTH inline double rounded(wide value) {
  const double magnitude = rounded(magnitude_of(value));
  return value < 0 ? -magnitude : magnitude;
}

// 256 bits, lowest word first: differences of products without rounding.
struct wider {
  u64 words[4] = {0, 0, 0, 0};
};

SKERRY_BOTH inline wider product(unsigned_wide a, unsigned_wide b) {
  const u64 left[2] = {static_cast<u64>(a), static_cast<u64>(a >> 64)};
  const u64 right[2] = {static_cast<u64>(b), static_cast<u64>(b >> 64)};
  wider result;
  for (std::size_t i = 0; i < 2; ++i) {
    u64 carry = 0;
    for (std::size_t j = 0; j < 2; ++j) {
      const unsigned_wide part = static_cast<unsigned_wide>(left[i]) * right[j] + result.words[i + j] + carry;
      result.words[i + j] = static_cast<u64>(part);
      carry = static_cast<u64>(part >> 64);
    }
    result.words[i + 2] = carry;
  }
  return result;
}

// a − b as a number; 0 when b is larger, which only rounded squares of floats can cause.
SKERRY_BOTH inline double positive_difference(const wider& a, const wider& b) {
  wider rest;
  u64 borrow = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const unsigned_wide part = static_cast<unsigned_wide>(a.words[i]) - b.words[i] - borrow;
    rest.words[i] = static_cast<u64>(part);
    borrow = static_cast<u64>(part >> 64) & 1;
  }
  if (borrow != 0) return 0;
  double value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value * 0x1p64 + static_cast<double>(rest.words[i]);
  return value;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sums that 64 bits do not hold: exact until one rounding to a double.
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

/// A natural number of 64 · Words bits, lowest word first.
template <int Words>
struct natural {
  u64 words[Words] = {};
};

SKERRY_BOTH inline natural<2> natural_of(unsigned_wide value) {
  return {{static_cast<u64>(value), static_cast<u64>(value >> 64)}};
}

template <int A, int B>
SKERRY_BOTH natural<A + B> product(const natural<A>& a, const natural<B>& b) {
  natural<A + B> result;
  for (int i = 0; i < A; ++i) {
    u64 carry = 0;
    for (int j = 0; j < B; ++j) {
      const unsigned_wide part = static_cast<unsigned_wide>(a.words[i]) * b.words[j] + result.words[i + j] + carry;
      result.words[i + j] = static_cast<u64>(part);
      carry = static_cast<u64>(part >> 64);
    }
    result.words[i + B] = carry;
  }
  return result;
}

/// The number times 2^bits, which it has room for.
template <int To, int From>
SKERRY_BOTH natural<To> shifted_up(const natural<From>& value, int bits) {
  natural<To> result;
  const int words = bits / 64, rest = bits % 64;
  for (int k = 0; k < From; ++k) {
    if (k + words < To) result.words[k + words] |= value.words[k] << rest;
    if (rest != 0 && k + words + 1 < To) result.words[k + words + 1] |= value.words[k] >> (64 - rest);
  }
  return result;
}

/// a - b, or 0 when b is larger, which only numbers that were cut off can be.
template <int Words>
SKERRY_BOTH natural<Words> positive_difference(const natural<Words>& a, const natural<Words>& b) {
  natural<Words> rest;
  u64 borrow = 0;
  for (int k = 0; k < Words; ++k) {
    const unsigned_wide part = static_cast<unsigned_wide>(a.words[k]) - b.words[k] - borrow;
    rest.words[k] = static_cast<u64>(part);
    borrow = static_cast<u64>(part >> 64) & 1;
  }
  return borrow == 0 ? rest : natural<Words>{};
}

/// A number as leading · 2^exponent, where the highest bit of `leading` is set and the lowest also stands for all bits behind.
struct leading_bits {
  unsigned_wide leading = 0;
  int exponent = 0;
};

template <int Words>
SKERRY_BOTH leading_bits leading_bits_of(const natural<Words>& value) {
  int top = Words - 1;
  while (top > 0 && value.words[top] == 0) --top;
  if (value.words[top] == 0) return {};
  const auto word = [&](int k) { return k < 0 ? 0 : value.words[k]; };
  const int zeros = leading_zeros(word(top));
  unsigned_wide leading = (static_cast<unsigned_wide>(word(top)) << 64 | word(top - 1)) << zeros;
  u64 behind = word(top - 2);
  if (zeros > 0) {
    leading |= behind >> (64 - zeros);
    behind <<= zeros;
  }
  for (int k = top - 3; k >= 0; --k) behind |= word(k);
  return {leading | (behind != 0 ? 1 : 0), 64 * (top - 1) - zeros};
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
template <int Words>
SKERRY_BOTH double rounded(const natural<Words>& value) {
  const leading_bits bits = leading_bits_of(value);
  return ldexp(rounded(bits.leading), bits.exponent);
}

/// value · 2^exponent / divisor, rounded once unless it is subnormal. The divisor is below 2^62.
template <int Words>
SKERRY_BOTH double rounded_quotient(const natural<Words>& value, u64 divisor, int exponent) {
  const leading_bits bits = leading_bits_of(value);
  const unsigned_wide quotient = bits.leading / divisor;  // of 65 bits or more: the lowest can stand for the remainder
  const u64 more = quotient * divisor == bits.leading ? 0 : 1;
  return ldexp(rounded(quotient | more), bits.exponent + exponent);
}

}  // namespace skerry

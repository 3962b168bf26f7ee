// SPDX-License-Identifier: Apache-2.0
// IEEE binary16 without arithmetic: its exact value as a float, and integers in the order of its numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry {

using f16 = float16_bits;

/// The same number; NaN stays NaN. Subnormals are normal floats, so no mode that flushes them changes one.
SKERRY_BOTH inline float number_of(f16 value) {
  constexpr u32 exponent_mask = 0x1f, fraction_mask = 0x3ff, float_bias_above = 127 - 15;
  const u32 sign = u32{value.bits} >> 15 << 31, exponent = value.bits >> 10 & exponent_mask;
  const u32 fraction = value.bits & fraction_mask;
  const u32 wide_exponent = exponent == exponent_mask ? 255 : exponent + float_bias_above;
  u32 bits = sign | wide_exponent << 23 | fraction << 13;
  float number;
  if (exponent == 0) {
    number = static_cast<float>(fraction) * 0x1p-24F;
    memcpy(&bits, &number, sizeof bits);
    bits |= sign;
  }
  memcpy(&number, &bits, sizeof number);
  return number;
}

/// Numbers have keys in their order from that of -infinity to that of infinity; -0 comes before 0, NaNs lie outside.
inline constexpr i32 f16_key_of_infinity = 0x7c00, f16_key_of_minus_infinity = -0x7c01;

SKERRY_BOTH inline i32 f16_key(f16 value) {
  const auto bits = static_cast<i32>(static_cast<std::int16_t>(value.bits));
  return bits ^ (bits >> 15 & 0x7fff);
}

/// The nearest number; of two the even one, and infinity from 65520 on. Not of NaN.
inline f16 f16_of(double value) {
  constexpr double beyond = 65520;
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= beyond) return {static_cast<u16>(sign | f16_key_of_infinity)};
  const int exponent = std::max(magnitude == 0 ? -14 : std::ilogb(magnitude), -14);
  // 1024…2048 units of the last place, or less for subnormals; the sum has none behind them.
  const double units = std::ldexp(magnitude, 10 - exponent) + 0x1p52 - 0x1p52;
  return {static_cast<u16>(sign | (static_cast<int>(units) + (exponent + 14) * 1024))};
}

SKERRY_BOTH inline f16 f16_of_key(i32 key) { return {static_cast<u16>(key ^ (key >> 15 & 0x7fff))}; }

}  // namespace skerry

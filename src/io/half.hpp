// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

namespace skerry::io {

/// The number that the bits of an IEEE 754 binary16 stand for, exactly.
[[nodiscard]] inline float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
  if (exponent == 0) {
    const float tiny = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -tiny : tiny;
  }
  const std::uint32_t rest = exponent == 31 ? 0x7f800000U : (exponent + 112) << 23;
  return std::bit_cast<float>(sign | rest | fraction << 13);
}

}  // namespace skerry::io

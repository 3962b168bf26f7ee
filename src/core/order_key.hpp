// SPDX-License-Identifier: Apache-2.0
// Grey values as unsigned integers of the same order: what the max-tree compares instead of pixels.
#pragma once
#include <cstring>
#include <type_traits>

#include "core/float16.hpp"
#include "core/portable.hpp"

namespace skerry {

template <class Pixel>
using key_of =
    std::conditional_t<sizeof(Pixel) == 1, u8,
                       std::conditional_t<sizeof(Pixel) == 2, u16, std::conditional_t<sizeof(Pixel) == 4, u32, u64>>>;

template <class Pixel>
inline constexpr auto highest_key_bit = static_cast<key_of<Pixel>>(key_of<Pixel>{1} << (8 * sizeof(Pixel) - 1));

// The key of a value that is not NaN. Both zeros of floats have one key.
template <class Pixel>
SKERRY_BOTH key_of<Pixel> order_key(Pixel value) {
  using key = key_of<Pixel>;
  if constexpr (std::is_same_v<Pixel, f16>) {
    constexpr u16 minus_zero = 0x8000;
    return static_cast<key>(value.bits == minus_zero ? 0x8000 : f16_key(value) + 0x8000);
  } else if constexpr (std::is_floating_point_v<Pixel>) {
    const Pixel one_zero = value + Pixel(0);
    key bits;
    memcpy(&bits, &one_zero, sizeof bits);
    return (bits & highest_key_bit<Pixel>) != 0 ? ~bits : bits | highest_key_bit<Pixel>;
  } else if constexpr (std::is_signed_v<Pixel>) {
    return static_cast<key>(static_cast<key>(value) ^ highest_key_bit<Pixel>);
  } else {
    return value;
  }
}

template <class Pixel>
SKERRY_BOTH Pixel value_of_key(key_of<Pixel> key) {
  if constexpr (std::is_same_v<Pixel, f16>) {
    return f16_of_key(i32{key} - 0x8000);
  } else if constexpr (std::is_floating_point_v<Pixel>) {
    const key_of<Pixel> bits = (key & highest_key_bit<Pixel>) != 0 ? key ^ highest_key_bit<Pixel> : ~key;
    Pixel value;
    memcpy(&value, &bits, sizeof value);
    return value;
  } else if constexpr (std::is_signed_v<Pixel>) {
    return static_cast<Pixel>(key ^ highest_key_bit<Pixel>);
  } else {
    return key;
  }
}

}  // namespace skerry

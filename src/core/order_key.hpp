// SPDX-License-Identifier: Apache-2.0
// Grey values as unsigned integers of the same order: what the max-tree compares instead of pixels.
#pragma once
#include <cstring>
#include <type_traits>

#include "core/portable.hpp"

namespace skerry {

template <class Pixel>
using key_of = std::conditional_t<sizeof(Pixel) == 1, u8, std::conditional_t<sizeof(Pixel) == 2, u16, u32>>;

// The key of a value that is not NaN. Both zeros of floats have one key.
template <class Pixel>
SKERRY_BOTH key_of<Pixel> order_key(Pixel value) {
  using key = key_of<Pixel>;
  if constexpr (std::is_floating_point_v<Pixel>) {
    const Pixel one_zero = value + Pixel(0);
    key bits;
    memcpy(&bits, &one_zero, sizeof bits);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  } else if constexpr (std::is_signed_v<Pixel>) {
    return static_cast<key>(static_cast<key>(value) ^ static_cast<key>(key{1} << (8 * sizeof(key) - 1)));
  } else {
    return value;
  }
}

template <class Pixel>
SKERRY_BOTH Pixel value_of_key(key_of<Pixel> key) {
  if constexpr (std::is_floating_point_v<Pixel>) {
    const u32 bits = (key & 0x80000000u) != 0 ? key ^ 0x80000000u : ~key;
    Pixel value;
    memcpy(&value, &bits, sizeof value);
    return value;
  } else if constexpr (std::is_signed_v<Pixel>) {
    return static_cast<Pixel>(key ^ static_cast<key_of<Pixel>>(key_of<Pixel>{1} << (8 * sizeof(key) - 1)));
  } else {
    return key;
  }
}

}  // namespace skerry

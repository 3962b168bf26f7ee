// SPDX-License-Identifier: Apache-2.0
// Pixels of a row that are not neighbours in memory, side by side.
#pragma once
#include <cstddef>
#include <cstring>

#include "core/portable.hpp"

namespace skerry::label_stages {

template <class Pixel>
void gather(const std::byte* from, i64 stride, i64 count, Pixel* pixels) {
  for (i64 i = 0; i < count; ++i) std::memcpy(&pixels[i], from + i * stride, sizeof(Pixel));
}

// A full word of pixels: with a step that the compiler knows it gathers by vectors.
template <class Pixel>
void gather_word(const std::byte* from, i64 stride, Pixel* pixels) {
  constexpr i64 size = sizeof(Pixel);
  switch (stride) {
    case size: return gather(from, size, 64, pixels);
    case 2 * size: return gather(from, 2 * size, 64, pixels);
    case 3 * size: return gather(from, 3 * size, 64, pixels);
    case 4 * size: return gather(from, 4 * size, 64, pixels);
    default: return gather(from, stride, 64, pixels);
  }
}

// Bits 0, 2, 4, ... of a word, side by side.
inline u64 every_second_bit(u64 bits) {
  bits &= 0x5555555555555555;
  bits = (bits | bits >> 1) & 0x3333333333333333;
  bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits >> 4) & 0x00ff00ff00ff00ff;
  bits = (bits | bits >> 8) & 0x0000ffff0000ffff;
  return (bits | bits >> 16) & 0x00000000ffffffff;
}

}  // namespace skerry::label_stages

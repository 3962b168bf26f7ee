// SPDX-License-Identifier: Apache-2.0
// Pixels of a row that are not neighbours in memory: side by side, and as bits.
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

// Every second pixel of memory is one of the row: packs whole pieces, with all that lies between pixels, by
// pack(pixels, count, words, range), and returns how many pixels that are. Nothing behind the last pixel is read.
template <class Pixel, class Pack, class Range>
i64 pack_every_second(const Pixel* row, i64 width, u64* words, Pack pack, const Range& range) {
  constexpr i64 words_of_piece = 8, pixels_of_piece = 64 * words_of_piece;
  i64 x = 0;
  for (; x + pixels_of_piece < width; x += pixels_of_piece) {
    u64 packed[2 * words_of_piece + 1];
    pack(row + 2 * x, 2 * pixels_of_piece, packed, range);
    for (i64 w = 0; w < words_of_piece; ++w)
      words[x / 64 + w] = every_second_bit(packed[2 * w]) | every_second_bit(packed[2 * w + 1]) << 32;
  }
  return x;
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
// Pixels of a line as bits, fetched by a warp ahead of their use: each of its threads has 16 neighbouring pixels.
#pragma once
#include <cstdint>

#include "published/cuda/device_task.hpp"

namespace skerry::published {

constexpr u32 lane_pixels = 16, stretch = 32 * lane_pixels;
constexpr u32 lane_mask = (1u << lane_pixels) - 1;

// Whether each thread can take its 16 pixels by one read, and none of them are of two lines.
inline bool is_for_vectors(const device_image& image) {
  return image.width % lane_pixels == 0 && image.row_bytes % lane_pixels == 0 &&
         reinterpret_cast<std::uintptr_t>(image.pixels) % lane_pixels == 0;
}

// Bit k is byte k of a word, if it is not 0. The product moves the lowest bits of all bytes next to each other.
__device__ inline u32 bits_of_word(u32 bytes) {
  const u32 high = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u;
  return (high >> 7) * 0x10204080u >> 28;
}
__device__ inline u32 bits_of(const uint4& bytes) {
  return bits_of_word(bytes.x) | bits_of_word(bytes.y) << 4 | bits_of_word(bytes.z) << 8 | bits_of_word(bytes.w) << 12;
}

// One stretch of a line, in the memory of a warp: 16 pixels of each thread, 0 past the line.
template <bool Aligned>
struct fetched_stretch;

template <>
struct fetched_stretch<true> {
  uint4 pixels;
  __device__ static fetched_stretch of(const u8* row, u32 width, u32 x0, u32 lane) {
    const u32 x = x0 + lane * lane_pixels;
    return {x < width ? *reinterpret_cast<const uint4*>(row + x) : uint4{0, 0, 0, 0}};
  }
  [[nodiscard]] __device__ u32 bits() const { return bits_of(pixels); }
};

// Where lines lie in memory as they like: one read for each byte, in order, and a vote of the warp for each 32 of them.
template <>
struct fetched_stretch<false> {
  u32 own;
  __device__ static fetched_stretch of(const u8* row, u32 width, u32 x0, u32 lane) {
    u8 pixels[lane_pixels];
#pragma unroll
    for (u32 k = 0; k < lane_pixels; ++k) {
      const u32 x = x0 + 32 * k + lane;
      pixels[k] = x < width ? row[x] : 0;
    }
    u32 word = 0;
#pragma unroll
    for (u32 k = 0; k < lane_pixels; ++k) {
      const u32 votes = __ballot_sync(~0u, pixels[k] != 0);
      if (lane / 2 == k) word = votes;
    }
    return {word >> lane % 2 * lane_pixels & lane_mask};
  }
  [[nodiscard]] __device__ u32 bits() const { return own; }
};

// Two stretches are on their way while one is looked at.
template <bool Aligned>
class line_reader {
 public:
  __device__ line_reader(const u8* row, u32 width, u32 lane) : row_(row), width_(width), lane_(lane) {
    first_ = fetched_stretch<Aligned>::of(row, width, 0, lane);
    second_ = fetched_stretch<Aligned>::of(row, width, stretch, lane);
  }
  // The next stretch, in order; the one after that begins at `x0`.
  __device__ u32 take(u32 x0) {
    const u32 bits = first_.bits();
    first_ = second_;
    second_ = fetched_stretch<Aligned>::of(row_, width_, x0 + stretch, lane_);
    return bits;
  }

 private:
  const u8* row_;
  u32 width_, lane_;
  fetched_stretch<Aligned> first_, second_;
};

}  // namespace skerry::published
